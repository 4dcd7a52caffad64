//! CUDA's streams and memory in C++, without CUDA's headers, on the stand-in for its driver.

use super::{compilers, with_extension};
use crate::cuda::{POOLS, dot_product, entity, polling, scheduler, there_and_back};
use gxe_tests::cuda::{Report, SCHEDULERS, is_on_gpu, modes, run, with_driver};
use gxe_tests::{Ended, Gxe, SCHEDULER};

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
            let said = "host memory is 3 in DLPack, and 0 again";
            assert_eq!(ended.count(said), 1, "{compiler} {mode}\n{}", ended.stdout);
            let said = "the pool had its bytes";
            assert_eq!(ended.count(said), 1, "{compiler} {mode}\n{}", ended.stdout);
            report.nothing_is_left();
        }
    }
    if is_on_gpu() {
        return;
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

/// Runs an app with the extension `foreign_stream.cpp` and the allocators of CUDA.
fn foreign(app: &str, mode: &str) -> (Ended, Report) {
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_cuda.so\n- libgxf_rmm.so\n\
                    - libgxf_stream.so\n- libextension.so\n";
    let options = ["-std=c++17", "-ldl"];
    let gxe = with_extension(compilers()[0], "foreign_stream.cpp", app, &options)
        .file("manifest.yaml", manifest);
    let folder = gxe.folder();
    run(with_driver(gxe, &folder, mode))
}

/// The driver is told how much memory the threads of a kernel share where that is more than it grants by
/// itself; more than the device has is an error.
#[test]
fn kernels_share_as_much_memory_as_the_device_has() {
    let app = format!(
        "\
name: share
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: \"foreign::Share\", parameters: {{tx: out, pool: pool, streams: streams}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
{SCHEDULER}"
    );
    let (ended, report) = foreign(&app, "lazy");
    let ended = ended.with_status(0);
    for (size, count) in [(16, 2), (100, 2), (64, 2), (200, 2), (512, 0)] {
        let text = format!("{size} KiB: launched");
        assert_eq!(ended.count(&text), count, "{size}\n{}", ended.stdout);
    }
    assert_eq!(ended.count("512 KiB: GXF_"), 2, "{}", ended.stdout);
    report.nothing_is_left();
    if !is_on_gpu() {
        // Once for each size that is larger than all before, and for what is too large.
        assert_eq!(report.get("call cuFuncSetAttribute"), 5, "{report:?}");
    }
}

/// While an extension captures in the mode "global", others look at events and allocate: neither suffers.
#[test]
fn a_global_capture_and_the_work_of_others_leave_each_other_alone() {
    let captures = entity(
        "capture",
        &[
            "name: streams, type: nvidia::gxf::CudaStreamPool",
            "type: \"foreign::Capture\", parameters: {streams: streams}",
            "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}",
        ],
    );
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_test.so\n- libgxf_cuda.so\n\
                    - libgxf_test_cuda.so\n- libextension.so\n";
    for app in [polling(&dot_product(POOLS[1], "term", 20)), there_and_back(1, 20)] {
        let app = captures.clone() + &app + &scheduler(SCHEDULERS[1].1);
        for mode in ["lazy", "random:1"] {
            let options = ["-std=c++17", "-ldl"];
            let gxe = with_extension(compilers()[0], "foreign_stream.cpp", &app, &options)
                .file("manifest.yaml", manifest);
            let folder = gxe.folder();
            let (ended, report) = run(with_driver(gxe, &folder, mode));
            let ended = ended.clean();
            assert_eq!(ended.count("20 pairs were equal"), 1, "{mode}\n{}", ended.stdout);
            assert_eq!(ended.count("captured in peace"), 3, "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
        }
    }
}

/// Memory of a message that is dropped goes home behind the stream that the message names.
#[test]
fn what_nobody_reads_goes_home_behind_its_stream() {
    let pools = [
        "nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 256, num_blocks: 2}",
        "nvidia::gxf::UnboundedAllocator",
        "nvidia::gxf::StreamOrderedAllocator",
        "nvidia::gxf::RMMAllocator",
    ];
    for (pool, mode) in pools.into_iter().zip(["lazy", "random:2", "lazy", "eager"]) {
        let source = SOURCE.replace("streams: streams}", "streams: streams, wraps: false}");
        let (before, behind) = source.split_once("nvidia::gxf::BlockMemoryPool").expect("a pool");
        let (_, behind) = behind.split_once("num_blocks: 8}").expect("its parameters");
        let app = format!(
            "\
default_conditions: true
{before}{pool}{behind}---
name: drop
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: \"foreign::Drop\", parameters: {{rx: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: drop/in}}}}
{SCHEDULER}"
        );
        let (ended, report) = foreign(&app, mode);
        _ = ended.clean();
        report.nothing_is_left();
    }
}

/// A codelet that reads on the stream that its messages name tells nobody: memory goes home behind what that
/// stream has when nobody needs the memory any more.
#[test]
fn memory_goes_home_behind_readers_on_the_stream_of_its_message() {
    let pools = [
        "nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 256, num_blocks: 8}",
        "nvidia::gxf::UnboundedAllocator",
        "nvidia::gxf::StreamOrderedAllocator",
        "nvidia::gxf::RMMAllocator",
    ];
    for pool in pools {
        let source = SOURCE.replace("streams: streams}", "streams: streams, wraps: false}");
        let (before, behind) = source.split_once("nvidia::gxf::BlockMemoryPool").expect("a pool");
        let (_, behind) = behind.split_once("num_blocks: 8}").expect("its parameters");
        let first = format!("{before}{pool}{behind}");
        let second = SOURCE.replace("name: source", "name: other").replace(
            "pool: pool, streams: streams}",
            "pool: source/pool, streams: streams, wraps: false}",
        );
        let app = format!(
            "\
default_conditions: true
{first}{second}---
name: copy
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 1, block_size: 256, num_blocks: 8}}}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: \"foreign::CopyOnTheirs\", parameters: {{rx: in, tx: out, pool: pool, streams: streams}}}}
---
name: drop
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: \"foreign::Drop\", parameters: {{rx: in}}}}
---
name: drop_others
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: \"foreign::Drop\", parameters: {{rx: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: copy/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: copy/out, target: drop/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: other/out, target: drop_others/in}}}}
{SCHEDULER}"
        );
        let (ended, report) = foreign(&app, "lazy");
        _ = ended.clean();
        report.nothing_is_left();
    }
}

