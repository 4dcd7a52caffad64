//! CUDA's streams and memory in C++, without CUDA's headers, on the stand-in for its driver.

use super::{compilers, with_extension};
use gxe_tests::SCHEDULER;
use gxe_tests::cuda::{run, with_driver};

#[test]
fn a_stream_from_a_pool_and_memory_in_its_order() {
    let app = format!(
        "\
---
name: sender
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::CudaStreamPool}}
- {{name: memory, type: nvidia::gxf::StreamOrderedAllocator}}
- {{type: \"streams::Sender\", parameters: {{tx: out, pool: pool, allocator: memory, allocator_by_type: memory}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out, min_size: 1}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 5}}}}
---
name: sync
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::CudaStreamSync, parameters: {{rx: in}}}}
- {{type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {{receiver: in}}}}
- {{type: nvidia::gxf::CudaBufferAvailableSchedulingTerm, parameters: {{receiver: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: sender/out, target: sync/in}}}}
{SCHEDULER}"
    );
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_cuda.so\n- libextension.so\n";
    for compiler in compilers() {
        for mode in ["eager", "lazy", "random:2"] {
            let gxe = with_extension(compiler, "cuda.cpp", &app, &["-std=c++17"])
                .file("manifest.yaml", manifest);
            let folder = gxe.folder();
            let (ended, report) = run(with_driver(gxe, &folder, mode));
            let ended = ended.clean();
            let said = "streams: 5 calls, device 0, 0 bytes on the host";
            assert_eq!(ended.count(said), 1, "{compiler} {mode}\n{}", ended.stdout);
            let said = "5 buffers were valid";
            assert_eq!(ended.count(said), 1, "{compiler} {mode}\n{}", ended.stdout);
            let said = "the pool had its bytes";
            assert_eq!(ended.count(said), 1, "{compiler} {mode}\n{}", ended.stdout);
            report.nothing_is_left();
        }
    }
    // Nobody knows the size that the driver does not tell; the graph does not need it.
    let gxe = with_extension(compilers()[0], "cuda.cpp", &app, &["-std=c++17"])
        .file("manifest.yaml", manifest)
        .env("CUDA_STAND_IN_FAIL", "cuMemPoolGetAttribute:1=2");
    let folder = gxe.folder();
    let (ended, report) = run(with_driver(gxe, &folder, "lazy"));
    assert_eq!(ended.clean().count("5 buffers were valid"), 1);
    assert_eq!(report.failed(), Some("cuMemPoolGetAttribute"));
    report.nothing_is_left();
}

/// An entity that sends five pictures, made by calls of CUDA of its own.
const SOURCE: &str = "\
---
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 256, num_blocks: 8}}
- {name: streams, type: nvidia::gxf::CudaStreamPool}
- {type: \"foreign::Source\", parameters: {tx: out, pool: pool, streams: streams}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}
";

/// Whoever reads the data of such a message, on the stream that it names or on another one, waits for
/// it on the device.
#[test]
fn work_of_an_extension_itself_is_waited_for() {
    let expected: Vec<u8> = (0..150).collect();
    for (index, streams) in ["", ", cuda_stream_pool: streams"].into_iter().enumerate() {
        let app = format!(
            "\
default_conditions: true
{SOURCE}---
name: again
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 1, block_size: 256, num_blocks: 2}}}}
- {{type: nvidia::gxf::TensorCopier, parameters: {{receiver: in, transmitter: out, allocator: pool, mode: 0}}}}
---
name: copy
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 1, block_size: 256, num_blocks: 8}}}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: \"foreign::Copy\", parameters: {{rx: in, tx: out, pool: pool, streams: streams}}}}
---
name: converter
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- type: nvidia::holoscan::formatconverter::FormatConverter
  parameters: {{in: in, out: out, pool: pool, out_dtype: uint8, out_channel_order: [0, 1, 2]{streams}}}
---
name: host
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- {{type: nvidia::gxf::TensorCopier, parameters: {{receiver: in, transmitter: out, allocator: pool, mode: 1}}}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: gxe::io::RawSink, parameters: {{input: in, address: bytes.raw}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: again/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: again/out, target: copy/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: copy/out, target: converter/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: converter/out, target: host/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: host/out, target: sink/in}}}}
{SCHEDULER}"
        );
        let manifest = "extensions:\n- libgxf_std.so\n- libgxf_cuda.so\n- libgxf_format_converter.so\n\
                        - libgxe_io.so\n- libextension.so\n";
        let compilers = compilers();
        let compiler = compilers[index % compilers.len()];
        for mode in ["eager", "lazy", "random:2"] {
            let gxe = with_extension(compiler, "foreign_stream.cpp", &app, &["-std=c++17", "-ldl"])
                .file("manifest.yaml", manifest);
            let folder = gxe.folder();
            let gxe = with_driver(gxe, &folder, mode);
            let path = folder.join("bytes.raw");
            let (ended, bytes) = gxe.spawn().end_with(|| std::fs::read(path));
            _ = ended.clean();
            assert!(bytes.expect("a file") == expected, "{compiler} {mode} {streams}");
        }
    }
}

