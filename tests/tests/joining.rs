//! Entities that join and leave a running graph, and a scheduler that comes from an extension.

use gxe_tests::Gxe;

/// The extensions of these tests.
const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_graph_changer.so
";

/// Every scheduler that runs entities by itself, with a real-time clock.
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
        // It joined during the second tick, whose message may or may not find it already.
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

/// The sender waits for room behind its transmitter, also in a receiver that joined after it began,
/// whoever asks the term.
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
            // It joined during the second tick, whose message may or may not find it already.
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
