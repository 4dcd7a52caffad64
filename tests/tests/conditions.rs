//! Holoscan's conditions: their names, and the defaults of every port.

use gxe_tests::Gxe;

/// A source of six messages that never waits for room, and a sink that takes all messages, both
/// without conditions on queues. Then documents of the test.
fn pair(more: &str) -> Gxe {
    Gxe::scheduled(&format!(
        "\
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 6}}}}
- {{name: tx, type: gxe::test::Probe, parameters: {{transmitters: [out]}}}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 4}}}}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: sink/in}}}}
---
{more}"
    ))
}

#[test]
fn holoscans_names_are_names_of_the_terms() {
    let ended = Gxe::scheduled(
        "\
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: holoscan::CountCondition, parameters: {count: 6}}
- {type: holoscan::BooleanCondition, parameters: {enable_tick: true}}
- {type: holoscan::PeriodicCondition, parameters: {recess_period: 1ms}}
- {type: holoscan::DownstreamMessageAffordableCondition, parameters: {transmitter: out}}
- {name: tx, type: gxe::test::Probe, parameters: {transmitters: [out]}}
---
name: each
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 4}}
- {type: holoscan::MessageAvailableCondition, parameters: {receiver: in, min_size: 2}}
- {name: two_each, type: gxe::test::Probe, parameters: {receivers: [in]}}
---
name: sum
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 4}}
- type: holoscan::MultiMessageAvailableCondition
  parameters: {receivers: [in], sampling_mode: SumOfAll, min_sum: 3}
- {name: three_each, type: gxe::test::Probe, parameters: {receivers: [in]}}
---
name: expiring
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 6}}
- type: holoscan::ExpiringMessageAvailableCondition
  parameters: {receiver: in, max_batch_size: 5, max_delay_ns: 3500000, clock: scheduler/clock}
- {name: batch, type: gxe::test::Probe, parameters: {receivers: [in]}}
---
name: timeout
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 6}}
- {type: holoscan::AsynchronousCondition}
- {type: holoscan::CountCondition, parameters: {count: 2}}
- type: holoscan::MultiMessageAvailableTimeoutCondition
  parameters: {receivers: [in], sampling_mode: SumOfAll, min_sum: 5, execution_frequency: 2500us}
- {name: in_time, type: gxe::test::Probe, parameters: {receivers: [in], log_time: true}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: each/in}}
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: sum/in}}
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: expiring/in}}
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: timeout/in}}
",
    )
    .run()
    .clean();
    let ticks = |name| {
        let calls = ended.probe(name).into_iter();
        calls.filter_map(|call| call.strip_prefix("tick")).map(str::trim).collect::<Vec<_>>()
    };
    assert_eq!(ticks("tx").len(), 6);
    assert_eq!(ticks("two_each"), ["0 1", "2 3", "4 5"]);
    assert_eq!(ticks("three_each"), ["0 1 2", "3 4 5"]);
    assert_eq!(ticks("batch"), ["0 1 2 3", "4 5"]);
    assert_eq!(ticks("in_time"), ["0 1 2 at 2500000", "3 4 5 at 5000000"]);
}

#[test]
fn a_term_with_holoscans_name_is_overridden_by_either_name() {
    for name in ["holoscan::CountCondition", "nvidia::gxf::CountSchedulingTerm"] {
        let ended = Gxe::scheduled(
            "\
name: a
components:
- {type: holoscan::CountCondition, parameters: {count: 6}}
- {name: p, type: gxe::test::Probe}
",
        )
        .args(&format!("--param a/{name}/count=2"))
        .run()
        .clean();
        assert_eq!(ended.count("probe p tick"), 2, "{name}");
    }
}

#[test]
fn a_count_condition_counts_to_one_unless_told_otherwise() {
    let ticks = |parameters: &str, more: &str| {
        let app = format!(
            "\
name: a
components:
- {{type: holoscan::CountCondition{parameters}}}
- {{name: p, type: gxe::test::Probe}}
{more}"
        );
        Gxe::scheduled(&app).run().clean().count("probe p tick")
    };
    assert_eq!(ticks("", ""), 1);
    assert_eq!(ticks(", parameters: {count: 2}", ""), 2);
    let later = "---\nname: a\ncomponents:\n- {name: c, parameters: {count: 3}}\n";
    assert_eq!(ticks(", name: c", later), 3);
    let forever = "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 9}}\n";
    assert_eq!(ticks(", parameters: {count: -1}", forever), 9, "negative: for ever");
}

