//! The report of a deadlock, and when a deadlock ends the run.

use gxe_tests::{Gxe, MANIFEST, SCHEDULER};

const DEADLOCK: &str = "Scheduler stopped: Some entities are waiting for execution";

#[test]
fn memory_that_never_comes_is_named_with_its_allocator() {
    let ended = Gxe::scheduled(
        "\
name: hoarder
components:
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {block_size: 64, num_blocks: 2}}
---
name: user
components:
- name: memory
  type: nvidia::gxf::MemoryAvailableSchedulingTerm
  parameters: {allocator: hoarder/pool, min_blocks: 3}
- {name: p, type: gxe::test::Probe}
",
    )
    .run()
    .clean();
    assert_eq!(ended.count(DEADLOCK), 1, "{}", ended.stdout);
    let text = "entity `user` is stuck: it waits for memory of `hoarder/pool` (term `memory`)";
    assert!(ended.log().contains(&text), "{}", ended.stdout);
}

/// A node of a behaviour tree.
fn node(name: &str, codelet: &str) -> String {
    format!(
        "\
---
name: {name}
components:
- {{name: term, type: nvidia::gxf::BTSchedulingTerm, parameters: {{is_root: {}}}}}
- {{type: nvidia::gxf::EntityCountFailureRepeatController, parameters: {{max_repeat_count: 0}}}}
- {codelet}
",
        name == "root"
    )
}

#[test]
fn nodes_of_a_tree_that_rest_are_not_stuck() {
    let selector = "{type: nvidia::gxf::SelectorBehavior, \
                    parameters: {children: [plan/term, spare/term], s_term: term}}";
    // The root ends with its first child, so the spare one is never armed.
    let tree = node("root", selector)
        + &node("plan", "{name: plan, type: gxe::test::Probe}")
        + &node("spare", "{name: spare, type: gxe::test::Probe}");
    let stuck = "\
---
name: waits
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: mail, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {name: p, type: gxe::test::Probe}
";
    let manifest = format!("{MANIFEST}- libgxf_behavior_tree.so\n");
    for (graph, expected) in [(tree.clone(), 0), (tree + stuck, 1)] {
        let ended = Gxe::app(&(graph + SCHEDULER))
            .file("manifest.yaml", &manifest)
            .args("--severity debug")
            .run()
            .clean();
        assert!(ended.probe("plan").contains(&"tick"), "{}", ended.stdout);
        assert!(!ended.probe("spare").contains(&"tick"), "{}", ended.stdout);
        assert_eq!(ended.count(DEADLOCK), 1, "{}", ended.stdout);
        assert_eq!(ended.count("entity `spare` waits for `term`"), 1, "{}", ended.stdout);
        assert_eq!(ended.count("is stuck"), expected, "{}", ended.stdout);
        assert_eq!(ended.count("entity `waits` is stuck"), expected, "{}", ended.stdout);
    }
}

