//! Where messages go, in which order, and what happens to messages without room.

use gxe_tests::graphs::{connect, receiver, sender};
use gxe_tests::{Gxe, Line, lines_of};

/// A sender `tx` connected to a receiver `rx`. `tx` publishes `publish` numbers in each of `ticks`
/// ticks; the receiver's queue has these parameters and its term a `min_size`.
fn one_to_one(publish: u32, ticks: u32, queue: &str, term: &str) -> Gxe {
    Gxe::scheduled(&format!(
        "\
name: tx
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 10}}}}
- name: tx
  type: gxe::test::Probe
  parameters: {{transmitters: [out], publish: {publish}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
---
name: rx
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{{queue}}}}}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters: {{receiver: in, {term}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/out, target: rx/in}}}}
"
    ))
}

#[test]
fn messages_arrive_in_order_and_in_the_same_sweep() {
    let ended = one_to_one(1, 3, "", "").run().clean();
    assert_eq!(ended.ticks("rx"), ["0", "1", "2"]);
    let order: Vec<_> =
        ended.probes().into_iter().filter(|probe| probe.contains(" tick")).collect();
    assert_eq!(
        order,
        ["tx tick", "rx tick 0", "tx tick", "rx tick 1", "tx tick", "rx tick 2"],
        "the receiver stands behind the sender, so each message is seen in the sweep it was sent in"
    );
}

#[test]
fn a_receiver_that_stands_before_its_sender_runs_one_sweep_later() {
    let app = [receiver("rx", 1), sender("tx", 2), connect(&[("tx/out", "rx/in")])].concat();
    let ended = Gxe::scheduled(&app).run().clean();
    let order: Vec<_> =
        ended.probes().into_iter().filter(|probe| probe.contains(" tick")).collect();
    assert_eq!(order, ["tx tick", "rx tick 0", "tx tick", "rx tick 1"]);
}

#[test]
fn a_full_queue_does_what_its_policy_says() {
    // Four messages meet a queue of three.
    let pop = one_to_one(4, 1, "capacity: 3, policy: 0", "").run().clean();
    assert_eq!(pop.ticks("rx"), ["1 2 3"], "pop: the oldest is lost");
    let reject = one_to_one(4, 1, "capacity: 3, policy: 1", "").run().clean();
    assert_eq!(reject.ticks("rx"), ["0 1 2"], "reject: the newest is lost");
    let fault = one_to_one(4, 1, "capacity: 3, policy: 2", "").run().with_status(0);
    assert_eq!(fault.ticks("rx"), ["0 1 2"], "fault: the newest is lost, and reported");
    let warnings: Vec<_> = lines_of(&fault.stdout)
        .filter_map(|line| match line {
            Line::Log { level: "WARN", text } => Some(text),
            _ => None,
        })
        .collect();
    assert!(
        matches!(warnings[..], [lost] if lost.contains("transmitter `tx/out`")
            && lost.contains("receiver `rx/in`") && lost.contains("is lost")),
        "{warnings:?}"
    );
}

#[test]
fn a_full_main_stage_does_what_the_policy_says() {
    // The receiver leaves one message in each tick, so the next ones find one in the main stage.
    let app = |policy: u32| {
        Gxe::scheduled(&format!(
            "\
name: tx
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 10}}}}
- {{name: tx, type: gxe::test::Probe, parameters: {{transmitters: [out], publish: 2}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
---
name: rx
components:
- name: in
  type: nvidia::gxf::DoubleBufferReceiver
  parameters: {{capacity: 2, policy: {policy}}}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [in], take: 1}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 4}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/out, target: rx/in}}}}
"
        ))
        .run()
    };
    assert_eq!(app(0).clean().ticks("rx"), ["0", "2", "3", ""], "pop: 1 made room");
    assert_eq!(app(1).clean().ticks("rx"), ["0", "1", "2", ""], "reject: 3 found no room");
    let fault = app(2).with_status(5);
    assert_eq!(fault.ticks("rx"), ["0"]);
    fault.complains("entity `rx`, component `in`");
    fault.complains("GXF_EXCEEDING_PREALLOCATED_SIZE");
}