#[test]
fn every_name_of_the_conditions_of_several_receivers_is_known() {
    for (name, parameters) in [
        ("MultiMessageAffordableCondition", ""),
        ("MultiMessageAffordableTimeoutCondition", ", execution_frequency: 1s"),
        ("MultiMessageAffordableTimeOutCondition", ", execution_frequency: 1s"),
        ("MultiMessageAvailableTimeOutCondition", ", execution_frequency: 1s"),
    ] {
        let condition = format!(
            "\
name: sink
components:
- type: holoscan::{name}
  parameters: {{receivers: [in], sampling_mode: SumOfAll, min_sum: 3{parameters}}}
- {{type: holoscan::CountCondition, parameters: {{count: 2}}}}
"
        );
        let ended = pair(&condition).run().clean();
        assert_eq!(ended.ticks("rx"), ["0 1 2", "3 4 5"], "{name}");
    }
}

#[test]
fn ports_get_holoscans_default_conditions_when_the_app_asks() {
    let ended = pair("default_conditions: true\n").run().clean();
    let ticks: Vec<_> = ended.probes().into_iter().filter(|call| call.contains(" tick")).collect();
    let one_by_one: Vec<String> =
        (0..6).flat_map(|number| ["tx tick".to_owned(), format!("rx tick {number}")]).collect();
    assert_eq!(ticks, one_by_one);
}

#[test]
fn without_being_asked_nothing_is_added() {
    for text in ["", "default_conditions: false\n"] {
        // The sink ticks for ever, with and without messages, until it fails.
        let ended = pair(text)
            .args("--param sink/rx/fail_in=tick --param sink/rx/trouble_at_tick=9")
            .run()
            .with_status(5);
        let ticks = &ended.probe("rx")[2..];
        assert_eq!(ticks[..2], ["tick 0", "tick 1"]);
        assert_eq!(ticks[6..], ["tick", "tick", "tick", "stop", "deinitialize"]);
    }
}

#[test]
fn a_queue_that_a_term_looks_at_gets_no_other() {
    let ended = pair(
        "\
default_conditions: true
---
name: sink
components:
- {type: holoscan::MultiMessageAvailableCondition, parameters: {receivers: [in], min_sum: 3}}
",
    )
    .run()
    .clean();
    assert_eq!(ended.probe("rx")[2..4], ["tick 0 1 2", "tick 3 4 5"]);
}

#[test]
fn only_entities_with_a_codelet_get_them() {
    let ended = Gxe::scheduled(
        "\
default_conditions: true
---
name: store
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: part, type: gxe::test::Part}
",
    )
    .run()
    .clean();
    assert_eq!(ended.probe("part"), ["initialize", "deinitialize"]);
}

/// A sink in a subgraph, and a source outside.
fn with_subgraph(outside: &str, inside: &str) -> Gxe {
    Gxe::scheduled(&format!(
        "\
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
- {{name: tx, type: gxe::test::Probe, parameters: {{transmitters: [out]}}}}
---
name: inner
components:
- {{name: sub, type: nvidia::gxf::Subgraph, parameters: {{location: inner.yaml}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: inner/in}}}}
---
{outside}"
    ))
    .file(
        "inner.yaml",
        &format!(
            "\
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 20}}}}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
---
interfaces: [{{name: in, target: sink/in}}]
---
{inside}"
        ),
    )
}

#[test]
fn a_subgraph_has_what_the_app_asks_for_unless_it_says_otherwise() {
    const ON: &str = "default_conditions: true\n";
    const OFF: &str = "default_conditions: false\n";
    for (outside, inside, waits) in
        [(ON, "", true), (ON, OFF, false), ("", ON, true), (OFF, "", false), ("", "", false)]
    {
        let ended = with_subgraph(outside, inside).run().clean();
        let ticks = ended.probe("rx").iter().filter(|call| call.starts_with("tick")).count();
        assert_eq!(ticks, if waits { 3 } else { 20 }, "outside {outside:?}, inside {inside:?}");
    }
}

#[test]
fn a_file_asks_for_entities_of_another_that_it_adds_to() {
    let ended = pair("")
        .file(
            "more.yaml",
            "\
default_conditions: true
---
name: sink
components:
- {name: rx, parameters: {take: 1}}
",
        )
        .args("--app more.yaml")
        .run()
        .clean();
    // Otherwise it would tick for ever.
    assert_eq!(ended.count("probe rx tick"), 6);
}