/// One probe whose term says WAIT several times before each of two ticks, and announces nothing.
fn polled(waits: u32, scheduler: &str) -> gxe_tests::Ended {
    Gxe::app(&format!(
        "\
name: a
components:
- {{type: gxe::test::PolledTerm, parameters: {{waits: {waits}}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
- {{name: p, type: gxe::test::Probe}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::{scheduler}}}
"
    ))
    .run()
    .clean()
}

#[test]
fn a_negative_timeout_means_never() {
    let patient = |kind: &str, timeout: i64, workers: u32| {
        let scheduler = format!(
            "{kind}, parameters: {{clock: clock, stop_on_deadlock_timeout: {timeout}, \
             worker_thread_number: {workers}}}"
        );
        // Polled every 5 ms, the default period of both.
        let ended = polled(20, &scheduler);
        let ticks = ended.probe("p").iter().filter(|call| **call == "tick").count();
        (ticks, ended.count(DEADLOCK))
    };
    for workers in [1, 2] {
        // A deadlock ends the run after the period and the time-out, before the term says READY.
        assert_eq!(patient("MultiThreadScheduler", 0, workers), (0, 1));
        assert_eq!(patient("MultiThreadScheduler", -1, workers), (2, 0));
        assert_eq!(patient("MultiThreadScheduler", 60_000, workers), (2, 0));
        assert_eq!(patient("EventBasedScheduler", 0, workers), (0, 1));
        assert_eq!(patient("EventBasedScheduler", -1, workers), (2, 0));
        assert_eq!(patient("EventBasedScheduler", 60_000, workers), (2, 0));
    }
}

#[test]
fn waiting_without_a_polled_term_ends_as_the_timeout_says() {
    let wait = "- {type: nvidia::gxf::test::WaitSchedulingTerm}\n";
    for (kind, timeout, ends) in [
        ("GreedyScheduler", 0, true),
        ("GreedyScheduler", -1, false),
        ("MultiThreadScheduler", 0, true),
        ("MultiThreadScheduler", -1, false),
        ("EventBasedScheduler", 0, true),
        ("EventBasedScheduler", -1, false),
    ] {
        // If a deadlock ends the run, it does so long before the maximum duration.
        let longest = if ends { 86_400_000 } else { 20 };
        let ended = Gxe::app(&format!(
            "name: a\ncomponents:\n{wait}- {{name: p, type: gxe::test::Probe}}\n---\ncomponents:\n\
             - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
             - {{type: nvidia::gxf::{kind}, parameters: {{clock: clock, \
                stop_on_deadlock_timeout: {timeout}, max_duration_ms: {longest}}}}}\n"
        ))
        .run()
        .clean();
        assert_eq!(ended.count(DEADLOCK), usize::from(ends), "{kind} {timeout}: {}", ended.stdout);
    }
}

#[test]
fn the_maximum_duration_is_time_of_the_schedulers_clock() {
    for (kind, more) in [
        ("GreedyScheduler", ""),
        ("MultiThreadScheduler", ", worker_thread_number: 2"),
        ("EventBasedScheduler", ""),
        ("EventBasedScheduler", ", worker_thread_number: 8"),
    ] {
        let ended = Gxe::app(&format!(
            "name: a\ncomponents:\n\
             - {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 10ms}}}}\n\
             - {{name: p, type: gxe::test::Probe}}\n---\ncomponents:\n\
             - {{name: clock, type: nvidia::gxf::ManualClock}}\n\
             - {{type: nvidia::gxf::{kind}, parameters: {{clock: clock, max_duration_ms: 100{more}}}}}\n"
        ))
        .run()
        .clean();
        let ticks = ended.probe("p").iter().filter(|call| **call == "tick").count();
        assert_eq!(ticks, 11, "{kind}{more}");
    }
}

/// A time beyond all that a clock reaches never comes, so nobody waits for it.
#[test]
fn a_time_that_never_comes_is_a_deadlock() {
    for scheduler in ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"] {
        let app = format!(
            "\
name: a
components:
- {{name: period, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 5000000000000000000}}}}
- {{name: p, type: gxe::test::Probe}}
---
name: s
components:
- {{name: clock, type: nvidia::gxf::ManualClock}}
- {{type: nvidia::gxf::{scheduler}, parameters: {{clock: clock}}}}
"
        );
        let ended = Gxe::app(&app).run().clean();
        assert_eq!(ended.count(DEADLOCK), 1, "{scheduler}: {}", ended.stdout);
    }
}

/// Messages that nobody takes any more, because the other ones of a pair do not come, are a deadlock;
/// those that an entity has ended without are not.
#[test]
fn a_sender_behind_a_queue_that_nobody_empties_is_stuck() {
    let sender = |name: &str, count: u32| {
        format!(
            "\
name: {name}
components:
- {{name: tx, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: {name}, type: gxe::test::Probe, parameters: {{transmitters: [tx]}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: tx}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
---
"
        )
    };
    let connected = |source: &str, target: &str| {
        format!(
            "---\ncomponents:\n- {{type: nvidia::gxf::Connection, \
             parameters: {{source: {source}, target: {target}}}}}\n"
        )
    };
    let join = "\
name: join
components:
- {name: a, type: nvidia::gxf::DoubleBufferReceiver}
- {name: b, type: nvidia::gxf::DoubleBufferReceiver}
- {name: join, type: gxe::test::Probe, parameters: {receivers: [a, b]}}
- type: nvidia::gxf::MultiMessageAvailableSchedulingTerm
  parameters: {receivers: [a, b], sampling_mode: PerReceiver, min_sizes: [1, 1]}
";
    let pair = sender("fast", 4)
        + &sender("short", 1)
        + join
        + &connected("fast/tx", "join/a")
        + &connected("short/tx", "join/b");
    let ended = Gxe::scheduled(&pair).run().clean();
    assert_eq!(ended.count("is stuck"), 1, "{}", ended.stdout);
    let text = "entity `fast` is stuck: it waits for room behind `fast/tx`: `join/a` holds 1 of 1";
    assert_eq!(ended.count(text), 1, "{}", ended.stdout);

    let chain = sender("source", 10)
        + "\
name: between
components:
- {name: rx, type: nvidia::gxf::DoubleBufferReceiver}
- {name: tx, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: between, type: gxe::test::Probe, parameters: {receivers: [rx], transmitters: [tx]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: rx}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: tx}}
---
name: sink
components:
- {name: rx, type: nvidia::gxf::DoubleBufferReceiver}
- {name: sink, type: gxe::test::Probe, parameters: {receivers: [rx]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: rx}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
" + &connected("source/tx", "between/rx")
        + &connected("between/tx", "sink/rx");
    let ended = Gxe::scheduled(&chain).run().clean();
    assert_eq!(ended.count(DEADLOCK), 1, "{}", ended.stdout);
    assert_eq!(ended.count("is stuck"), 0, "{}", ended.stdout);
}
