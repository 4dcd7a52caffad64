//! Entities that join and leave a running graph, and a scheduler that comes from an extension.

use gxe_tests::Gxe;

/// The extensions of these tests.
const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_graph_changer.so
";

/// Every scheduler, with a real-time clock.
const SCHEDULERS: [(&str, &str); 6] = [
    ("greedy", "nvidia::gxf::GreedyScheduler, parameters: {clock: clock}"),
    ("one worker", "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock}"),
    (
        "two workers",
        "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    ),
    (
        "events, two workers",
        "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    ),
    ("epochs", "nvidia::gxf::EpochScheduler, parameters: {clock: clock}"),
    ("an extension's", "gxe::test::RoundRobinScheduler, parameters: {clock: clock}"),
];

fn gxe(graph: &str, scheduler: &str) -> Gxe {
    let app = format!(
        "{graph}---\nname: scheduler\ncomponents:\n- {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{type: {scheduler}}}\n"
    );
    Gxe::alone()
        .file("app.yaml", &app)
        .file("manifest.yaml", MANIFEST)
        .args("--app app.yaml --manifest manifest.yaml")
}

fn recruiter(ticks: u32, parameters: &str) -> String {
    format!(
        "name: recruiter
components:
- {{name: output, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: recruiter, type: gxe::test::Recruiter, parameters: {{transmitter: output{parameters}}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
"
    )
}

#[test]
fn a_recruit_gets_what_is_sent_after_it_joined() {
    for (name, scheduler) in SCHEDULERS {
        let ended = gxe(&recruiter(10, ""), scheduler).run();
        assert_eq!(ended.status, Some(0), "{name}: {}{}", ended.stdout, ended.stderr);
        let received = ended.count("Message Received");
        // It joined during the second tick, whose message may or may not reach it.
        assert!((8..=9).contains(&received), "{name}: {received}\n{}", ended.stdout);
    }
}

#[test]
fn a_recruit_that_leaves_gets_nothing_more() {
    for (name, scheduler) in SCHEDULERS {
        let ended = gxe(&recruiter(30, ", leave_at_tick: 12"), scheduler).run();
        assert_eq!(ended.status, Some(0), "{name}: {}{}", ended.stdout, ended.stderr);
        let received = ended.count("Message Received");
        assert!(received <= 10, "{name}: {received}\n{}", ended.stdout);
    }
}

#[test]
fn recruits_come_and_go_without_end() {
    for (name, scheduler) in SCHEDULERS {
        let graph = recruiter(4000, ", join_at_tick: 1, leave_at_tick: 9, again_after: 10");
        let ended = gxe(&graph, scheduler).run();
        assert_eq!(ended.status, Some(0), "{name}: {}{}", ended.stdout, ended.stderr);
        let received = ended.count("Message Received");
        // A recruit starts in the sweep after it joined, and one message is still in its queue when
        // it leaves. Workers may be late.
        let fewest = if name == "greedy" || name == "epochs" { 400 * 6 } else { 1 };
        assert!((fewest..=400 * 8).contains(&received), "{name}: {received}");
    }
}

/// The sender waits for room in the receivers of its transmitter, including one that joined after
/// it began, whether the engine or the ABI asks the term.
#[test]
fn a_sender_waits_for_room_in_a_queue_that_joined() {
    let room = "- {name: room, type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, \
                parameters: {transmitter: output}}\n";
    let either = "\
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: mail, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::OrSchedulingTermCombiner, parameters: {terms: [room, mail]}}
";
    let eager = "\
---
name: eager
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 64}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::PingRx, parameters: {signal: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: recruiter/output, target: eager/in}}
";
    // Room for three messages, and it waits for more.
    let recruiter = recruiter(30, ", recruit_capacity: 3, recruit_min_size: 4");
    for terms in [room.to_owned(), format!("{room}{either}")] {
        for (name, scheduler) in SCHEDULERS {
            let graph = format!("{recruiter}{terms}{eager}");
            let ended = gxe(&graph, scheduler).run();
            assert_eq!(ended.status, Some(0), "{name}: {}{}", ended.stdout, ended.stderr);
            let received = ended.count("Message Received");
            // It joined during the second tick, whose message may or may not reach it.
            assert!((4..=5).contains(&received), "{name}: {received}\n{}", ended.stdout);
        }
    }
}

#[test]
fn an_entity_cannot_leave_within_its_own_tick() {
    for (name, scheduler) in SCHEDULERS {
        let graph = recruiter(30, ", leave_at_tick: 3, leave_myself: true");
        let ended = gxe(&graph, scheduler).run();
        assert_eq!(ended.status, Some(5), "{name}: {}{}", ended.stdout, ended.stderr);
        let text = "entity `recruiter` cannot be deactivated from within its own tick; a scheduling \
                    term that says NEVER, such as a BooleanSchedulingTerm, ends it";
        assert!(ended.stderr.contains(text), "{name}: {}", ended.stderr);
    }
}

/// Two simultaneous ticks that would each wait for the other's end.
#[test]
fn of_two_entities_that_make_each_other_leave_one_is_refused() {
    let rival = |name: &str, other: &str, destroy: bool| {
        format!(
            "---\nname: {name}\ncomponents:\n\
             - {{type: gxe::test::Rival, parameters: {{other: {other}, destroy: {destroy}}}}}\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}\n"
        )
    };
    for (name, scheduler) in &SCHEDULERS[2..4] {
        for destroy in [false, true] {
            let graph = rival("a", "b", destroy) + &rival("b", "a", destroy);
            let ended = gxe(&graph, scheduler).run();
            assert_eq!(ended.status, Some(0), "{name}: {}{}", ended.stdout, ended.stderr);
            let (stays, leaves) =
                if ended.count("a made b leave") == 1 { ("a", "b") } else { ("b", "a") };
            assert_eq!(ended.count(&format!("{stays} made {leaves} leave")), 1, "{}", ended.stdout);
            // It may still hold the right to change the graph, or have begun to wait.
            let refusals = [
                format!(
                    "{leaves} was refused: entity `{stays}` cannot be deactivated from within this \
                     tick, because it waits for this tick to end"
                ),
                format!(
                    "{leaves} was refused: the graph cannot be changed from within the tick of \
                     entity `{leaves}`, because a change of the graph waits for that tick to \
                     end"
                ),
            ];
            let refused: usize = refusals.iter().map(|text| ended.count(text)).sum();
            assert_eq!(refused, 1, "{name}: {}", ended.stdout);
            // The other may do so too, until it leaves.
            assert_eq!(ended.count(&format!("{stays} goes on")), 2, "{name}: {}", ended.stdout);
        }
    }
}

/// A component removes an entity during its initialisation, and that entity's tick changes the
/// graph, for which it would have to wait until the initialisation is over.
#[test]
fn of_an_initialisation_and_a_tick_that_would_wait_for_each_other_one_is_refused() {
    let host = |name: &str, parameters: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n\
             - {{type: gxe::test::Host, parameters: {{{parameters}}}}}\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}\n"
        )
    };
    let graph = host("opener", "guest: guest, bounces: busy") + &host("busy", "guest: extra");
    let bouncer = "initialize of entity `guest`, component `bouncer` of type gxe::test::Bouncer \
                   (extension GraphChangerExtension)";
    for (name, scheduler) in SCHEDULERS[2..4].iter().cycle().take(10) {
        let ended = gxe(&graph, scheduler).run();
        assert_eq!(ended.status, Some(0), "{name}: {}{}", ended.stdout, ended.stderr);
        let tick = format!(
            "busy was refused: the graph cannot be changed from within the tick of entity `busy`, \
             because {bouncer} waits for that tick to end"
        );
        let initialisation = format!(
            "bouncer was refused: entity `busy` cannot be deactivated from within {bouncer}, \
             because its tick waits for that to end"
        );
        let left = ended.count("busy left");
        assert_eq!(ended.count("guest joined"), 1, "{name}: {}", ended.stdout);
        assert_eq!(ended.count(&tick), left, "{name}: {}", ended.stdout);
        assert_eq!(ended.count(&initialisation), 1 - left, "{name}: {}", ended.stdout);
        assert_eq!(ended.count("extra joined"), 1 - left, "{name}: {}", ended.stdout);
        // A leaving entity may tick once more.
        let goes_on = ended.count("busy goes on");
        assert!(goes_on == 2 || left == 1, "{name}: {}", ended.stdout);
        assert_eq!(ended.count("opener goes on"), 2, "{name}: {}", ended.stdout);
    }
}

