//! Host memory comes from CUDA's driver if there is one. The driver here is a library of its name
//! with the few functions that gxe calls, which counts its allocations.

use gxe_tests::{Ended, Gxe};
use std::path::Path;

const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static int allocated, freed, pushed, popped;
#define COUNT(what) __atomic_add_fetch(&what, 1, __ATOMIC_RELAXED)
static char context;
int cuInit(unsigned flags) { return flags == 0 ? ANSWER : 1; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal; }
int cuDevicePrimaryCtxRetain(void **result, int device) { *result = &context; return device; }
int cuCtxPushCurrent_v2(void *pushing) { COUNT(pushed); return pushing != &context; }
int cuCtxPopCurrent_v2(void **result) { COUNT(popped); *result = &context; return 0; }
int cuMemHostAlloc(void **result, size_t size, unsigned flags)
{ COUNT(allocated); *result = aligned_alloc(4096, (size + 4095) & ~4095ul); return flags != 1; }
int cuMemFreeHost(void *memory) { COUNT(freed); free(memory); return 0; }
__attribute__((destructor)) static void tell(void)
{
    if (pushed != popped) { fprintf(stderr, "%d contexts are left\n", pushed - popped); }
    fprintf(stderr, "%d pieces, %d came back\n", allocated, freed);
}
"#;

/// A run with tensors in host memory, from a pool and from an unbounded allocator, on a machine
/// whose driver answers this to `cuInit`.
fn run(answer: i32) -> Ended {
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
    let gxe = Gxe::scheduled(&app);
    let folder = gxe.folder();
    std::fs::write(folder.join("cuda.c"), DRIVER).expect("the folder can be written");
    let built = std::process::Command::new("cc")
        .current_dir(&folder)
        .args(["-shared", "-fPIC", "-o", "libcuda.so.1", "cuda.c"])
        .arg(format!("-DANSWER={answer}"))
        .status();
    assert!(built.expect("a C compiler").success());
    gxe.env("GXF_LOG_LEVEL", "debug")
        .env("LD_LIBRARY_PATH", Path::new(&folder).to_str().expect("UTF-8"))
        .run()
        .with_status(0)
}

#[test]
fn host_memory_is_pinned_where_cuda_is_and_all_comes_back() {
    let ended = run(0);
    assert_eq!(ended.count("memory of storage type 0 (host) is pinned by CUDA"), 1);
    // The pool is one piece, and each of the other three tensors is another.
    assert_eq!(ended.stderr, "4 pieces, 4 came back\n");
}

#[test]
fn a_driver_without_a_device_leaves_ordinary_memory() {
    let ended = run(100);
    let text = "not pinned: CUDA has no device to offer (cuInit answers 100)";
    assert_eq!(ended.count(text), 1, "{}", ended.stdout);
    assert_eq!(ended.stderr, "0 pieces, 0 came back\n");
}
