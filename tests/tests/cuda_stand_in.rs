//! Mistakes that the driver for tests notices.

use gxe_tests::build::library;
use gxe_tests::cuda::is_on_gpu;
use std::path::Path;
use std::process::{Command, Output};

/// A program against the stand-in's own functions.
pub(crate) fn mistake(body: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    std::fs::copy(library("cuda_stand_in"), path.join("libcuda.so.1")).unwrap();
    let source = format!(
        "#include <stddef.h>\n#include <stdlib.h>\ntypedef unsigned long long P; typedef void *H;\n\
         int cuInit(unsigned); int cuDevicePrimaryCtxRetain(H *, int); int cuCtxPushCurrent_v2(H);\n\
         int cuMemAlloc_v2(P *, size_t); int cuMemFree_v2(P); int cuMemHostAlloc(H *, size_t, unsigned);\n\
         int cuStreamCreateWithPriority(H *, unsigned, int); int cuStreamSynchronize(H);\n\
         int cuMemsetD8Async(P, unsigned char, size_t, H); int cuMemcpyDtoHAsync_v2(H, P, size_t, H);\n\
         int cuMemcpyHtoDAsync_v2(P, H, size_t, H); int cuEventCreate(H *, unsigned);\n\
         int cuEventRecord(H, H); int cuStreamWaitEvent(H, H, unsigned); int cuLaunchHostFunc(H, H, H);\n\
         int cuStreamBeginCapture_v2(H, int); int cuStreamEndCapture(H, H *); int cuEventQuery(H);\n\
         int cuGraphInstantiateWithFlags(H *, H, unsigned long long); int cuGraphLaunch(H, H);\n\
         int cuGraphExecUpdate(H, H, H *, unsigned *); int cuGraphExecDestroy(H);\n\
         static void call(void *x) {{ (void)x; cuInit(0); }}\n\
         int main(void) {{ H c, a, b, e; P m; unsigned char *h; cuInit(0);\n\
         cuDevicePrimaryCtxRetain(&c, 0); cuCtxPushCurrent_v2(c); cuMemAlloc_v2(&m, 4096);\n\
         cuMemHostAlloc((H *)&h, 4096, 0); cuStreamCreateWithPriority(&a, 1, 0);\n\
         cuStreamCreateWithPriority(&b, 1, 0); cuEventCreate(&e, 0); (void)call;\n{body}\nreturn 0; }}\n"
    );
    std::fs::write(path.join("mistake.c"), source).unwrap();
    let built = Command::new("cc")
        .current_dir(path)
        .args(["-Wno-pedantic", "-o", "mistake", "mistake.c", "-L.", "-l:libcuda.so.1"])
        .arg("-Wl,-rpath,$ORIGIN")
        .status();
    assert!(built.expect("a C compiler").success());
    let program = path.join("mistake");
    Command::new(program).env("CUDA_STAND_IN_MODE", "lazy").output().unwrap()
}

/// What the stand-in notices, and what it does not complain about.
#[test]
fn the_stand_in_notices_mistakes() {
    if is_on_gpu() {
        return;
    }
    let set = "cuMemsetD8Async(m, 1, 4096, a);";
    for (body, text) in [
        ("cuMemsetD8Async(m, 1, 4096, a); cuMemsetD8Async(m, 2, 4096, b);", "race: a fill"),
        ("cuMemsetD8Async(m, 1, 4096, a); cuMemcpyDtoHAsync_v2(h, m, 4096, b);", "race: a copy"),
        ("cuMemFree_v2(m); cuMemsetD8Async(m, 1, 4096, a);", "no memory, or was freed"),
        ("cuMemFree_v2(m); cuMemFree_v2(m);", "was freed before"),
        ("cuMemsetD8Async(m, 1, 5000, a); cuStreamSynchronize(a);", "reaches beyond the end"),
        ("cuMemcpyHtoDAsync_v2(m, h, 4096, a); h[0]++; cuStreamSynchronize(a);", "changed before"),
        ("cuLaunchHostFunc(a, call, 0); cuStreamSynchronize(a);", "a host function calls cuInit"),
    ] {
        let output = mistake(body);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(text), "{body}: {said}");
    }
    // The CPU cannot touch device memory.
    assert!(!mistake("return *(volatile char *)m;").status.success());
    let ordered =
        "cuEventRecord(e, a); cuStreamWaitEvent(b, e, 0); cuMemsetD8Async(m, 2, 4096, b);";
    let waited = "cuStreamSynchronize(a); cuMemsetD8Async(m, 2, 4096, b);";
    for rest in [ordered, waited] {
        let output = mistake(&format!("{set}{rest}"));
        assert!(output.status.success(), "{rest}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // Nothing is done before somebody waits.
    let late = "cuMemcpyDtoHAsync_v2(h, m, 4096, a); if (h[5] == 1) return 1; \
                cuStreamSynchronize(a); if (h[5] != 1) return 2;";
    assert!(mistake(&format!("{set}{late}")).status.success());
}

/// Threads of a device exchange values where host twins have a loop: both give the same bytes.
#[test]
fn kernels_in_warps_give_what_their_twins_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let kernels = root.join("runtime/device/kernels");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("warps");
    let built = Command::new("cc")
        .args(["-O1", "-pthread", "-ffp-contract=off", "-w", "-I"])
        .arg(&kernels)
        .arg("-o")
        .arg(&program)
        .args([root.join("tests/kernels/warps.c"), kernels.join("picture.c")])
        .status();
    assert!(built.expect("a C compiler").success());
    let output = Command::new(program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.lines().count() > 60, "{said}");
}