#[test]
fn the_scheduler_of_an_extension_runs_a_graph_to_its_end() {
    let (_, scheduler) = SCHEDULERS[5];
    let graph = "
name: tx
components:
- {name: signal, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: signal}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1ms}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: signal}}
---
name: rx
components:
- {name: signal, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: signal}}
- {type: nvidia::gxf::PingRx, parameters: {signal: signal}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/signal, target: rx/signal}}
";
    let ended = gxe(graph, scheduler).run();
    let ended = ended.clean();
    assert_eq!(ended.count("Message Received"), 5, "{}", ended.stdout);
    assert_eq!(ended.count("round robin: prepared"), 1, "{}", ended.stdout);
}

#[test]
fn a_monitor_that_left_is_called_no_more() {
    let parameters = ", join_at_tick: 1, leave_at_tick: 2, again_after: 3, recruit_watches: true";
    let mut graph = recruiter(600, parameters);
    for number in 0..3 {
        graph += "---\n";
        let busy = recruiter(2000, ", join_at_tick: 0").replace("name: recruiter\ncomponents", "");
        graph += &format!("name: busy{number}\ncomponents{busy}");
    }
    for (name, scheduler) in SCHEDULERS {
        let ended = gxe(&graph, scheduler).run();
        assert_eq!(ended.status, Some(0), "{name}: {}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.count("outside its life"), 0, "{name}");
    }
}
