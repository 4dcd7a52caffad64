//! What the binary `gxe` costs from start to exit.

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `gxe` beside the benchmark, one folder up.
fn gxe() -> PathBuf {
    let benchmark = std::env::current_exe().expect("the path of the benchmark");
    benchmark.ancestors().nth(2).expect("target/release").join("gxe")
}

fn start_to_exit(criterion: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut group = criterion.benchmark_group("process");
    group.sample_size(30);
    group.bench_function("hello_world_start_to_exit", |bencher| {
        bencher.iter(|| {
            let status = Command::new(gxe())
                .args(["--app", "apps/hello_world/hello_world.yaml", "--run=false"])
                .args(["--manifest", "manifests/hello_world.yaml"])
                .current_dir(&root)
                .stdout(Stdio::null())
                .status()
                .expect("gxe lies beside the benchmark; `make bench` builds it");
            assert!(status.success());
        });
    });
    group.finish();
}

criterion_group!(benches, start_to_exit);
criterion_main!(benches);
