//! Codelets in Python as far as they need no Python, and tensors that go from and to other libraries on the
//! stand-in for CUDA's driver; `python/tests` has the rest.

use gxe_tests::cuda::{MODES, Report, is_on_gpu};
use gxe_tests::{Gxe, build, tools};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const APP: &str = "\
name: ticker
components:
- name: codelet
  type: nvidia::gxf::PyCodeletV0
  parameters:
    codelet_file: ticker.py
    codelet_name: ticker
    codelet_params: {step: 3}
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {count: 1}
---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- type: nvidia::gxf::GreedyScheduler
  parameters: {clock: clock}
";

fn with_app(line: &str) -> Gxe {
    let manifest = "extensions: [libgxf_python_codelet.so]\n";
    Gxe::alone().file("app.yaml", APP).file("manifest.yaml", manifest).args(line)
}

#[test]
fn without_python_the_error_says_where_it_was_looked_for() {
    let run = with_app("--app app.yaml --manifest manifest.yaml");
    let ended = run.env("GXE_PYTHON", "/nowhere/python3").run();
    ended.complains(
        "codelets in Python need Python, and `/nowhere/python3` (from GXE_PYTHON) cannot be",
    );
    let run = with_app("--app app.yaml --manifest manifest.yaml");
    let ended = run.env("GXE_PYTHON", "/bin/true").run();
    ended.complains("`/bin/true` (from GXE_PYTHON) does not say where its library is");
}

#[test]
fn checking_an_app_needs_no_python() {
    let run = with_app("check --app app.yaml --manifest manifest.yaml");
    let _ = run.env("GXE_PYTHON", "/nowhere/python3").run().clean();
}

#[test]
fn a_codelet_in_python_is_no_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let new = |line: &str| Gxe::in_folder(folder.path()).args("new").args(line).run();
    new("extension demo --lang python")
        .complains("codelets in Python need no library of their own");
    let said = new("codelet demo --lang python").clean().stdout;
    assert!(said.contains("wrote demo.py\n"), "{said}");
    let run = Gxe::in_folder(folder.path());
    let _ = run.args("check --app demo.yaml --manifest demo_manifest.yaml").run().clean();
}

/// Runs a program in Python with the module of this build, on the stand-in for CUDA's driver. Its
/// arguments are folders of libraries and what it is to do; the result is what the stand-in counted.
fn on_device(program: &str, mode: &str, argument: &str) -> Option<Report> {
    if !tools::have("python3") {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/gxe");
    let built = build::gxe();
    let libraries = built.parent().expect("target/PROFILE");
    std::fs::create_dir(path.join("gxe")).expect("a folder");
    for entry in std::fs::read_dir(package).expect("the package") {
        let file = entry.expect("an entry").path();
        let name = file.file_name().expect("a name").to_owned();
        // Not what `make python-dev` left there.
        if !["lib", "bin", "_gxe.abi3.so"].iter().any(|left| name == *left) {
            symlink(&file, path.join("gxe").join(name)).expect("a link");
        }
    }
    symlink(libraries.join("lib_gxe.so"), path.join("gxe/_gxe.abi3.so")).expect("a link");
    symlink(libraries, path.join("gxe/lib")).expect("a link");
    std::fs::copy(build::library("cuda_stand_in"), path.join("libcuda.so.1")).expect("a driver");
    std::fs::write(path.join("program.py"), program).expect("a file");
    let output = Command::new("python3")
        .current_dir(path)
        .args(["program.py", libraries.to_str().expect("UTF-8"), argument])
        .env("PYTHONPATH", path)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("LD_LIBRARY_PATH", path)
        .env("CUDA_STAND_IN_MODE", mode)
        .env("CUDA_STAND_IN_REPORT", path.join("report"))
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{mode} {argument}\n{said}");
    let report = std::fs::read_to_string(path.join("report")).expect("a report");
    Some(Report::parse(&report))
}

/// What both programs begin with: pictures of one colour on a device.
const PICTURES: &str = r#"
import struct, sys
import gxe

graph = gxe.Graph()
for name in ("gxf_cuda", "gxf_npp"):
    graph.load_extension(f"{sys.argv[1]}/lib{name}.so")
graph.loads("""
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 64, num_blocks: 8}}
- {type: nvidia::gxf::NppiSet, parameters: {rows: 2, columns: 2, channels: 1, value: [5], pool: pool, out: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 6}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
""")
"#;

/// A consumer's stream waits for the work on a tensor that it takes by DLPack, and no thread does.
#[test]
fn a_consumer_of_a_device_tensor_names_its_stream() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not count");
        return;
    }
    let program = PICTURES.to_owned()
        + r#"
