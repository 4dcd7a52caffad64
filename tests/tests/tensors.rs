//! Tensors in a graph.

use gxe_tests::graphs::connect;
use gxe_tests::{Ended, Gxe};

/// An entity with a source of messages, an allocator and a term that lets it tick `ticks` times.
fn source(kind: &str, ticks: u32, parameters: &str) -> String {
    format!(
        "\
---
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 4}}}}
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- type: nvidia::gxf::test::{kind}
  parameters: {{{parameters}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
"
    )
}

/// Runs and expects a text in the log.
#[track_caller]
fn says(gxe: Gxe, text: &str) {
    let ended = gxe.run().clean();
    assert_eq!(ended.count(text), 1, "{}", ended.stdout);
}

/// Runs and expects that the graph fails with a text.
#[track_caller]
fn fails(gxe: Gxe, text: &str) -> Ended {
    let ended = gxe.run();
    assert!(matches!(ended.status, Some(4 | 5)), "{ended:?}");
    ended.complains(text);
    ended
}

/// An entity that logs tensors.
const PRINT: &str = "\
---
name: print
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::test::PrintTensor, parameters: {tensors: in}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
";

#[test]
fn numbers_travel_in_tensors() {
    let factorial = source(
        "ArbitraryPrecisionFactorial",
        1,
        "digits: 7, factorial: 10, result: out, pool: pool",
    );
    let app = format!("{factorial}{PRINT}{}", connect(&[("source/out", "print/in")]));
    let text = "`tensor`, int32 tensor of 7 in host memory: 0, 0, 8, 8, 2, 6, 3";
    says(Gxe::scheduled(&app), text);
    let sum = source("IntegerSinSum", 1, "count: 2, result: out, pool: pool");
    let app = format!("{sum}{PRINT}{}", connect(&[("source/out", "print/in")]));
    says(Gxe::scheduled(&app), "`sum`, float32 tensor of 1 in host memory: 0.84147096");
}

/// Two tensors per message and a timestamp pass through a `TensorCopier`, and a comparator sees
/// both the messages and their copies.
fn copied(mode: i32, allocator: &str) -> Gxe {
    let generator = source(
        "TensorGenerator",
        3,
        "output: out, allocator: pool, shape: [2, 3, 5], storage_type: 2, number_of_tensors: 2",
    );
    let connections = connect(&[
        ("source/out", "copy/in"),
        ("source/out", "compare/expected"),
        ("copy/out", "compare/actual"),
    ]);
    Gxe::scheduled(&format!(
        "{generator}\
---
name: copy
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, {allocator}}}
- type: nvidia::gxf::TensorCopier
  parameters: {{receiver: in, transmitter: out, allocator: pool, mode: {mode}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
---
name: compare
components:
- {{name: expected, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: actual, type: nvidia::gxf::DoubleBufferReceiver}}
- type: nvidia::gxf::test::TensorComparator
  parameters: {{expected: expected, actual: actual}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: expected}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: actual}}}}
- {{type: nvidia::gxf::test::StepCount, parameters: {{expected_count: 3}}}}
{connections}"
    ))
}

#[test]
fn copies_of_tensors_are_the_same() {
    let _ = copied(1, "type: nvidia::gxf::UnboundedAllocator").run().clean();
    let pool = "type: nvidia::gxf::BlockMemoryPool, \
                parameters: {storage_type: 2, block_size: 32, num_blocks: 2}";
    let _ = copied(2, pool).run().clean();
}

#[test]
fn copies_that_cannot_be_made_are_errors() {
    let unbounded = "type: nvidia::gxf::UnboundedAllocator";
    fails(copied(0, unbounded), "needs CUDA");
    copied(3, unbounded).run().with_status(3).complains("`mode`: `3` is out of range");
    let small = "type: nvidia::gxf::BlockMemoryPool, \
                 parameters: {storage_type: 2, block_size: 29, num_blocks: 2}";
    fails(copied(2, small), "30 bytes do not fit a block of 29 bytes");
}

#[test]
fn a_comparator_notices_other_content() {
    let first = source("TensorGenerator", 1, "output: out, allocator: pool, shape: [4]");
    let second = first.replace("name: source", "name: other").replace("[4]", "[5]");
    let app = format!(
        "{first}{second}\
---
name: compare
components:
- {{name: expected, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: actual, type: nvidia::gxf::DoubleBufferReceiver}}
- type: nvidia::gxf::test::TensorComparator
  parameters: {{expected: expected, actual: actual, compare_timestamp: None}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: expected}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: actual}}}}
{}",
        connect(&[("source/out", "compare/expected"), ("other/out", "compare/actual")])
    );
    fails(Gxe::scheduled(&app), "is now uint8 tensor of 5 in host memory, expected was");
}

#[test]
fn a_comparator_compares_timestamps_where_there_are_any() {
    let app = |first: bool, second: bool| {
        let entity = |timestamps: bool| {
            let parameters = "output: out, allocator: pool, shape: [4]";
            source("TensorGenerator", 2, &format!("{parameters}, enable_timestamps: {timestamps}"))
        };
        format!(
            "{}{}\
---
name: compare
components:
- {{name: expected, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: actual, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::test::TensorComparator, parameters: {{expected: expected, actual: actual}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: expected}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: actual}}}}
- {{type: nvidia::gxf::test::StepCount, parameters: {{expected_count: 2}}}}
{}",
            entity(first),
            entity(second).replace("name: source", "name: other"),
            connect(&[("source/out", "compare/expected"), ("other/out", "compare/actual")])
        )
    };
    let _ = Gxe::scheduled(&app(false, false)).run().clean();
    let _ = Gxe::scheduled(&app(true, true)).run().clean();
    // Publication stamps a message that has no time yet, with the time of the clock.
    fails(Gxe::scheduled(&app(true, false)), "is not the expected Timestamp");
}

#[test]
fn strides_are_what_they_should_be() {
    let app = source("TestTensorStrides", 1, "pool: pool");
    let _ = Gxe::scheduled(&app).run().clean();
}

/// A request for device memory on a machine without it: the error names the component.
#[test]
fn device_memory_without_cuda_names_the_component() {
    let app =
        source("TensorGenerator", 1, "output: out, allocator: pool, shape: [4], storage_type: 1");
    let app = app.replace("- type: nvidia::gxf::test", "- name: camera\n  type: nvidia::gxf::test");
    let ended = fails(Gxe::scheduled(&app), "needs CUDA");
    assert!(ended.stderr.contains("camera"), "{}", ended.stderr);
}
