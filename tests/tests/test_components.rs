//! The components of GXF's TestHelperExtension that acceptance graphs rely on.

use gxe_tests::graphs::connect;
use gxe_tests::{Ended, Gxe};

/// Runs and expects that the graph fails with a text.
#[track_caller]
fn fails(gxe: Gxe, text: &str) -> Ended {
    let ended = gxe.run();
    assert!(matches!(ended.status, Some(4 | 5)), "{ended:?}");
    ended.complains(text);
    ended
}

/// A MockCodelet as SRC, which takes 3 ms, and further entities.
fn pipeline(others: &str) -> String {
    format!(
        "\
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- type: nvidia::gxf::test::MockCodelet
  parameters:
    mode: SRC
    transmitter: out
    clock: scheduler/clock
    duration_lower_ms: 3
    duration_upper_ms: 3
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
{others}"
    )
}

/// A MockCodelet as PROCESS, which takes 4 ms.
const PROCESS: &str = "\
---
name: process
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- type: nvidia::gxf::test::MockCodelet
  parameters:
    receiver: in
    transmitter: out
    clock: scheduler/clock
    duration_lower_ms: 4
    duration_upper_ms: 4
";

/// A MockCodelet as SINK.
fn sink(name: &str, parameters: &str) -> String {
    format!(
        "\
---
name: {name}
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- type: nvidia::gxf::test::MockCodelet
  parameters: {{mode: SINK, receiver: in, clock: scheduler/clock{parameters}}}
"
    )
}

#[test]
fn a_mock_pipeline_measures_its_latency() {
    let latencies = |parameters: &str| {
        let others = format!("{PROCESS}{}", sink("sink", parameters));
        let connections = connect(&[("source/out", "process/in"), ("process/out", "sink/in")]);
        let ended = Gxe::scheduled(&pipeline(&(others + &connections))).run().clean();
        ended
            .log()
            .iter()
            .filter_map(|text| text.strip_prefix("Latency: "))
            .map(str::to_owned)
            .collect()
    };
    let latencies: [Vec<String>; 2] = [latencies(""), latencies(", include_mock_latency: true")];
    assert_eq!(latencies[0], ["0.000 ms", "0.000 ms"], "the codelets did nothing but sleep");
    assert_eq!(latencies[1], ["7.000 ms", "7.000 ms"]);
}

#[test]
fn a_frame_ends_in_one_sink() {
    let others = format!("{}{}", sink("first", ""), sink("second", ""));
    let connections = connect(&[("source/out", "first/in"), ("source/out", "second/in")]);
    let app = pipeline(&(others + &connections));
    fails(Gxe::scheduled(&app), "the frame has ended before");
}

/// An app whose file says `SOURCE` loads; the codelet fails when it ticks.
#[test]
fn the_mode_of_a_mock_counts_when_it_ticks() {
    let app = pipeline("").replace("mode: SRC", "mode: SOURCE");
    fails(Gxe::scheduled(&app), "`mode` is `SOURCE`, and it must be SRC, PROCESS or SINK");
    let app = pipeline("").replace("    transmitter: out\n", "");
    fails(Gxe::scheduled(&app), "`mode: SRC` needs the parameter `transmitter`");
}

/// The graph of TestMetricLogger, with a threshold for the last metric.
fn metrics(threshold: &str, ticks: u32) -> String {
    let metric = |name: &str, parameters: &str| {
        format!("- {{name: {name}, type: nvidia::gxf::Metric, parameters: {{{parameters}}}}}\n")
    };
    let names = ["mean", "rms", "abs_max", "max", "min", "sum", "fixed"];
    let metrics: String = names.iter().map(|name| metric(name, "")).collect();
    let handles: String =
        names.iter().map(|name| format!("    sample_metric_{name}: {name}\n")).collect();
    format!(
        "\
name: metrics
components:
{metrics}{}{}\
- type: nvidia::gxf::test::TestMetricLogger
  parameters:
{handles}    sample_metric_parameter: parameter
    sample_metric_fail_threshold: fail
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
",
        metric("parameter", "aggregation_policy: mean"),
        metric("fail", &format!("aggregation_policy: sum, {threshold}")),
    )
}

#[test]
fn metrics_add_up_known_samples() {
    let _ = Gxe::scheduled(&metrics("lower_threshold: 5000", 100)).run().clean();
    let _ = Gxe::scheduled(&metrics("upper_threshold: 4949", 100)).run().clean();
    let met = metrics("upper_threshold: 4950", 100);
    fails(Gxe::scheduled(&met), "`sample_metric_fail_threshold` meets its thresholds");
    let short = metrics("lower_threshold: 5000", 99);
    fails(Gxe::scheduled(&short), "`sample_metric_parameter` is 49 instead of 49.5");
}

