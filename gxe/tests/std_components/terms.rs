//! Scheduling terms, and clocks that are moved.

use crate::{connections, entity, manual, sender, succeeds};

#[test]
fn a_batch_is_full_or_its_oldest_message_expires() {
    succeeds(&[
        sender("sender", 3),
        entity(
            "batch",
            "in DoubleBufferReceiver capacity: 10
             rx PingBatchRx signal: in, batch_size: 2, assert_full_batch: false
             steps test::StepCount expected_count: 2
             term ExpiringMessageAvailableSchedulingTerm max_batch_size: 2, \
                max_delay_ns: 25000000, receiver: in, clock: scheduler/clock",
        ),
        connections(&[("sender/out", "batch/in")]),
        manual(),
    ]);
}

#[test]
fn a_period_without_messages_ends_in_a_tick() {
    let term = "in DoubleBufferReceiver
                steps test::StepCount expected_count: 9
                term TERM execution_frequency: 100Hz, receivers: [in], \
                    sampling_mode: SumOfAll, min_sum: 1";
    succeeds(&[
        entity("gxf", &term.replace("TERM", "MessageAvailableFrequencyThrottler")),
        entity("holoscan", &term.replace("TERM", "MultiMessageAvailableTimeoutSchedulingTerm"))
            .replace("gxf::MultiMessageAvailableT", "holoscan::MultiMessageAvailableT"),
        entity(
            "scheduler",
            "clock ManualClock\n greedy GreedyScheduler clock: clock, max_duration_ms: 95",
        ),
    ]);
}

#[test]
fn one_of_several_terms_is_enough() {
    succeeds(&[
        sender("sender", 3),
        entity(
            "either",
            "one DoubleBufferReceiver
             two DoubleBufferReceiver
             rx MultiPingRx receivers: [one, two]
             steps test::StepCount expected_count: 3
             mail_one MessageAvailableSchedulingTerm receiver: one
             mail_two MessageAvailableSchedulingTerm receiver: two
             or OrSchedulingTermCombiner terms: [mail_one, mail_two]",
        ),
        connections(&[("sender/out", "either/two")]),
        manual(),
    ]);
}

#[test]
fn a_synthetic_clock_is_moved_by_a_codelet() {
    let list = "timestamps: [5, 7, 1000]";
    succeeds(&[
        entity("clock", "clock SyntheticClock initial_timestamp: 3"),
        entity(
            "setter",
            &format!(
                "on BooleanSchedulingTerm
                 set test::ClockSetter synthetic_clock: clock/clock, boolean_scheduling_term: on, \
                    {list}
                 steps test::StepCount expected_count: 4"
            ),
        ),
        entity(
            "checker",
            &format!(
                "on BooleanSchedulingTerm
                 check test::ClockChecker synthetic_clock: clock/clock, \
                    boolean_scheduling_term: on, {list}"
            ),
        ),
        manual(),
    ]);
}
