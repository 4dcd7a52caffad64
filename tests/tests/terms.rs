//! Scheduling terms, clocks, and the ends of a run.
//!
//! Times are those of a manual clock, so they are exact.

use gxe_tests::{Ended, Gxe, MANIFEST};

/// The times of a probe's ticks in milliseconds.
fn times(ended: &Ended, name: &str) -> Vec<i64> {
    let ticks = ended.ticks(name);
    let nanoseconds = ticks.iter().map(|tick| tick.strip_prefix("at ").expect("a time"));
    nanoseconds.map(|time| time.parse::<i64>().unwrap()).map(|time| time / 1_000_000).collect()
}

/// One probe that logs its times, with further components and parameters of the scheduler.
fn probe(components: &str, scheduler: &str) -> Gxe {
    Gxe::app(&format!(
        "\
name: a
components:
- {{name: p, type: gxe::test::Probe, parameters: {{log_time: true, clock: scheduler/clock}}}}
{components}---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::ManualClock}}
- {{name: greedy, type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock{scheduler}}}}}
"
    ))
}

const EVERY_SECOND: &str =
    "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1s}}\n";

#[test]
fn a_count_ends_the_entity() {
    let count = |count: i64| {
        let term = format!(
            "- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}\n\
             {EVERY_SECOND}"
        );
        times(&probe(&term, ", max_duration_ms: 4500").run().clean(), "p")
    };
    assert_eq!(count(2), [0, 1000]);
    assert_eq!(count(-1), [0, 1000, 2000, 3000, 4000], "a negative count never ends");
}

#[test]
fn a_combiner_tells_its_terms_of_every_tick() {
    let either = |terms: &str| {
        let all =
            "- {type: nvidia::gxf::OrSchedulingTermCombiner, parameters: {terms: [one, two]}}";
        let app = probe(&format!("{terms}{all}\n"), ", max_duration_ms: 45");
        times(&app.run().clean(), "p")
    };
    let period = "parameters: {recess_period: 10ms}";
    let periods = format!(
        "- {{name: one, type: nvidia::gxf::PeriodicSchedulingTerm, {period}}}
- {{name: two, type: nvidia::gxf::PeriodicSchedulingTerm, {period}}}
"
    );
    assert_eq!(either(&periods), [0, 10, 20, 30, 40], "a period moves on");
    let count = format!(
        "- {{name: one, type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
- {{name: two, type: nvidia::gxf::PeriodicSchedulingTerm, {period}}}
"
    );
    assert_eq!(either(&count), [0, 0, 0], "a count counts, and ends the entity");
    let grid = "\
- {name: one, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 4ms}}
- name: two
  type: nvidia::gxf::PeriodicSchedulingTerm
  parameters: {recess_period: 10ms, policy: NoCatchUpMissedTicks}
";
    let times = either(grid);
    assert_eq!(times[..7], [0, 4, 8, 10, 16, 20, 24], "early ticks leave the next one where it is");
}

#[test]
fn policies_of_a_period_differ_in_what_becomes_of_missed_ticks() {
    // The first tick takes 25 ms, two periods and a half.
    let times = |policy: &str| {
        let ended = probe(
            &format!(
                "\
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 5}}}}
- type: nvidia::gxf::PeriodicSchedulingTerm
  parameters: {{recess_period: 100Hz, policy: {policy}}}
"
            ),
            "",
        )
        .args("--param a/p/first_sleep=25000000")
        .run()
        .clean();
        times(&ended, "p")
    };
    assert_eq!(times("CatchUpMissedTicks"), [0, 25, 25, 30, 40]);
    assert_eq!(times("MinTimeBetweenTicks"), [0, 25, 35, 45, 55]);
    assert_eq!(times("NoCatchUpMissedTicks"), [0, 25, 30, 40, 50]);
}

#[test]
fn a_period_is_written_in_all_of_gxfs_ways() {
    for (period, milliseconds) in
        [("50000000", 50), ("50ms", 50), ("'50 ms'", 50), ("2s", 2000), ("4hz", 250), ("10Hz", 100)]
    {
        let ended = probe(
            &format!(
                "\
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: {period}}}}}
"
            ),
            "",
        )
        .run()
        .clean();
        assert_eq!(times(&ended, "p"), [0, milliseconds, 2 * milliseconds], "{period}");
    }
}

