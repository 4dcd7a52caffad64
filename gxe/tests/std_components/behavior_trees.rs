//! Behaviour trees.

use crate::{entity, fails_with, manual, succeeds};

/// A node of a behaviour tree; its counter stands before the codelet, so it counts failures, too.
fn node(name: &str, ticks: u32, repeats: u32, codelet: &str) -> String {
    entity(
        name,
        &format!(
            "term BTSchedulingTerm is_root: {}
             control EntityCountFailureRepeatController max_repeat_count: {repeats}
             steps test::StepCount expected_count: {ticks}, expected_start_count: 1
             node {codelet}, s_term: term",
            name == "root"
        ),
    )
}

fn constant(name: &str, ticks: u32, status: u32) -> String {
    node(name, ticks, 0, &format!("ConstantBehavior constant_status: {status}"))
}

#[test]
fn a_sequence_goes_on_after_success() {
    // The root ticks once to begin and once after each child; it does not poll.
    succeeds(&[
        node("root", 4, 0, "SequenceBehavior children: [a/term, pause/term, c/term]"),
        constant("a", 1, 0),
        node("pause", 2, 0, "TimerBehavior clock: scheduler/clock, delay: 60.0, switch_status: 0"),
        constant("c", 1, 0),
        manual(),
    ]);
    succeeds(&[
        node("root", 2, 0, "SequenceBehavior children: [a/term, b/term]"),
        constant("a", 1, 1),
        constant("b", 0, 0),
        manual(),
    ]);
}

#[test]
fn a_selector_goes_on_after_failure() {
    succeeds(&[
        node("root", 3, 0, "SelectorBehavior children: [a/term, b/term, c/term]"),
        constant("a", 1, 1),
        constant("b", 1, 0),
        constant("c", 0, 0),
        manual(),
    ]);
}

#[test]
fn a_switch_runs_one_child() {
    let switch = "SwitchBehavior children: [a/term, b/term], desired_behavior: 1";
    succeeds(&[node("root", 2, 0, switch), constant("a", 0, 0), constant("b", 1, 0), manual()]);
    fails_with(
        &[
            node("root", 0, 0, "SwitchBehavior children: [a/term], desired_behavior: 1"),
            constant("a", 0, 0),
            manual(),
        ],
        "`desired_behavior` is 1, and there is 1 child",
    );
}

#[test]
fn failures_repeat_a_number_of_times() {
    succeeds(&[node("root", 3, 2, "ConstantBehavior constant_status: 1"), manual()]);
}

#[test]
fn parallel_children_run_together_and_end_together() {
    succeeds(&[
        node(
            "root",
            3,
            0,
            "ParallelBehavior children: [a/term, b/term, long/term], success_threshold: 2, \
                failure_threshold: -1",
        )
        .replace("expected_count: 3", "expected_count: 2"),
        constant("a", 1, 0),
        constant("b", 1, 0),
        node("long", 1, 0, "TimerBehavior clock: scheduler/clock, delay: 60.0, switch_status: 0"),
        manual(),
    ]);
}

#[test]
fn a_child_can_be_repeated_after_success_and_after_deactivation() {
    let scheduler = entity(
        "scheduler",
        "clock ManualClock\n greedy GreedyScheduler clock: clock, max_duration_ms: 3500",
    );
    let timer = |status| {
        format!("TimerBehavior clock: scheduler/clock, delay: 1.0, switch_status: {status}")
    };
    let repeat =
        |again| format!("RepeatBehavior children: [child/term], repeat_after_failure: {again}");
    succeeds(&[
        node("root", 4, 0, &repeat(true)),
        node("child", 7, 0, &timer(0)),
        scheduler.clone(),
    ]);
    succeeds(&[
        node("root", 4, 0, &repeat(true)),
        node("child", 7, 0, &timer(1))
            .replace("expected_start_count: 1", "expected_start_count: 4"),
        scheduler,
    ]);
    succeeds(&[node("root", 2, 0, &repeat(false)), node("child", 2, 0, &timer(1)), manual()]);
}

#[test]
fn a_child_without_a_controller_is_named_as_the_problem() {
    fails_with(
        &[
            node("root", 0, 0, "SequenceBehavior children: [leaf/term]"),
            entity("leaf", "term BTSchedulingTerm is_root: false\n steps test::StepCount"),
            manual(),
        ],
        "the entity of a child has no controller",
    );
}
