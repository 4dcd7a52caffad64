//! Changes while entities wait, under every scheduler: the states of an
//! `AsynchronousSchedulingTerm`, the speed of a clock.

use gxe_tests::{Ended, Gxe};

const SCHEDULERS: [&str; 7] = [
    "nvidia::gxf::GreedyScheduler, parameters: {clock: clock}",
    "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock}",
    "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock}",
    "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    "nvidia::gxf::EpochScheduler, parameters: {clock: clock}",
    "gxe::test::RoundRobinScheduler, parameters: {clock: clock}",
];

fn run(graph: &str, scheduler: &str) -> Ended {
    let app = format!(
        "{graph}---\nname: scheduler\ncomponents:\n\
         - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n- {{type: {scheduler}}}\n"
    );
    let manifest = format!("{}- libgxf_graph_changer.so\n", gxe_tests::MANIFEST);
    Gxe::app(&app).file("manifest.yaml", &manifest).run().clean()
}

/// Number of ticks, and whether the entity is deadlocked at the end.
fn states(states: &str, more: &str) -> Vec<(usize, bool)> {
    let graph = format!(
        "\
name: a
components:
- {{name: term, type: nvidia::gxf::AsynchronousSchedulingTerm}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 7}}}}
- {{name: a, type: gxe::test::EventSteps, parameters: {{term: term, states: {states}}}}}
{more}"
    );
    let runs = SCHEDULERS.iter().map(|scheduler| {
        let ended = run(&graph, scheduler);
        assert_eq!(ended.probe("a").last(), Some(&"stop"), "{scheduler}: {}", ended.stdout);
        // An extension's scheduler reports nothing.
        let reports = !scheduler.contains("RoundRobin");
        let waits = ended.count("entity `a` is stuck: it waits for `term`") == 1;
        (ended.ticks("a").len(), waits || !reports)
    });
    runs.collect()
}

#[test]
fn each_state_of_an_asynchronous_event_means_what_it_says() {
    const READY: i32 = 0;
    const WAIT: i32 = 1;
    const EVENT_WAITING: i32 = 2;
    const EVENT_DONE: i32 = 3;
    const EVENT_NEVER: i32 = 4;
    let check = |steps: &[i32], more: &str, expected: usize, in_vain: bool| {
        for (scheduler, (ticks, waits)) in
            SCHEDULERS.iter().zip(states(&format!("{steps:?}"), more))
        {
            assert_eq!(ticks, expected, "{scheduler}: {steps:?}");
            if in_vain || !scheduler.contains("RoundRobin") {
                assert_eq!(waits, in_vain, "{scheduler}: {steps:?}");
            }
        }
    };
    check(&[], "", 7, false);
    check(&[READY, EVENT_DONE], "", 7, false);
    // Without a request, no event comes.
    check(&[READY, WAIT], "", 2, true);
    // Each is followed by its event; then the entity is ready until the next request.
    check(&[EVENT_WAITING, EVENT_WAITING, EVENT_DONE, EVENT_WAITING], "", 7, false);
    check(&[READY, EVENT_WAITING, EVENT_NEVER], "", 3, false);
    check(&[EVENT_NEVER], "", 1, false);
    // Another entity sets READY while it waits, and later that it never runs again; each time after
    // a tick, which it notices by a message.
    let other = |states: &[i32]| {
        format!(
            "\
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: sender, type: gxe::test::Probe, parameters: {{transmitters: [out]}}}}
---
name: other
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 7}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {}}}}}
- {{name: taker, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
- {{name: other, type: gxe::test::EventSteps, parameters: {{term: a/term, states: {states:?}}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: a/out, target: other/in}}}}
",
            states.len()
        )
    };
    check(&[WAIT, WAIT, WAIT], &other(&[READY]), 2, true);
    check(&[WAIT, WAIT, WAIT], &other(&[EVENT_DONE, EVENT_NEVER]), 2, false);
}

/// An hour passes at once if the clock runs a billion times faster, for entities that wait for a
/// time and for one that sleeps in its tick.
#[test]
fn a_clock_that_changes_its_speed_wakes_who_sleeps() {
    let graph = "\
name: hourly
components:
- {name: hourly, type: gxe::test::Probe}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 3600s}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 4}}
---
name: changer
components:
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
- type: gxe::test::SpeedStep
  parameters: {clock: scheduler/clock, at_tick: 3, scale: 1.0e+9}
";
    let sleeper = "\
---
name: sleeper
components:
- name: sleeper
  type: gxe::test::Probe
  parameters: {clock: scheduler/clock, first_sleep: 3600000000000}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
";
    for scheduler in SCHEDULERS {
        let ended = run(graph, scheduler);
        assert_eq!(ended.ticks("hourly").len(), 4, "{scheduler}");
        // The changer needs a worker of its own in the meantime.
        if scheduler.contains("worker_thread_number: 2") {
            let ended = run(&format!("{graph}{sleeper}"), scheduler);
            assert_eq!(ended.ticks("sleeper").len(), 2, "{scheduler}");
        }
    }
}

#[test]
fn an_execution_that_would_wait_for_itself_is_refused() {
    let entity = |name: &str, other: &str| {
        format!(
            "\
name: {name}
components:
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
- {{type: gxe::test::Executor, parameters: {{other: {other}}}}}
"
        )
    };
    for scheduler in SCHEDULERS {
        let own = run(&entity("a", "a"), scheduler);
        let refused = "a was refused: entity `a` cannot be executed from within this tick, for whose \
                       end it waits itself";
        assert_eq!(own.count(refused), 1, "{scheduler}: {}", own.stdout);
        // The first one to run executes the other, which starts or is refused.
        let both = run(&format!("{}---\n{}", entity("a", "b"), entity("b", "a")), scheduler);
        let executed = both.count("a executed b") + both.count("b executed a");
        assert!(executed >= 1, "{scheduler}: {}", both.stdout);
        assert_eq!(executed + both.count(" was refused: "), 2, "{scheduler}: {}", both.stdout);
    }
}
