//! What is called, in which order, and what happens after a failure in each stage.

use gxe_tests::{Ended, Gxe};

/// Two entities with two components each; `a2` and `b1` get further parameters.
fn two_entities(a2: &str, b1: &str) -> Gxe {
    Gxe::scheduled(&format!(
        "\
name: a
components:
- {{name: a1, type: gxe::test::Probe}}
- {{name: a2, type: gxe::test::Probe, parameters: {{{a2}}}}}
- {{name: part, type: gxe::test::Part}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
---
name: b
components:
- {{name: b1, type: gxe::test::Probe, parameters: {{{b1}}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
"
    ))
}

const INITIALIZED: [&str; 4] =
    ["a1 initialize", "a2 initialize", "part initialize", "b1 initialize"];
const DEINITIALIZED: [&str; 4] =
    ["b1 deinitialize", "part deinitialize", "a2 deinitialize", "a1 deinitialize"];

/// All calls between the first and the last stage.
fn between(ended: &Ended) -> Vec<String> {
    let probes = ended.probes();
    assert_eq!(probes[..4], INITIALIZED, "{probes:?}");
    assert_eq!(probes[probes.len() - 4..], DEINITIALIZED, "{probes:?}");
    probes[4..probes.len() - 4].iter().map(|&call| call.to_owned()).collect()
}

#[test]
fn a_run_without_failures_calls_everything_once_in_order() {
    let ended = two_entities("", "").run().clean();
    assert_eq!(
        between(&ended),
        [
            "a1 start", "a2 start", "b1 start", //
            "a1 tick", "a2 tick", "b1 tick", //
            "a1 tick", "a2 tick", "b1 tick", //
            "a1 stop", "a2 stop", "b1 stop",
        ]
    );
}

#[test]
fn a_failing_initialize_undoes_what_came_before_and_nothing_else() {
    let ended = two_entities("", "fail_in: initialize").run().with_status(4);
    assert_eq!(
        ended.probes(),
        [
            "a1 initialize",
            "a2 initialize",
            "part initialize",
            "b1 initialize",
            "part deinitialize",
            "a2 deinitialize",
            "a1 deinitialize"
        ]
    );
    ended.complains("entity `b`, component `b1` of type gxe::test::Probe");
    ended.complains("initialize failed with GXF_OUT_OF_MEMORY");
    ended.complains("b1 fails in initialize, as `fail_in` says");

    // Within an entity too.
    let ended = two_entities("fail_in: initialize", "").run().with_status(4);
    assert_eq!(ended.probes(), ["a1 initialize", "a2 initialize", "a1 deinitialize"]);
}

#[test]
fn a_failing_start_ends_the_run_and_stops_what_was_started() {
    let ended = two_entities("", "fail_in: start").run().with_status(5);
    assert_eq!(between(&ended), ["a1 start", "a2 start", "b1 start", "a1 stop", "a2 stop"]);
    ended.complains("b1 fails in start, as `fail_in` says");

    let ended = two_entities("fail_in: start", "").run().with_status(5);
    assert_eq!(between(&ended), ["a1 start", "a2 start", "a1 stop"]);
}

#[test]
fn a_failing_tick_ends_the_run_and_stops_everything() {
    let ended = two_entities("fail_in: tick, trouble_at_tick: 2", "").run().with_status(5);
    assert_eq!(
        between(&ended),
        [
            "a1 start", "a2 start", "b1 start", //
            "a1 tick", "a2 tick", "b1 tick", //
            "a1 tick", "a2 tick", //
            "a1 stop", "a2 stop", "b1 stop",
        ]
    );
    ended.complains("entity `a`, component `a2` of type gxe::test::Probe");
    ended.complains("tick failed with GXF_OUT_OF_MEMORY");
    ended.complains("a2 fails in tick, as `fail_in` says");
}

#[test]
fn a_failing_stop_does_not_keep_others_from_being_stopped() {
    let ended = two_entities("fail_in: stop", "").run().with_status(5);
    let calls = between(&ended);
    assert_eq!(calls[6..], ["a1 tick", "a2 tick", "b1 tick", "a1 stop", "a2 stop", "b1 stop"]);
    ended.complains("a2 fails in stop, as `fail_in` says");
}

#[test]
fn a_failing_deinitialize_does_not_keep_others_from_being_deinitialized() {
    let ended = two_entities("fail_in: deinitialize", "").run().with_status(5);
    assert_eq!(between(&ended).len(), 12);
    ended.complains("the graph cannot be deactivated");
    ended.complains("a2 fails in deinitialize, as `fail_in` says");
}

#[test]
fn of_several_failures_the_first_is_the_one_reported() {
    let ended = two_entities("fail_in: tick", "fail_in: stop").run().with_status(5);
    let (log, report) = ended.stderr.split_once("error: the graph failed").expect("a report");
    assert!(report.contains("a2 fails in tick, as `fail_in` says"), "{report}");
    assert!(!report.contains("b1 fails in stop"), "{report}");
    assert!(log.contains("also: ") && log.contains("b1 fails in stop"), "{log}");
    assert!(between(&ended).contains(&"b1 stop".to_owned()));
}

#[test]
fn a_panic_in_any_stage_is_an_error_that_names_extension_component_and_stage() {
    for (stage, status) in
        [("initialize", 4), ("start", 5), ("tick", 5), ("stop", 5), ("deinitialize", 5)]
    {
        let ended = two_entities(&format!("panic_in: {stage}"), "").run().with_status(status);
        ended.complains("entity `a`, component `a2` of type gxe::test::Probe");
        ended.complains("extension LifecycleProbeExtension");
        ended.complains(&format!("{stage} failed with"));
        ended.complains(&format!("a2 panics in {stage}, as `panic_in` says"));
        // Everything else continues as after an error.
        assert!(ended.probes().contains(&"a1 deinitialize"), "{stage}: {:?}", ended.probes());
    }
}

#[test]
fn components_that_are_no_codelets_fail_alike() {
    for parameter in ["fail_in", "panic_in"] {
        for (stage, status) in [("initialize", 4), ("deinitialize", 5)] {
            let ended = Gxe::scheduled(&format!(
                "\
name: a
components:
- {{name: before, type: gxe::test::Part}}
- {{name: bad, type: gxe::test::Part, parameters: {{{parameter}: {stage}}}}}
"
            ))
            .run()
            .with_status(status);
            ended.complains("component `bad` of type gxe::test::Part");
            ended.complains(&format!("as `{parameter}` says"));
            assert_eq!(ended.probe("before"), ["initialize", "deinitialize"]);
        }
    }
}

#[test]
fn a_failing_term_is_named() {
    let ended = Gxe::scheduled(
        "\
name: a
components:
- {name: worker, type: gxe::test::Probe}
- {name: term, type: gxe::test::PolledTerm, parameters: {fail: true}}
",
    )
    .run()
    .with_status(5);
    ended.complains("entity `a`, component `term` of type gxe::test::PolledTerm");
    ended.complains("check of the scheduling term failed");
    assert_eq!(ended.probe("worker"), ["initialize", "start", "stop", "deinitialize"]);
}

#[test]
fn an_entity_whose_terms_never_allow_a_tick_is_started_once() {
    let ended = Gxe::scheduled(
        "\
name: never
components:
- {name: never, type: gxe::test::Probe}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 0}}
---
name: off
components:
- {name: off, type: gxe::test::Probe}
- {type: nvidia::gxf::BooleanSchedulingTerm, parameters: {enable_tick: false}}
---
name: waits
components:
- {name: waits, type: gxe::test::Probe}
- {type: nvidia::gxf::test::WaitSchedulingTerm}
---
name: unconnected
components:
- {name: unconnected, type: gxe::test::Probe}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
",
    )
    .run()
    .clean();
    for name in ["never", "off", "waits", "unconnected"] {
        assert_eq!(ended.probe(name), ["initialize", "start", "stop", "deinitialize"], "{name}");
    }
}

#[test]
fn an_entity_that_ends_is_stopped_while_others_go_on() {
    let ended = Gxe::scheduled(
        "\
name: short
components:
- {name: short, type: gxe::test::Probe}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
---
name: long
components:
- {name: long, type: gxe::test::Probe}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
",
    )
    .run()
    .clean();
    let probes = ended.probes();
    let place = |call| probes.iter().position(|probe| *probe == call).unwrap();
    let last_tick = probes.iter().rposition(|probe| *probe == "long tick").unwrap();
    assert!(place("short stop") < last_tick, "{probes:?}");
    assert_eq!(ended.probe("long").iter().filter(|call| **call == "tick").count(), 3);
}

#[test]
fn the_order_of_a_sweep_is_the_order_of_the_file_or_start_order() {
    let entity = |name: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n- {{name: {name}, type: gxe::test::Probe}}\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}\n"
        )
    };
    let entities: String = ["x", "a", "m"].map(entity).concat();
    let ticks = |app: &str| {
        let ended = Gxe::scheduled(app).run().clean();
        let ticks = ended.probes().into_iter().filter_map(|probe| probe.strip_suffix(" tick"));
        ticks.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ticks(&entities), "x a m");
    assert_eq!(ticks(&format!("start_order: [m, x]\n{entities}")), "m x a");
}

#[test]
fn without_a_run_everything_is_initialised_and_taken_down() {
    let ended = two_entities("", "").args("--run=false").run().clean();
    assert_eq!(ended.probes(), [INITIALIZED, DEINITIALIZED].concat());
}