#[test]
fn a_target_time_is_waited_for() {
    let ended = probe(
        "\
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: term, type: nvidia::gxf::TargetTimeSchedulingTerm, parameters: {clock: scheduler/clock}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
- type: nvidia::gxf::test::ScheduledPingTx
  parameters: {delay: 7000000, execution_clock: scheduler/clock, signal: out, scheduling_term: term}
",
        "",
    )
    .run()
    .clean();
    assert_eq!(times(&ended, "p"), [0, 7, 14]);
}

#[test]
fn a_codelet_switches_its_entity_off() {
    let ended = Gxe::scheduled(
        "\
name: a
components:
- {name: p, type: gxe::test::Probe, parameters: {switch: switch, switch_off_at_tick: 2}}
- {name: switch, type: nvidia::gxf::BooleanSchedulingTerm}
",
    )
    .run()
    .clean();
    assert_eq!(ended.probe("p"), ["initialize", "start", "tick", "tick", "stop", "deinitialize"]);
}

#[test]
fn terms_are_combined_by_and() {
    // The period alone would continue for ever, the messages alone would make it tick at once.
    let ended = probe(
        &format!(
            "\
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 5}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
{EVERY_SECOND}---
name: tx
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 3}}}}
- {{name: tx, type: gxe::test::Probe, parameters: {{transmitters: [out], publish: 3}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/out, target: a/in}}}}
"
        ),
        "",
    )
    .args("--param a/p/receivers=[in] --param a/p/take=1")
    .run()
    .clean();
    assert_eq!(ended.ticks("p"), ["0 at 0", "1 at 1000000000", "2 at 2000000000"]);
}

/// A receiver of two queues from two senders, which send 1 and 2 messages in each of three ticks.
fn two_queues(term: &str) -> Vec<String> {
    let ended = Gxe::scheduled(&format!(
        "\
name: tx
components:
- {{name: one, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: two, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 2}}}}
- {{name: t1, type: gxe::test::Probe, parameters: {{transmitters: [one]}}}}
- {{name: t2, type: gxe::test::Probe, parameters: {{transmitters: [two], publish: 2}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
---
name: rx
components:
- {{name: one, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 9}}}}
- {{name: two, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 9}}}}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [one, two]}}}}
- type: nvidia::gxf::MultiMessageAvailableSchedulingTerm
  parameters: {{receivers: [one, two], {term}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/one, target: rx/one}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/two, target: rx/two}}}}
"
    ))
    .run()
    .clean();
    ended.ticks("rx")
}

#[test]
fn several_receivers_are_counted_together_or_each() {
    let each_tick = ["0 0 1", "1 2 3", "2 4 5"];
    assert_eq!(two_queues(""), each_tick);
    assert_eq!(two_queues("min_size: 3"), each_tick);
    assert_eq!(two_queues("min_size: 4"), ["0 1 0 1 2 3"], "six messages after two ticks");
    assert_eq!(two_queues("min_sum: 4"), ["0 1 0 1 2 3"]);
    assert_eq!(two_queues("min_size: 9"), ["0 1 2 0 1 2 3 4 5"]);
    assert_eq!(two_queues("min_size: 10"), [""; 0]);
    let per_receiver =
        |sizes: &str| two_queues(&format!("sampling_mode: PerReceiver, min_sizes: {sizes}"));
    assert_eq!(per_receiver("[1, 2]"), each_tick);
    assert_eq!(per_receiver("[2, 2]"), ["0 1 0 1 2 3"]);
    assert_eq!(per_receiver("[1, 5]"), ["0 1 2 0 1 2 3 4 5"]);
}

#[test]
fn a_thread_of_an_extension_wakes_its_entity() {
    let ended = Gxe::app(
        "\
name: tx
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: term, type: nvidia::gxf::AsynchronousSchedulingTerm}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
- type: nvidia::gxf::test::AsyncPingTx
  parameters: {signal: out, scheduling_term: term, delay: 1, count: 5}
---
name: rx
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: term, type: nvidia::gxf::AsynchronousSchedulingTerm}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}
- type: nvidia::gxf::test::AsyncPingRx
  parameters: {signal: in, scheduling_term: term, delay: 0}
- {name: rx, type: gxe::test::Probe}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/out, target: rx/in}}
---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
",
    )
    .run()
    .clean();
    assert_eq!(ended.ticks("rx").len(), 5);
}

