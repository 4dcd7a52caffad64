//! Behaviour trees: the same under every scheduler.

use gxe_tests::build::library;
use gxe_tests::differential::engine;
use gxe_tests::{Ended, Gxe, MANIFEST};
use gxf_runtime::Context;

const SCHEDULERS: [&str; 4] = [
    "nvidia::gxf::GreedyScheduler, parameters: {clock: clock",
    "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 1",
    "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 1",
    "gxe::ActorScheduler, parameters: {clock: clock",
];

/// A node that lets this number of failures repeat: a probe of its name, with parameters, and
/// another codelet.
fn node(name: &str, repeats: u32, probe: &str, codelet: &str) -> String {
    format!(
        "\
---
name: {name}
components:
- {{name: t, type: nvidia::gxf::BTSchedulingTerm, parameters: {{is_root: {}}}}}
- type: nvidia::gxf::EntityCountFailureRepeatController
  parameters: {{max_repeat_count: {repeats}}}
- {{name: {name}, type: gxe::test::Probe, parameters: {{{probe}}}}}
{codelet}
",
        name == "root"
    )
}

/// A codelet of the extension, for [`node`].
fn codelet(name: &str, parameters: &str) -> String {
    format!("- {{type: nvidia::gxf::{name}Behavior, parameters: {{s_term: t, {parameters}}}}}")
}

fn timer(delay: f64) -> String {
    codelet("Timer", &format!("clock: s/clock, delay: {delay}, switch_status: 0"))
}

fn run(nodes: &[String], clock: &str, scheduler: &str) -> Ended {
    let nodes = nodes.concat();
    let manifest = format!("{MANIFEST}- libgxf_behavior_tree.so\n");
    let app = format!(
        "\
{nodes}---
name: s
components:
- {{name: clock, type: nvidia::gxf::{clock}}}
- {{type: {scheduler}}}}}
"
    );
    Gxe::app(&app).file("manifest.yaml", &manifest).run().clean()
}

const TIMED: &str = "log_time: true";

#[test]
fn a_node_that_is_ended_and_armed_again_at_once_is_stopped_in_between() {
    let nodes = [
        node("root", 0, TIMED, &codelet("Repeat", "children: [p/t], repeat_after_failure: false")),
        node(
            "p",
            0,
            "",
            &codelet(
                "Parallel",
                "children: [x/t, z/t], success_threshold: 1, failure_threshold: -1",
            ),
        ),
        node("x", 0, "", &timer(0.02)),
        node("z", 0, TIMED, &timer(0.05)),
    ];
    for scheduler in SCHEDULERS {
        let ended = run(&nodes, "ManualClock", &format!("{scheduler}, max_duration_ms: 50"));
        let times = ["tick at 0", "tick at 20000000", "tick at 40000000"];
        let ticks = ended.probe("root").into_iter().filter(|call| call.starts_with("tick"));
        assert_eq!(ticks.collect::<Vec<_>>(), times, "{scheduler}: {}", ended.stdout);
        let rounds = times.iter().flat_map(|tick| ["start", *tick, "stop"]);
        let expected: Vec<_> =
            ["initialize"].into_iter().chain(rounds).chain(["deinitialize"]).collect();
        assert_eq!(ended.probe("z"), expected, "{scheduler}: {}", ended.stdout);
    }
}

#[test]
fn a_node_that_is_ended_during_its_tick_does_not_tick_again() {
    // `slow` is in its tick when `fast` ends the tree; it would tick until the maximum duration.
    let nodes = [
        node(
            "root",
            0,
            "",
            &codelet(
                "Parallel",
                "children: [slow/t, fast/t], success_threshold: 1, failure_threshold: -1",
            ),
        ),
        node(
            "slow",
            0,
            "clock: s/clock, first_sleep: 100000000",
            &codelet("Timer", "clock: s/clock, delay: 1.0, switch_status: 2"),
        ),
        node("fast", 0, "", &timer(0.03)),
    ];
    for scheduler in ["MultiThreadScheduler", "EventBasedScheduler"] {
        let scheduler = format!(
            "nvidia::gxf::{scheduler}, parameters: \
             {{clock: clock, worker_thread_number: 2, max_duration_ms: 5000"
        );
        let ended = run(&nodes, "RealtimeClock", &scheduler);
        assert!(ended.count("probe slow tick") <= 1, "{}", ended.stdout);
    }
}

#[test]
fn a_failure_that_is_repeated_at_once_is_seen() {
    let nodes = [
        node("root", 0, "", &codelet("Sequence", "children: [x/t, y/t]")),
        node("x", 1, "fail_in: tick, trouble_at_tick: 1", ""),
        node("y", 0, "", ""),
    ];
    let four = "nvidia::gxf::MultiThreadScheduler, parameters: \
                {clock: clock, worker_thread_number: 4";
    // Which of four workers comes first is chance.
    for scheduler in SCHEDULERS.into_iter().chain([four; 20]) {
        let ended = run(&nodes, "ManualClock", scheduler);
        assert_eq!(ended.count("probe y tick"), 0, "{scheduler}: {}", ended.stdout);
    }
}

#[test]
fn a_parallel_node_sees_what_came_of_a_repeated_failure() {
    let nodes = [
        node(
            "root",
            0,
            TIMED,
            &codelet(
                "Parallel",
                "children: [x/t, z/t], success_threshold: 1, failure_threshold: 2",
            ),
        ),
        node("x", 1, "fail_in: tick, trouble_at_tick: 1", ""),
        node("z", 0, TIMED, &timer(0.05)),
    ];
    for scheduler in SCHEDULERS {
        let ended = run(&nodes, "ManualClock", scheduler);
        assert_eq!(ended.count("at 50000000"), 0, "{scheduler}: {}", ended.stdout);
        assert_eq!(ended.count("probe z tick at 0"), 1, "{scheduler}: {}", ended.stdout);
    }
}

#[test]
fn time_that_passes_during_the_tick_of_a_timer_costs_no_tick() {
    let probe = "log_time: true, clock: s/clock, first_sleep: 20000000";
    let nodes = [node("root", 0, probe, &timer(0.05))];
    for scheduler in SCHEDULERS {
        let ended = run(&nodes, "ManualClock", scheduler);
        let expected =
            ["initialize", "start", "tick at 0", "tick at 70000000", "stop", "deinitialize"];
        assert_eq!(ended.probe("root"), expected, "{scheduler}: {}", ended.stdout);
    }
}

#[test]
fn ticks_of_nodes_are_counted_as_statistics_count_them() {
    let _alone = engine::alone();
    let nodes = [
        node("root", 0, "", &codelet("Sequence", "children: [leaf/t]")),
        node("leaf", 0, "", &codelet("Constant", "constant_status: 0")),
    ];
    let scheduler = "---\nname: s\ncomponents:\n- {name: clock, type: nvidia::gxf::ManualClock}\n\
                     - {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n";
    let context = Context::new();
    for name in ["gxf_behavior_tree", "gxf_lifecycle_probe"] {
        context.load_extension(&library(name)).unwrap();
    }
    context.load_app_text("graph", &(nodes.concat() + scheduler), &[]).unwrap();
    context.enable_statistics();
    context.activate().unwrap();
    context.run().unwrap();
    let report = context.run_report();
    let statistics = context.statistics().unwrap();
    for name in ["root", "leaf"] {
        let reported = report.entities.iter().find(|entity| entity.name == name).unwrap();
        let counted = statistics.entities.iter().find(|entity| entity.name == name).unwrap();
        assert_eq!((reported.ticks, counted.ticks), (1, 1), "{name}");
    }
    context.deactivate().unwrap();
}