/// A StreamSync orders the work of an extension, whose messages name no stream then.
#[test]
fn a_stream_sync_orders_streams_of_an_extension() {
    let source =
        SOURCE.replace("streams: streams}", "streams: streams, order: order, wraps: false}");
    let app = format!(
        "\
default_conditions: true
{source}- {{name: order, type: nvidia::gxf::StreamSync}}
---
name: copy
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 1, block_size: 256, num_blocks: 8}}}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: \"foreign::Copy\", parameters: {{rx: in, tx: out, pool: pool, streams: streams}}}}
---
name: drop
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: \"foreign::Drop\", parameters: {{rx: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: copy/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: copy/out, target: drop/in}}}}
{SCHEDULER}"
    );
    for mode in modes() {
        let (ended, report) = foreign(&app, mode);
        _ = ended.clean();
        assert!(is_on_gpu() || report.get("call cuStreamWaitEvent") >= 5, "{mode} {report:?}");
        report.nothing_is_left();
    }
}

/// The allocator waits for an allocation that only another stream knows.
#[test]
fn memory_for_a_stream_may_be_freed_without_one() {
    for pool in ["StreamOrderedAllocator", "RMMAllocator"] {
        let app = format!(
            "\
name: mixed
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::{pool}}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: \"foreign::Mixed\", parameters: {{tx: out, pool: pool, memory: pool, streams: streams}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
{SCHEDULER}"
        );
        let (ended, report) = foreign(&app, "lazy");
        _ = ended.clean();
        assert!(is_on_gpu() || report.get("call cuCtxSynchronize") == 3, "{report:?}");
        report.nothing_is_left();
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
    let (ended, report) = foreign(&app, "lazy");
    _ = ended.clean();
    // One for each message, and one when the source stops.
    assert!(is_on_gpu() || report.get("call cuStreamSynchronize") == 6, "{report:?}");
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

const OF_PLACE: &str = "extensions:\n- libgxf_std.so\n- libgxf_test.so\n- libgxf_cuda.so\n\
                        - libgxf_test_cuda.so\n- libgxf_format_converter.so\n- libgxe_io.so\n\
                        - libextension.so\n";

/// Runs a graph with the extension `in_place.cpp`, in a mode of the stand-in.
fn in_place(app: &str, mode: &str) -> Gxe {
    let gxe = with_extension(compilers()[0], "in_place.cpp", app, &["-std=c++17", "-ldl"])
        .file("manifest.yaml", OF_PLACE);
    let folder = gxe.folder();
    with_driver(gxe, &folder, mode)
}

/// Tensors of a native codelet, with a fence and the name of a stream, that an extension changes on that
/// stream afterwards.
const PAINTED: &str = "\
default_conditions: true
---
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {capacity: 2}}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 4096, num_blocks: 16}}
- {name: host, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 0, block_size: 4096, num_blocks: 16}}
- {name: streams, type: nvidia::gxf::CudaStreamPool}
- {type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: out, cuda_tensor_pool: pool, host_tensor_pool: host, stream_pool: streams}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
---
name: paint
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 0, block_size: 4096, num_blocks: 16}}
- {type: \"in_place::Paint\", parameters: {rx: in, tx: out, pool: pool}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: paint/in}}
";

/// An entity behind `name`, whose codelet and terms are given.
fn reader(name: &str, components: &str) -> String {
    format!(
        "---\nname: reader\ncomponents:\n- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
         {components}---\ncomponents:\n- {{type: nvidia::gxf::Connection, parameters: {{source: \
         {name}/out, target: reader/in}}}}\n{SCHEDULER}"
    )
}

const LOOK: &str = "- {type: \"in_place::Look\", parameters: {rx: in}}\n\
                    - {type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: in}}\n";

/// A message with a fence of before names a stream with work of later: whoever reads its data waits for
/// both.
#[test]
fn work_in_place_is_waited_for_in_spite_of_an_older_fence() {
    let behind = "- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 0, \
                  block_size: 4096, num_blocks: 4}}\n- {name: streams, type: nvidia::gxf::CudaStreamPool}\n\
                  - {type: \"in_place::Behind\", parameters: {rx: in, pool: pool, streams: streams}}\n";
    for mode in modes() {
        let ended = in_place(&(PAINTED.to_owned() + &reader("paint", LOOK)), mode).run().clean();
        assert_eq!(ended.count("looked: painted"), 3, "{mode}\n{}", ended.stdout);
        let ended = in_place(&(PAINTED.to_owned() + &reader("paint", behind)), mode).run().clean();
        assert_eq!(ended.count("behind: painted"), 3, "{mode}\n{}", ended.stdout);
    }
    // A converter with a stream of its own.
    let app = format!(
        "{PAINTED}---
name: converter
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: nvidia::holoscan::formatconverter::FormatConverter, parameters: {{in: in, out: out, pool: pool, out_dtype: float32, cuda_stream_pool: streams}}}}
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
- {{type: nvidia::gxf::Connection, parameters: {{source: paint/out, target: converter/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: converter/out, target: host/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: host/out, target: sink/in}}}}
{SCHEDULER}"
    );
    for mode in modes() {
        let gxe = in_place(&app, mode);
        let path = gxe.folder().join("bytes.raw");
        let (ended, bytes) = gxe.spawn().end_with(|| std::fs::read(path));
        _ = ended.clean();
        assert!(bytes.expect("a file") == [0x40; 3 * 4096], "{mode}");
    }
}