const POLLED: &str = "\
- {type: gxe::test::PolledTerm, parameters: {waits: 3}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
";

#[test]
fn a_term_that_announces_nothing_is_asked_once_a_recession_period() {
    let ended = probe(POLLED, ", check_recession_period_ms: 2.0").run().clean();
    // The documentation of GXF has this name, too.
    let other = probe(POLLED, ", check_recess_period_ms: 2.0").run().clean();
    assert_eq!(times(&other, "p"), times(&ended, "p"));
    assert_eq!(times(&ended, "p"), [6, 12]);
}

#[test]
fn such_a_term_is_asked_while_another_that_would_do_waits_for_an_event() {
    // The event comes long after the end.
    let either = "\
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: event, type: nvidia::gxf::AsynchronousSchedulingTerm}
- {name: polled, type: gxe::test::PolledTerm, parameters: {waits: 3}}
- {type: nvidia::gxf::OrSchedulingTermCombiner, parameters: {terms: [event, polled]}}
- type: nvidia::gxf::test::AsyncPingTx
  parameters: {signal: out, scheduling_term: event, delay: 600000}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
";
    let scheduler = ", check_recession_period_ms: 2.0, max_duration_ms: 20";
    assert_eq!(times(&probe(either, scheduler).run().clean(), "p"), [0, 6]);
}

#[test]
fn without_a_recession_period_waiting_for_such_a_term_is_a_deadlock() {
    let ended = probe(POLLED, "").run().clean();
    assert_eq!(times(&ended, "p"), [0; 0]);
    assert_eq!(ended.count("Some entities are waiting for execution"), 1);

    let ended = probe(POLLED, ", stop_on_deadlock: false").run().clean();
    assert_eq!(times(&ended, "p").len(), 2, "it is asked all the time");
}

#[test]
fn a_deadlock_is_looked_at_again_after_its_timeout() {
    let once = "- {type: gxe::test::PolledTerm, parameters: {waits: 1}}\n\
                - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}\n";
    let ended = probe(once, ", stop_on_deadlock_timeout: 40").run().clean();
    assert_eq!(times(&ended, "p"), [40]);
}

#[test]
fn a_deadlock_does_not_end_the_run_when_it_shall_not() {
    let wait = "- {type: nvidia::gxf::test::WaitSchedulingTerm}\n";
    // Without the maximum duration these would never end.
    for scheduler in ["stop_on_deadlock: false", "stop_on_deadlock_timeout: -1"] {
        let ended = probe(wait, &format!(", {scheduler}, max_duration_ms: 100")).run().clean();
        assert_eq!(ended.count("Some entities are waiting for execution"), 0, "{scheduler}");
        assert_eq!(ended.probe("p"), ["initialize", "start", "stop", "deinitialize"]);
    }
    let ended = probe(wait, "").run().clean();
    assert_eq!(ended.count("Some entities are waiting for execution"), 1);
}

#[test]
fn the_maximum_duration_ends_the_run_with_success() {
    let ended = probe(EVERY_SECOND, ", max_duration_ms: 3000").run().clean();
    assert_eq!(times(&ended, "p"), [0, 1000, 2000, 3000]);
    assert_eq!(ended.probe("p")[6..], ["stop", "deinitialize"]);
}

#[test]
fn a_run_on_a_manual_clock_is_repeatable() {
    let run = || {
        let mut app = String::new();
        for (name, period) in [("a", 3), ("b", 5), ("c", 7)] {
            app += &format!(
                "---\nname: {name}\ncomponents:\n\
                 - {{name: {name}, type: gxe::test::Probe, parameters: {{log_time: true}}}}\n\
                 - type: nvidia::gxf::PeriodicSchedulingTerm\n  \
                   parameters: {{recess_period: {period}ms}}\n\
                 - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 40}}}}\n"
            );
        }
        Gxe::scheduled(&app).run().clean()
    };
    let (first, second) = (run(), run());
    assert_eq!(first.probes().len(), 3 * (40 + 4));
    assert_eq!(first.log(), second.log());
}