#[test]
fn a_scheduled_ping_carries_the_time_of_the_next_one() {
    let timestamps = |offset: &str| {
        let app = format!(
            "\
name: tx
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: term, type: nvidia::gxf::TargetTimeSchedulingTerm, parameters: {{clock: scheduler/clock}}}}
- {{name: offset, type: nvidia::gxf::ManualClock, parameters: {{initial_timestamp: 1000}}}}
- type: nvidia::gxf::test::ScheduledPingTx
  parameters:
    delay: 7
    execution_clock: scheduler/clock
    signal: out
    scheduling_term: term
{offset}- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
---
name: rx
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::test::Print, parameters: {{message: in}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
{}",
            connect(&[("tx/out", "rx/in")])
        );
        let ended = Gxe::scheduled(&app).run().clean();
        let log = ended.log();
        let times = log.iter().filter_map(|text| text.strip_prefix("  `timestamp` = "));
        times.map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = |times: [i64; 3]| {
        times.map(|time| format!("Timestamp {{ pubtime: {time}, acqtime: {time} }}"))
    };
    assert_eq!(timestamps(""), expected([7, 14, 21]));
    assert_eq!(timestamps("    offset_clock: offset\n"), expected([1007, 1014, 1021]));
}

/// One entity with a component that only has parameters.
fn holder(kind: &str, parameters: &str) -> Gxe {
    let parameters: String = parameters.lines().map(|line| format!("    {line}\n")).collect();
    Gxe::scheduled(&format!(
        "\
name: holder
components:
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- type: nvidia::gxf::test::{kind}
  parameters:
{parameters}"
    ))
    .args("--strict")
}

#[test]
fn holders_of_parameters_have_the_keys_of_gxf() {
    let _ = holder(
        "RegisterParameterInterfaceTest",
        "mandatory_no_default: 1\ncustom_parameter: [a]\n",
    )
    .run()
    .clean();
    let all = "\
mandatory_no_default: 1
mandatory_with_default: 2
optional_no_default: 3
optional_with_default: 4
std_string_text: text
bool_default: false
double_default: 1.5
complex64: 1+2j
complex128: 3-4j
custom_parameter: [a, b]
";
    let _ = holder("RegisterParameterInterfaceTest", all).run().clean();
    let lists = "\
five_64_bit_floats: [1, 2, 3, 4, 5]
five_64_bit_ints: [-1, 2, 3, 4, 5]
five_64_bit_unsigned_ints: [1, 2, 3, 4, 5]
five_32_bit_ints: [1, 2, 3, 4, 5]
six_64_bit_float_2d: [[1, 2], [3, 4], [5, 6]]
six_64_bit_int_2d: [[1, 2], [3, 4], [5, 6]]
six_64_bit_uint_2d: [[1, 2], [3, 4], [5, 6]]
six_32_bit_int_2d: [[1, 2], [3, 4], [5, 6]]
";
    let _ = holder("VectorParameterTest", lists).run().clean();
    let containers = "\
integers: [1, 2]
my_unsigned_int8: [3]
strings: [a, b]
my_doubles: [[1.5], [2, 3]]
segments: [[[1, 2], [3, 4]]]
rank_2_vector: [[1]]
rank_3_vector: [[[1]]]
vector_of_float: [0.5]
rank_1_array: [1, 2]
rank_2_array: [[1, 2]]
string_to_int_map: {one: 1}
string_to_vector_map: {one: [1.5]}
complex64: 1+2j
complex128: 3-4j
";
    let _ = holder("StdParameterTest", containers).run().clean();
    let handles = format!(
        "{containers}vector_of_handles: [pool]\narray_of_two_handles: [pool, holder/pool]\n"
    );
    let _ = holder("StdParameterTest", &handles).run().clean();
}

#[test]
fn parameters_from_a_file_have_the_values_that_stand_there() {
    let parameters = "\
fact: true
rumor: false
forty_two: 42
minus_one: -1
some_text: hello
more: |-
  - a: st
    b: ee
  - c: an
";
    let kind = "LoadParameterFromYamlTest";
    let _ = holder(kind, parameters).run().clean();
    for (right, wrong, text) in [
        ("fact: true", "fact: false", "`fact` is false instead of true"),
        ("rumor: false", "rumor: true", "`rumor` is true instead of false"),
        ("forty_two: 42", "forty_two: 24", "`forty_two` is 24 instead of 42"),
        ("minus_one: -1", "minus_one: 1", "`minus_one` is 1 instead of -1"),
        ("hello", "bye", "`some_text` is \"bye\" instead of \"hello\""),
        ("b: ee", "b: no", "`more` is \"- a: st\\n  b: no\\n\" instead of"),
    ] {
        fails(holder(kind, &parameters.replace(right, wrong)), text);
    }
}