#[test]
fn a_transmitter_of_policy_fault_refuses_what_it_has_no_room_for() {
    let ended = Gxe::scheduled(
        "\
name: tx
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {capacity: 2}}
- {name: tx, type: gxe::test::Probe, parameters: {transmitters: [out], publish: 3}}
",
    )
    .run()
    .with_status(5);
    ended.complains("component `tx`");
    ended.complains("tick failed with GXF_EXCEEDING_PREALLOCATED_SIZE");
}

#[test]
fn a_failed_tick_sends_nothing() {
    let ended = Gxe::scheduled(
        "\
name: tx
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- name: tx
  type: gxe::test::Probe
  parameters: {transmitters: [out], fail_in: tick, trouble_at_tick: 2}
---
name: rx
components:
- {name: in, type: nvidia::gxf::test::MockReceiver, parameters: {max_capacity: 9}}
- {name: rx, type: gxe::test::Probe, parameters: {receivers: [in]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/out, target: rx/in}}
",
    )
    .run()
    .with_status(5);
    assert_eq!(ended.ticks("rx"), ["0"]);
    // A MockReceiver complains about a message that nothing took.
    assert!(!ended.stderr.contains("never taken"), "{}", ended.stderr);
}

/// Senders and receivers with one queue each; every sender is connected to every receiver.
fn mesh(senders: &[&str], receivers: &[&str]) -> gxe_tests::Ended {
    let mut app: String = senders.iter().map(|name| sender(name, 2)).collect();
    for name in receivers {
        app += &receiver(name, 4);
        for sender in senders {
            app += &connect(&[(&format!("{sender}/out"), &format!("{name}/in"))]);
        }
    }
    Gxe::scheduled(&app).run().clean()
}

#[test]
fn one_message_goes_to_all_connected_receivers() {
    let ended = mesh(&["tx"], &["r1", "r2", "r3"]);
    for name in ["r1", "r2", "r3"] {
        assert_eq!(ended.ticks(name), ["0", "1"], "{name}");
    }
}

#[test]
fn a_full_receiver_costs_the_others_nothing_and_losses_are_counted() {
    let full = "\
---
name: full
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: full, type: gxe::test::Probe, parameters: {receivers: [in]}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 0}}
";
    let pairs = connect(&[("tx/out", "full/in"), ("tx/out", "rx/in")]);
    let app = [&sender("tx", 4), full, &receiver("rx", 1), &pairs].concat();
    let ended = Gxe::scheduled(&app).run().clean();
    assert_eq!(ended.ticks("rx"), ["0", "1", "2", "3"]);
    assert_eq!(ended.count("is lost"), 1, "{}", ended.stdout);
    assert_eq!(ended.count("refused 3 messages of `tx/out` in all"), 1, "{}", ended.stdout);
}

#[test]
fn messages_of_several_senders_meet_in_one_receiver() {
    assert_eq!(mesh(&["t1", "t2", "t3"], &["rx"]).ticks("rx"), ["0 0 0", "1 1 1"]);
}

#[test]
fn many_senders_reach_many_receivers() {
    let ended = mesh(&["t1", "t2"], &["r1", "r2"]);
    for name in ["r1", "r2"] {
        assert_eq!(ended.ticks(name), ["0 0", "1 1"], "{name}");
    }
}

#[test]
fn several_pairs_between_two_entities_do_not_mix() {
    let ended = Gxe::scheduled(
        "\
name: tx
components:
- {name: one, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: two, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {capacity: 2}}
- {name: t1, type: gxe::test::Probe, parameters: {transmitters: [one]}}
- {name: t2, type: gxe::test::Probe, parameters: {transmitters: [two], publish: 2}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
---
name: rx
components:
- {name: one, type: nvidia::gxf::DoubleBufferReceiver}
- {name: two, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 2}}
- {name: r1, type: gxe::test::Probe, parameters: {receivers: [one]}}
- {name: r2, type: gxe::test::Probe, parameters: {receivers: [two]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: one}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/one, target: rx/one}}
- {type: nvidia::gxf::Connection, parameters: {source: tx/two, target: rx/two}}
",
    )
    .run()
    .clean();
    assert_eq!(ended.ticks("r1"), ["0", "1"]);
    assert_eq!(ended.ticks("r2"), ["0 1", "2 3"]);
}