@gxe.codelet
def take(pictures) -> None:
    tensor = pictures["picture"]
    assert tensor.storage == "device" and tensor.__dlpack_device__() == (2, 0), tensor
    stream = {"none": -1, "legacy": 1, "default": None, "thread": 2}[sys.argv[2]]
    tensor.__dlpack__(stream=stream, max_version=(1, 0))
    for wrong in (0, -2):
        try:
            tensor.__dlpack__(stream=wrong, max_version=(1, 0))
        except ValueError as error:
            assert "stream" in str(error)
        else:
            raise AssertionError(wrong)

graph.connect("source/out", graph.add(take))
graph.run()
"#;
    let waits = |report: &Report| report.get("call cuStreamWaitEvent");
    for mode in [MODES[1], MODES[2]] {
        let Some(without) = on_device(&program, mode, "none") else { return };
        // As the program `gxe` does.
        assert_eq!(without.get("connections"), 32);
        for stream in ["legacy", "default", "thread"] {
            let Some(report) = on_device(&program, mode, stream) else { return };
            // Each of the six pictures has a fence.
            assert!(waits(&report) >= waits(&without) + 6, "{mode} {stream} {report:?}");
            for wait in ["cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"] {
                assert_eq!(report.get(&format!("call {wait}")), 0, "{mode} {stream} {report:?}");
            }
            report.nothing_is_left();
        }
    }
}

/// A tensor that comes by DLPack is ordered behind its producer's work, on the device, wherever it goes.
#[test]
fn a_tensor_from_a_producer_comes_with_its_stream() {
    if is_on_gpu() {
        eprintln!("skipped: needs no GPU");
        return;
    }
    let program = PICTURES.to_owned()
        + r#"
graph.loads("""
name: times
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::StreamOrderedAllocator}
- {type: nvidia::gxf::NppiMulC, parameters: {in: in, factor: [3], pool: pool, out: out}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: to_host
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::UnboundedAllocator}
- {type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: out, allocator: pool, mode: 1}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
""")

streams = []

class Produced:
    """An array of a library that has work on its memory."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None):
        streams.append(stream)
        return self.tensor.__dlpack__(stream=stream, max_version=max_version)

@gxe.codelet
def relay(pictures):
    tensor = pictures["picture"]
    return gxe.from_dlpack(Produced(tensor)) if sys.argv[2] == "tensor" else Produced(tensor)

received = []

@gxe.codelet
def sink(pictures) -> None:
    received.append(struct.unpack("4f", pictures["picture"].tobytes()))

relay = graph.add(relay)
graph.connect("source/out", relay)
graph.connect(relay, "times/in")
graph.connect("times/out", "to_host/in")
graph.connect("to_host/out", graph.add(sink))
graph.run()
assert received == [(15.0,) * 4] * 6, received
assert len(streams) == 6 and all(isinstance(one, int) and one > 2 for one in streams), streams
"#;
    for (index, mode) in MODES.into_iter().enumerate() {
        let argument = ["tensor", "value"][index % 2];
        let Some(report) = on_device(&program, mode, argument) else { return };
        report.nothing_is_left();
    }
}