/// Readers leave a stream alone that somebody captures, and rely on the fence.
#[test]
fn a_stream_that_is_captured_is_left_alone() {
    let paint = "parameters: {storage_type: 0, block_size: 4096, num_blocks: 16}}\n\
                 - {type: \"in_place::Paint\", parameters: {rx: in, tx: out, pool: pool}}";
    let capture = "parameters: {storage_type: 0, block_size: 4096, num_blocks: 16}}\n\
                   - {type: \"in_place::Capture\", parameters: {rx: in, tx: out}}";
    assert!(PAINTED.contains(paint) && PAINTED.contains("{count: 3}"));
    let app = PAINTED.replace(paint, capture).replace("{count: 3}", "{count: 1}");
    for mode in modes() {
        let ended = in_place(&(app.clone() + &reader("paint", LOOK)), mode).run().clean();
        assert_eq!(ended.count("looked: nothing"), 1, "{mode}\n{}", ended.stdout);
    }
}

/// The host's side of a converter waits for the device that still writes to its input.
#[test]
fn a_picture_on_the_host_is_converted_when_it_is_there() {
    let converter = "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
                     - {name: pool, type: nvidia::gxf::UnboundedAllocator}\n\
                     - {type: nvidia::holoscan::formatconverter::FormatConverter, parameters: {in: in, \
                     out: out, in_tensor_name: host, out_dtype: float32, scale_max: 255, pool: pool}}\n";
    let sink = "---\nname: sink\ncomponents:\n- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n\
                - {type: gxe::io::RawSink, parameters: {input: in, address: bytes.raw}}\n---\n\
                components:\n- {type: nvidia::gxf::Connection, parameters: {source: reader/out, \
                target: sink/in}}\n";
    let app = format!("{PAINTED}{}", reader("paint", converter))
        .replace(SCHEDULER, &format!("{sink}{SCHEDULER}"));
    for mode in modes() {
        let gxe = in_place(&app, mode);
        let path = gxe.folder().join("bytes.raw");
        let (ended, bytes) = gxe.spawn().end_with(|| std::fs::read(path));
        _ = ended.clean();
        assert!(bytes.expect("a file") == 64f32.to_le_bytes().repeat(3 * 4096), "{mode}");
    }
}