#[test]
fn messages_of_an_unconnected_transmitter_are_dropped() {
    let ended = Gxe::scheduled(&sender("tx", 3)).run().clean();
    assert_eq!(ended.ticks("tx").len(), 3);
}

#[test]
fn min_size_collects_a_batch() {
    let ended = one_to_one(1, 7, "capacity: 3", "min_size: 3").run().clean();
    assert_eq!(ended.ticks("rx"), ["0 1 2", "3 4 5"], "the seventh message stays in the queue");
}

#[test]
fn front_stage_max_size_waits_while_too_much_is_left_over() {
    let app = |limit: &str| {
        let ended = Gxe::scheduled(&format!(
            "\
name: tx
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 3}}}}
- {{name: tx, type: gxe::test::Probe, parameters: {{transmitters: [out], publish: 3}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}
---
name: rx
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 3}}}}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [in], take: 1}}}}
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters: {{receiver: in{limit}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/out, target: rx/in}}}}
"
        ))
        .run()
        .clean();
        ended.ticks("rx")
    };
    assert_eq!(app(""), ["0", "1", "2"]);
    assert_eq!(app(", front_stage_max_size: 1"), ["0"], "two messages are left over");
}

#[test]
fn back_pressure_loses_nothing() {
    // The receiver takes one message per tick, and its queue holds one.
    let ended = Gxe::scheduled(
        "\
name: tx
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: tx, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 4}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: rx
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: rx, type: gxe::test::Probe, parameters: {receivers: [in]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1s}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/out, target: rx/in}}
",
    )
    .run()
    .clean();
    assert_eq!(ended.ticks("rx"), ["0", "1", "2", "3"]);
    assert_eq!(ended.count("is lost"), 0);
}

#[test]
fn routers_and_groups_that_an_app_names_change_nothing() {
    let named = "name: routing
components:
- {type: nvidia::gxf::MessageRouter}
- {type: nvidia::gxf::NetworkRouter}
- {type: nvidia::gxf::RouterGroup}
---
name: systems
components:
- {type: nvidia::gxf::SystemGroup}
";
    let pair = connect(&[("tx/out", "rx/in")]);
    let app = [named, &sender("tx", 2), &receiver("rx", 1), &pair].concat();
    let ended = Gxe::scheduled(&app).run().clean();
    assert_eq!(ended.ticks("rx"), ["0", "1"]);
}

#[test]
fn queues_that_are_connected_twice_get_every_message_once() {
    let app = [
        sender("tx", 3),
        receiver("rx", 1),
        connect(&[("tx/out", "rx/in"), ("tx/out", "rx/in")]),
        "- type: nvidia::gxf::Topic\n  parameters: {topic_name: t, transmitters: [tx/out, tx/out], \
         receivers: [rx/in]}\n"
            .to_owned(),
    ];
    let ended = Gxe::scheduled(&app.concat()).run().with_status(0);
    assert_eq!(ended.ticks("rx"), ["0", "1", "2"]);
    let warnings: Vec<_> = lines_of(&ended.stdout)
        .filter_map(|line| match line {
            Line::Log { level: "WARN", text } => Some(text),
            _ => None,
        })
        .collect();
    assert!(
        matches!(warnings[..], [ignored] if ignored.contains("nvidia::gxf::Connection` at app.yaml:16:10")
            && ignored.contains("is ignored")),
        "{warnings:?}"
    );
}

/// `tx` publishes three messages, one every 5 µs from 1 µs on, acquired 18 µs later; `throttle`
/// has these further components; `rx` logs when what arrives.
fn throttled(components: &str) -> Gxe {
    Gxe::app(&format!(
        "\
name: tx
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- name: tx
  type: gxe::test::Probe
  parameters: {{transmitters: [out], ahead: 18000}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: '5000'}}}}
