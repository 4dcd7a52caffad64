//! The cost of the binary `gxe` from start to exit.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gxe_benches::Scheduler;
use gxe_benches::graph::idle_entities;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// `gxe`, one folder above the benchmark.
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

/// Entities of three components that wait for messages that never come: the run ends at once, so
/// this measures loading, activation and deactivation.
fn large_apps(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, "extensions: [libgxf_bench_stages.so]\n").expect("a small file");
    let mut group = criterion.benchmark_group("process");
    group.sample_size(10);
    for count in [10_000, 100_000] {
        let app = folder.path().join(format!("{count}.yaml"));
        let yaml = idle_entities(count) + &Scheduler::Greedy.yaml("");
        std::fs::write(&app, yaml).expect("room for the app");
        let command = || {
            let mut command = Command::new(gxe());
            command.arg("--app").arg(&app).arg("--manifest").arg(&manifest).stdout(Stdio::null());
            command
        };
        let name = BenchmarkId::new("entities_of_3_components_start_to_exit", count);
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert!(command().status().expect("gxe starts").success()));
        });
        println!(
            "peak memory with {count} entities: {} MB",
            peak_memory(&mut command()) / 1_000_000
        );
    }
    group.finish();
}

/// The most memory a program had, in bytes, looked at every millisecond.
fn peak_memory(command: &mut Command) -> u64 {
    let mut child = command.spawn().expect("gxe starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("the child is ours").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0_u64) * 1024);
        std::thread::sleep(Duration::from_millis(1));
    }
    peak
}

criterion_group!(benches, start_to_exit, large_apps);
criterion_main!(benches);