#[test]
fn clocks_begin_where_they_are_told() {
    let ended = probe(EVERY_SECOND, ", max_duration_ms: 1000")
        .args("--param scheduler/clock/initial_timestamp=5000000000")
        .run()
        .clean();
    assert_eq!(times(&ended, "p"), [5000, 6000]);

    let realtime = "\
name: a
components:
- {name: p, type: gxe::test::Probe, parameters: {log_time: true}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
  parameters: {initial_time_offset: 1.0e6}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let ended = Gxe::app(realtime).run().clean();
    let seconds = times(&ended, "p")[0] / 1000;
    assert!((1_000_000..2_000_000).contains(&seconds), "{seconds}");
}

#[test]
fn a_scaled_clock_runs_faster() {
    // A day of this clock is less than a tenth of a second; unscaled, the run would not end in
    // time.
    let ended = Gxe::app(
        "\
name: a
components:
- {name: p, type: gxe::test::Probe}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 21600s}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}
---
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
  parameters: {initial_time_scale: 1.0e6}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
",
    )
    .run()
    .clean();
    assert_eq!(ended.ticks("p").len(), 5);
}

/// As in GXF, which checks all entities in every sweep: the time does not advance to the target of
/// an entity whose other term lost what it needs after its check.
#[test]
fn a_target_without_room_does_not_move_the_time() {
    let graph = "\
name: late
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: late, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- type: nvidia::gxf::MessageAvailableFrequencyThrottler
  parameters: {receivers: [in], execution_frequency: 1ms, sampling_mode: SumOfAll, min_sum: 1}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: filler
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: filler, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
---
name: polled
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: polled, type: gxe::test::Probe, parameters: {log_time: true, clock: scheduler/clock}}
- {type: gxe::test::PolledDelay, parameters: {delay: 1000000}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: late/out, target: polled/in}}
- {type: nvidia::gxf::Connection, parameters: {source: filler/out, target: polled/in}}
";
    let manifest = format!("{MANIFEST}- libgxf_actor.so\n");
    let gxe = Gxe::scheduled(graph).file("manifest.yaml", &manifest);
    let ended = gxe.run().with_status(0);
    assert_eq!(times(&ended, "polled"), [0]);
    assert_eq!(ended.ticks("late"), [""; 0]);
}

/// The same without a polled term: nothing more can happen, so the run does not continue until its
/// maximum duration.
#[test]
fn a_target_without_room_is_no_reason_to_go_on() {
    let graph = "\
name: periodic
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: periodic, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10s}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: full
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: full, type: gxe::test::Probe, parameters: {receivers: [in]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in, min_size: 1}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
---
name: filler
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: filler, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: periodic/out, target: full/in}}
- {type: nvidia::gxf::Connection, parameters: {source: filler/out, target: full/in}}
---
components:
- {name: clock, type: nvidia::gxf::ManualClock}
- type: nvidia::gxf::GreedyScheduler
  parameters: {clock: clock, max_duration_ms: 1000, stop_on_deadlock: true}
";
    let ended = Gxe::app(graph).run().clean();
    assert_eq!(ended.count("no periodic or async entities to get out of the deadlock"), 1);
}

/// Memory that one entity frees is available to later ones in the same sweep.
#[test]
fn memory_that_becomes_free_wakes_whoever_is_next() {
    let graph = "\
name: taker
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: actor, type: gxe::test::Actor, parameters: {receivers: [in]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in, min_size: 1}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1ms}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
---
name: maker
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 2, block_size: 64, num_blocks: 1}}
- {type: nvidia::gxf::MemoryAvailableSchedulingTerm, parameters: {allocator: pool, min_blocks: 1}}
- name: actor
  type: gxe::test::Actor
  parameters: {transmitters: [out], first_numbers: [0], pool: pool, carry: true}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: maker/out, target: taker/in}}
";
    let manifest = format!("{MANIFEST}- libgxf_actor.so\n");
    let ended = Gxe::scheduled(graph).file("manifest.yaml", &manifest).run().clean();
    let log = ended.log();
    let calls: Vec<_> = log.iter().filter_map(|line| line.strip_prefix("actor ")).collect();
    let last = ["taker tick 1000000 1@0/0|", "maker tick 1000000 ", "taker stop", "maker stop"];
    assert_eq!(calls[calls.len() - 4..], last);
}

/// Published apps have such a pool, whose size a program sets later.
#[test]
fn a_pool_whose_blocks_have_no_size_is_accepted() {
    let pool = "- {type: nvidia::gxf::BlockMemoryPool, \
                parameters: {storage_type: 2, block_size: 0, num_blocks: 1}}\n\
                - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}\n";
    assert_eq!(times(&probe(pool, "").run().clean(), "p"), [0]);
}