---
name: throttle
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 10}}}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- name: throttle
  type: nvidia::gxf::TimedThrottler
  parameters:
    transmitter: out
    receiver: in
    execution_clock: scheduler/clock
    throttling_clock: scheduler/clock
    scheduling_term: time
- name: time
  type: nvidia::gxf::TargetTimeSchedulingTerm
  parameters: {{clock: scheduler/clock}}
{components}---
name: rx
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- name: rx
  type: gxe::test::Probe
  parameters: {{receivers: [in], log_time: true, log_stamps: true}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/out, target: throttle/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: throttle/out, target: rx/in}}}}
---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::ManualClock
  parameters: {{initial_timestamp: 1000}}
- {{name: greedy, type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
"
    ))
}

#[test]
fn a_throttler_sends_messages_at_their_acquisition_times() {
    let all = throttled("").run().clean().ticks("rx");
    assert_eq!(all, ["0@19000/19000 at 19000", "1@24000/24000 at 24000", "2@29000/29000 at 29000"]);
    let mail =
        "- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}\n";
    let but_one = throttled(mail).run().clean().ticks("rx");
    assert_eq!(but_one, all[..2], "the last one stays inside");
}

#[test]
fn a_throttler_that_holds_nothing_needs_a_message() {
    let ended = throttled("").args("--param tx/tx/publish=0").run().with_status(5);
    ended.complains("entity `throttle`, component `throttle`");
    ended.complains("GXF_CONTRACT_MESSAGE_NOT_AVAILABLE");
}

#[test]
fn every_published_message_has_a_timestamp_with_its_publication_time() {
    let app = |stamps: bool| {
        let queue = |name| format!("- {{name: {name}, type: nvidia::gxf::DoubleBuffer");
        let (rx, tx) = (queue("in"), queue("out"));
        let app = format!(
            "\
name: source
components:
{tx}Transmitter}}
- name: actor
  type: gxe::test::Actor
  parameters: {{transmitters: [out], first_numbers: [1], stamps: {stamps}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: '5'}}}}
---
name: later
components:
{rx}Receiver}}
{tx}Transmitter}}
- name: actor
  type: gxe::test::Actor
  parameters: {{receivers: [in], transmitters: [out], publishing: Forward, stamps: false}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: '7'}}}}
---
name: sink
components:
{rx}Receiver}}
- {{name: actor, type: gxe::test::Actor, parameters: {{receivers: [in]}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: later/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: later/out, target: sink/in}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::ManualClock, parameters: {{initial_timestamp: 100}}}}
- {{name: greedy, type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
"
        );
        let manifest = format!("{}- libgxf_actor.so\n", gxe_tests::MANIFEST);
        let ended = Gxe::app(&app).file("manifest.yaml", &manifest).run().clean();
        let sink = |line: &&str| line.starts_with("actor sink tick");
        ended.log().into_iter().filter(sink).map(str::to_owned).collect::<Vec<_>>()
    };
    // The second arrives at 107, and was published at 105.
    let expected = ["actor sink tick 100 1@100/100|", "actor sink tick 107 2@105/105|"];
    assert_eq!(app(true), expected);
    assert_eq!(app(false), expected);
}

/// With two stages, a third message would have room.
#[test]
fn a_mock_receiver_has_one_stage() {
    let rx = "---\nname: rx\ncomponents:\n\
              - {name: in, type: nvidia::gxf::test::MockReceiver, parameters: {max_capacity: 2}}\n\
              - {name: rx, type: gxe::test::Probe}\n\
              - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 4}}\n";
    let app = [&sender("tx", 3), rx, &connect(&[("tx/out", "rx/in")])].concat();
    let ended = Gxe::scheduled(&app).run().with_status(5);
    let lost = "is lost: the mock queue holds its `max_capacity` of 2 messages";
    assert_eq!(ended.count(lost), 1, "{}", ended.stdout);
    ended.complains("2 messages were never taken");
}