/// A message that only names its stream is awaited by CudaStreamSync, too.
#[test]
fn a_stream_sync_waits_for_the_work_of_an_extension() {
    let app = format!(
        "\
default_conditions: true
{SOURCE}---
name: sync
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::CudaStreamSync, parameters: {{rx: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: sync/in}}}}
{SCHEDULER}"
    );
    let compiler = compilers()[0];
    let gxe = with_extension(compiler, "foreign_stream.cpp", &app, &["-std=c++17", "-ldl"]).file(
        "manifest.yaml",
        "extensions:\n- libgxf_std.so\n- libgxf_cuda.so\n- libextension.so\n",
    );
    let folder = gxe.folder();
    let (ended, report) = run(with_driver(gxe, &folder, "lazy"));
    _ = ended.clean();
    // One for each message, and one when the source stops.
    assert_eq!(report.get("call cuStreamSynchronize"), 6, "{report:?}");
}

/// A recorder awaits the work of an extension before it writes what that makes.
#[test]
fn a_recorder_waits_for_the_work_of_an_extension() {
    let app = format!(
        "\
default_conditions: true
{SOURCE}---
name: recorder
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: memory, type: nvidia::gxf::UnboundedAllocator}}
- {{name: payloads, type: nvidia::gxf::StdComponentSerializer, parameters: {{allocator: memory}}}}
- {{name: entities, type: nvidia::gxf::StdEntitySerializer, parameters: {{component_serializers: [payloads]}}}}
- {{type: nvidia::gxf::EntityRecorder, parameters: {{receiver: in, entity_serializer: entities, directory: '.', basename: out}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: recorder/in}}}}
{SCHEDULER}"
    );
    let compiler = compilers()[0];
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_cuda.so\n- libgxf_serialization.so\n\
                    - libextension.so\n";
    for mode in ["eager", "lazy", "random:2"] {
        let gxe = with_extension(compiler, "foreign_stream.cpp", &app, &["-std=c++17", "-ldl"])
            .file("manifest.yaml", manifest);
        let folder = gxe.folder();
        let gxe = with_driver(gxe, &folder, mode);
        let path = folder.join("out.gxf_entities");
        let (ended, recorded) = gxe.spawn().end_with(|| std::fs::read(path).unwrap_or_default());
        _ = ended.with_status(0);
        for number in 0..5 {
            let picture: Vec<u8> = (30 * number..30 * number + 30).collect();
            let is_there = recorded.windows(30).any(|bytes| bytes == picture);
            assert!(is_there, "{mode}, picture {number}: {recorded:?}");
        }
    }
}

/// An extension that calls CUDA's runtime library, and uses the headers as published extensions do.
#[test]
fn an_extension_with_the_toolkit_works_as_published_ones_do() {
    let app = |allocator: &str, rest: &str, term: &str| {
        format!(
            "\
---
name: gpu
components:
- {{type: nvidia::gxf::GPUDevice, parameters: {{dev_id: 0}}}}
---
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: frames, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 1, block_size: 1024, num_blocks: 8}}}}
- {{name: memory, type: nvidia::gxf::{allocator}}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {{dev_id: 0, stream_flags: 0, max_size: 5}}}}
- {{type: \"toolkit::Source\", parameters: {{signal: out, frames: frames, allocator: memory, streams: streams{rest}}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out, min_size: 1}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 6}}}}
---
name: sum
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: \"toolkit::Sum\", parameters: {{in: in, pool: pool, cuda_stream_pool: streams}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in, min_size: 1}}}}
- {{type: \"{term}\", parameters: {{receiver: in}}}}
---
EntityGroups:
- {{name: device, target: [gpu, source]}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: sum/in}}}}
{SCHEDULER}"
        )
    };
    let runtime = super::sources().join("toolkit");
    let runtime = format!("-I{}", runtime.display());
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_cuda.so\n- libgxf_rmm.so\n\
                    - libgxf_multimedia.so\n- libextension.so\n";
    for compiler in compilers() {
        for (mode, allocator, rest, term) in [
            ("eager", "StreamOrderedAllocator", "", "nvidia::gxf::CudaEventSchedulingTerm"),
            ("lazy", "RMMAllocator", ", rmm: memory", "nvidia::gxf::CudaStreamSchedulingTerm"),
            ("random:2", "StreamOrderedAllocator", "", "toolkit::Reached"),
            (
                "random:9",
                "RMMAllocator",
                ", rmm: memory",
                "nvidia::gxf::CudaBufferAvailableSchedulingTerm",
            ),
        ] {
            let options = ["-std=c++17", "-Werror", "-ldl", &runtime];
            let app = app(allocator, rest, term);
            let gxe = with_extension(compiler, "toolkit.cpp", &app, &options)
                .file("manifest.yaml", manifest);
            let folder = gxe.folder();
            let (ended, report) = run(with_driver(gxe, &folder, mode));
            let ended = ended.clean();
            // 4 rows of 16 pixels, 64 numbers and a buffer of 128, six times.
            let sum = 6 * (4 * 16 * 3 + 64 * 2 + 128 * 3);
            let what = format!("{compiler} {mode} {allocator} {term}\n{}", ended.stdout);
            assert_eq!(ended.count(&format!("the sum is {sum}")), 1, "{what}");
            let rmm = if rest.is_empty() { "no RMM" } else { "RMM" };
            assert_eq!(ended.count(&format!("6 events, device 0, {rmm}")), 1, "{what}");
            report.nothing_is_left();
        }
    }
}