/// A pool without a free stream says which one it is.
#[test]
fn a_pool_that_has_lent_its_streams_is_named() {
    let app = format!(
        "\
default_conditions: true
---
name: two
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::UnboundedAllocator}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {{max_size: 1}}}}
- {{type: \"in_place::Two\", parameters: {{tx: out, device: pool, pool: pool, streams: streams}}}}
{}",
        reader("two", LOOK)
    );
    let ended = in_place(&app, "eager").run().with_status(5);
    ended.complains(
        "the CudaStreamPool `streams` of entity `two` has lent its only stream; enlarge `max_size`",
    );
}

/// Recordings need no payloads about streams. Others that are lost are told, with their type.
#[test]
fn a_recorder_tells_what_is_lost() {
    let recorder = "- {name: memory, type: nvidia::gxf::UnboundedAllocator}\n\
                    - {name: payloads, type: nvidia::gxf::StdComponentSerializer, parameters: {allocator: memory}}\n\
                    - {name: entities, type: nvidia::gxf::StdEntitySerializer, parameters: {component_serializers: [payloads]}}\n\
                    - {type: nvidia::gxf::EntityRecorder, parameters: {receiver: in, entity_serializer: entities, directory: '.', basename: out}}\n";
    let manifest = format!("{OF_PLACE}- libgxf_serialization.so\n");
    let run = |app: String| in_place(&app, "lazy").file("manifest.yaml", &manifest).run();
    let ended = run(PAINTED.to_owned() + &reader("paint", recorder)).with_status(0);
    assert_eq!(ended.count("is skipped"), 0, "{}", ended.stdout);
    let source = "\
default_conditions: true
---
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: \"in_place::Unset\", parameters: {tx: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
";
    let ended = run(source.to_owned() + &reader("source", recorder)).with_status(0);
    let said = "payload `buffer` of type nvidia::gxf::CudaBuffer is skipped";
    assert_eq!(ended.count(said), 1, "{}", ended.stdout);
}

