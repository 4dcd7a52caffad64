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
            report.nothing_is_left();
        }
    }
}
