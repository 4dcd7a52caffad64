//! Host memory comes from CUDA's driver if there is one, here the stand-in.

use gxe_tests::cuda::{Report, is_on_gpu, run, with_stand_in};
use gxe_tests::{Ended, SCHEDULER};

/// A run with tensors in host memory, from a pool and from an unbounded allocator, on a machine
/// whose driver answers this to `cuInit`.
fn run_with(answer: &str) -> (Ended, Report) {
    let (ended, report) = run_where("CUDA_STAND_IN_INIT", answer);
    (ended.clean(), report)
}

/// The same with this variable of the stand-in.
fn run_where(variable: &str, value: &str) -> (Ended, Report) {
    let mut app = String::new();
    for (name, pool) in [
        (
            "bounded",
            "BlockMemoryPool, parameters: {storage_type: 0, block_size: 64, num_blocks: 8}",
        ),
        ("unbounded", "UnboundedAllocator"),
    ] {
        app += &format!(
            "\
---
name: {name}
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: pool, type: nvidia::gxf::{pool}}}
- type: nvidia::gxf::test::TensorGenerator
  parameters: {{output: out, allocator: pool, shape: [4], storage_type: 0}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
"
        );
    }
    let gxe = with_stand_in(&(app + SCHEDULER), "lazy")
        .env("GXF_LOG_LEVEL", "debug")
        .env(variable, value);
    run(gxe)
}

#[test]
fn host_memory_is_pinned_where_cuda_is_and_all_comes_back() {
    let (ended, report) = run_with("0");
    assert_eq!(ended.count("memory of storage type 0 (host) is pinned by CUDA"), 1);
    // The pool is one piece, and each of the other three tensors is another.
    assert_eq!(report.get("call cuMemHostAlloc"), 4);
    report.nothing_is_left();
}

#[test]
fn a_driver_without_a_device_leaves_ordinary_memory() {
    for (answer, remedy) in [("100", "no device is visible"), ("34", "toolkit's stub")] {
        let (ended, report) = run_with(answer);
        let text = format!("not pinned: CUDA has no device to offer (cuInit answers {answer}: ");
        assert_eq!(ended.count(&text), 1, "{}", ended.stdout);
        assert_eq!(ended.count(remedy), 1, "{}", ended.stdout);
        assert_eq!(report.get("call cuMemHostAlloc"), 0);
    }
}

/// A device that is full, or that another process has for itself, is none that a graph needs which only
/// asks for host memory.
#[test]
fn a_device_that_cannot_be_used_leaves_ordinary_memory() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not fail on demand");
        return;
    }
    for code in [2, 46] {
        let failure = format!("cuDevicePrimaryCtxRetain:1={code}");
        let (ended, report) = run_where("CUDA_STAND_IN_FAIL", &failure);
        let ended = ended.with_status(0);
        let text = "memory of storage type 0 (host) is page-aligned, but not pinned, so copies to devices \
                    take longer: cuDevicePrimaryCtxRetain answers ";
        assert_eq!(ended.count(text), 1, "{}", ended.stdout);
        assert_eq!(report.get("call cuMemHostAlloc"), 0);
    }
    // What cannot be pinned on a device that works is an error.
    let (ended, _) = run_where("CUDA_STAND_IN_FAIL", "cuMemHostAlloc:1=2");
    assert_ne!(ended.status, Some(0), "{}", ended.stdout);
    ended.complains("the host cannot pin ");
}