/// A message that names two streams is ready when both have done their work.
#[test]
fn all_streams_that_a_message_names_are_waited_for() {
    let two = "\
default_conditions: true
---
name: two
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: device, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 256, num_blocks: 16}}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 0, block_size: 256, num_blocks: 16}}
- {name: streams, type: nvidia::gxf::CudaStreamPool}
- {type: \"in_place::Two\", parameters: {tx: out, device: device, pool: pool, streams: streams}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
";
    let behind = "- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 0, \
                  block_size: 256, num_blocks: 4}}\n- {name: streams, type: nvidia::gxf::CudaStreamPool}\n\
                  - {type: \"in_place::Behind\", parameters: {rx: in, pool: pool, streams: streams}}\n";
    let copy = "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
                - {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, \
                block_size: 256, num_blocks: 4}}\n- {type: nvidia::gxf::TensorCopier, parameters: \
                {receiver: in, transmitter: out, allocator: pool, mode: 0}}\n";
    for mode in modes() {
        let ended = in_place(&(two.to_owned() + &reader("two", LOOK)), mode).run().clean();
        assert_eq!(ended.count("looked: painted"), 3, "{mode}\n{}", ended.stdout);
        let ended = in_place(&(two.to_owned() + &reader("two", behind)), mode).run().clean();
        assert_eq!(ended.count("behind: painted"), 3, "{mode}\n{}", ended.stdout);
        // The stand-in ends a program whose work is not in order.
        _ = in_place(&(two.to_owned() + &reader("two", copy)), mode).run().with_status(0);
    }
}

/// As in GXF, what nothing makes valid is not ready.
#[test]
fn events_and_buffers_that_are_unset_are_not_ready() {
    let source = "\
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: \"in_place::Unset\", parameters: {tx: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
";
    for term in ["CudaEvent", "CudaBufferAvailable"] {
        let look = format!(
            "- {{type: \"in_place::Look\", parameters: {{rx: in}}}}\n\
             - {{type: nvidia::gxf::{term}SchedulingTerm, parameters: {{receiver: in}}}}\n"
        );
        let app = source.to_owned() + &reader("source", &look);
        let ended = in_place(&app, "eager").run().with_status(0);
        assert_eq!(ended.count("looked"), 0, "{term}\n{}", ended.stdout);
        let stopped = "Some entities are waiting for execution";
        assert_eq!(ended.count(stopped), 1, "{term}\n{}", ended.stdout);
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

/// What such an extension enqueues on the streams of its messages is bounded, too.
#[test]
fn an_extension_with_the_toolkit_runs_few_ticks_ahead_of_the_device() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not say how much work waited");
        return;
    }
    let app = format!(
        "\
---
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: frames, type: nvidia::gxf::UnboundedAllocator}}
- {{name: memory, type: nvidia::gxf::StreamOrderedAllocator}}
- {{name: streams, type: nvidia::gxf::CudaStreamPool}}
- {{type: \"toolkit::Source\", parameters: {{signal: out, frames: frames, allocator: memory, streams: streams}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 30}}}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 30}}}}
- {{type: nvidia::gxf::PingRx, parameters: {{signal: in}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in, min_size: 1}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: sink/in}}}}
{SCHEDULER}"
    );
    let runtime = format!("-I{}", super::sources().join("toolkit").display());
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_sample.so\n- libgxf_cuda.so\n- libgxf_rmm.so\n\
                    - libgxf_multimedia.so\n- libextension.so\n";
    let options = ["-std=c++17", "-Werror", "-ldl", &runtime];
    for compiler in compilers().into_iter().take(1) {
        let gxe = with_extension(compiler, "toolkit.cpp", &app, &options)
            .file("manifest.yaml", manifest)
            .args("--max-in-flight 2")
            .env("CUDA_STAND_IN_SLOW", "2");
        let folder = gxe.folder();
        let (ended, report) = run(with_driver(gxe, &folder, "random:2"));
        let ended = ended.clean();
        assert_eq!(ended.count("30 events, device "), 1, "{}", ended.stdout);
        // Three fills a tick.
        assert!(report.get("longest") <= 6, "{}", report.get("longest"));
        report.nothing_is_left();
    }
}
