//! Kernels of OneFlow in codelets (`gxe/op_kernel.hpp`), and its loops (`gxe/thread_loop.hpp`).

use super::with_extension;
use gxe_tests::{Ended, Gxe};

/// A source of two messages with tensors of this length, the codelet with kernels, and a sink.
fn app(length: u32, codelet: &str, arguments: &str) -> String {
    format!(
        "name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 2}}}}
- {{name: memory, type: nvidia::gxf::UnboundedAllocator}}
- {{type: kernels::Source, parameters: {{out: out, allocator: memory, length: {length}}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
---
name: worker
components:
- {{name: left, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: left}}}}
- {{name: sum, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: memory, type: nvidia::gxf::UnboundedAllocator}}
- {{name: kernels, type: \"kernels::{codelet}\", parameters: {{inputs: [left], outputs: [sum], \
         allocator: memory, arguments: [{arguments}]}}}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{type: kernels::Sink, parameters: {{in: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: worker/left}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: worker/sum, target: sink/in}}}}
{}",
        gxe_tests::SCHEDULER
    )
}

fn prepared(app: &str) -> Gxe {
    with_extension("g++", "kernels.cpp", app, &["-std=c++17", "-Werror"])
}

fn run(length: u32, codelet: &str, arguments: &str) -> Ended {
    prepared(&app(length, codelet, arguments)).run()
}

/// The same with a second message that is the last one of its stream.
fn run_to_end(end: &str, codelet: &str, arguments: &str) -> Ended {
    let app = app(2, codelet, arguments).replace("length: 2", &format!("length: 2, end: {end}"));
    prepared(&app).run()
}

/// What the run logs from the source of the extension, without time and place.
fn said(ended: &Ended) -> Vec<String> {
    let lines = ended.stdout.lines().filter(|line| line.contains("kernels.cpp@"));
    let text = |line: &str| line.split_once(": ").map(|(_, text)| text.to_owned());
    lines.filter_map(text).collect()
}

/// Sums what `AddAndSum` receives.
const SUMMED: &str = "\"in[0] = left/first\", \"out[0] = own/same\", \"1:in[0] = own/same\", \
                      \"1:total[0] = sum/total\"";

#[test]
fn the_printed_kernel_adds_the_tensors_of_a_message() {
    let ended = run(2, "AddTwo", "\"in[0] = left/first\", \"in[1]=left/1\", \"out[0]=sum/total\"");
    let expected = ["total = 101.000000 101.000000.", "total = 202.000000 202.000000."];
    assert_eq!(said(&ended.clean()), expected);
}

#[test]
fn without_arguments_each_kernel_reads_what_the_one_before_fills() {
    let ended = run(1, "AddTwice", "").clean();
    assert_eq!(said(&ended), ["out = 1.000000.", "out = 2.000000."]);
}

#[test]
fn a_sequence_of_kernels_has_a_state_and_null_for_what_is_not_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace.json");
    let option = format!("--trace {}", trace.display());
    let ended = prepared(&app(3, "AddAndSum", SUMMED)).args(&option).run().clean();
    let expected = [
        "running sum: 1 input, 1 output",
        "running sum: 3, bias is null",
        "total = 3.000000.",
        "running sum: 9, bias is null",
        "total = 9.000000.",
    ];
    assert_eq!(said(&ended), expected);
    // Each kernel of each tick is a span of the entity's track.
    let trace = std::fs::read_to_string(trace).expect("a trace");
    for name in ["oneflow::CpuAddNKernel<float>", "kernels::RunningSum"] {
        assert_eq!(
            trace.matches(&format!("\"ph\":\"X\",\"name\":\"{name}\"")).count(),
            2,
            "{name}"
        );
    }
}

/// Kernels have nothing to do with a message that only says that its stream ends, and what they make
/// of the last tensors of a stream is the last of theirs.
#[test]
fn the_end_of_a_stream_passes_the_kernels() {
    let summed = "\"in[0] = left/first\", \"in[1] = left/second\", \"out[0] = sum/total\"";
    for (codelet, arguments, first) in [
        ("AddTwo", summed, "total = 101.000000 101.000000."),
        ("AddTwice", "", "out = 1.000000 1.000000."),
    ] {
        let ended = run_to_end("mere", codelet, arguments).clean();
        assert_eq!(said(&ended), [first, "the end, as it was"]);
    }
    let ended = run_to_end("marked", "AddTwice", "").clean();
    let expected = ["out = 1.000000 1.000000.", "out = 2.000000 2.000000.", "the end, of tensors"];
    assert_eq!(said(&ended), expected);
}

#[test]
fn a_stateless_kernel_without_an_element_to_fill_is_skipped() {
    let ended = run(0, "Trespassing", "").clean();
    assert_eq!(said(&ended), ["out =.", "out =."]);
    // One with a state is not.
    let ended = run(0, "AddAndSum", SUMMED).clean();
    assert_eq!(ended.count("running sum: 0"), 2, "{}", ended.stdout);
}

#[test]
fn a_kernel_that_does_what_its_phase_does_not_allow_fails_by_name() {
    assert_eq!(run(6, "Trespassing", "").clean().count("trespasser computed 6"), 2);
    for (length, text) in [
        (1, "set_shape of `left/0`, which is `in[0]`: the shape and type of an output are set in"),
        (2, "mut_dptr of `left/0`, which is `in[0]`: a kernel writes only its outputs, and only"),
        (3, "set_data_type of `sum/out`, which is `out[0]`: the shape and type of an output are"),
        (4, "mut_dptr of `sum/out`, which is `out[0]`: the elements are of another type"),
        (5, "out of cheese"),
    ] {
        let ended = run(length, "Trespassing", "");
        assert_ne!(ended.status, Some(0), "{length}");
        ended.complains(text);
        ended.complains("worker");
    }
}

#[test]
#[ignore = "make test-thorough"]
fn without_checks_kernels_are_not_watched() {
    let options = ["-std=c++17", "-Werror", "-DNDEBUG"];
    let app = app(2, "Trespassing", "");
    let ended = with_extension("g++", "kernels.cpp", &app, &options).run().clean();
    assert_eq!(ended.count("trespasser computed 2"), 2);
}

#[test]
fn arguments_that_name_nothing_are_told_with_what_there_is() {
    let bound = "\"in[0] = left/first\", \"in[1] = left/second\", \"out[0] = sum/total\"";
    for (arguments, text) in [
        (
            "\"in = left/first\"",
            "argument `in = left/first`: expected `[KERNEL:]NAME[INDEX] = PORT/BLOB`",
        ),
        ("\"in[0] = right/first\"", "there is no port `right`; there are `own`, `left`, `sum`"),
        ("\"1:in[0] = left/first\"", "of kernel 1: the sequence has 1, counted from 0"),
        ("\"in[0] = left/0\", \"in[0] = left/1\"", "argument `in[0]` of kernel 0 is bound twice"),
        (&bound.replace("first", "third"), "the message that arrived has no tensor `left/third`"),
        (&bound.replace("first", "17"), "the message that arrived has no tensor `left/17`"),
    ] {
        let ended = run(2, "AddTwo", arguments);
        assert_ne!(ended.status, Some(0), "{arguments}");
        ended.complains(text);
        ended.complains("worker");
    }
}

#[test]
fn loops_split_their_numbers_evenly_and_call_back_once_for_each() {
    let app = format!(
        "name: loops
components:
- {{type: kernels::Loops}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
{}",
        gxe_tests::SCHEDULER
    );
    assert_eq!(prepared(&app).run().clean().count("loops: fine, 3"), 3);
}

#[test]
fn the_kernel_in_the_book_compiles() {
    let page = super::sources().join("../../docs/book/src/howto/actors.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let listing = page.split_once("```cpp\n").and_then(|(_, rest)| rest.split_once("```"));
    let (listing, _) = listing.expect("a listing");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("negate.cpp");
    std::fs::write(&path, listing).expect("a file");
    super::compiled("g++", &path, "negate", &["-std=c++17", "-fsyntax-only", "-Werror"]);
}
