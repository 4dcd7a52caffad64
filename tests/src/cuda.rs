//! Runs with the driver of `cuda_stand_in`, or with this machine's own.
//!
//! `GXE_TEST_GPU=1`, as in `make test-gpu`, runs the same tests on the machine's driver; then there is
//! no report, and tests that need one of its mistakes are skipped.

use crate::{Ended, Gxe, build};
use std::collections::BTreeMap;
use std::path::Path;

/// The orders in which the stand-in does its work.
pub const MODES: [&str; 4] = ["eager", "lazy", "random:1", "random:7"];

/// The schedulers, as documents of an app; `clock` is theirs.
pub const SCHEDULERS: [(&str, &str); 3] = [
    ("greedy", "type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}"),
    (
        "multithread",
        "type: nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 3}",
    ),
    (
        "event",
        "type: nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 3}",
    ),
];

/// The extensions of these runs.
const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_test.so
- libgxf_cuda.so
- libgxf_rmm.so
- libgxf_test_cuda.so
";

/// Whether tests run on this machine's driver.
#[must_use]
pub fn is_on_gpu() -> bool {
    std::env::var_os("GXE_TEST_GPU").is_some()
}

/// The orders that a test runs in: those of the stand-in, or the one that a real driver has. A test that
/// does something else in each takes [`MODES`].
pub fn modes() -> impl Iterator<Item = &'static str> {
    MODES.into_iter().take(if is_on_gpu() { 1 } else { MODES.len() })
}

/// What the stand-in counted.
#[derive(Debug, Default)]
pub struct Report(BTreeMap<String, u64>);

impl Report {
    /// Reads the stand-in's report.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| line.rsplit_once(' '));
        let numbers = pairs.filter_map(|(key, count)| Some((key.to_owned(), count.parse().ok()?)));
        Self(numbers.collect())
    }

    /// A number of the report: `call cuInit`, `left events`, `kernels`; 0 if it is not there.
    #[must_use]
    pub fn get(&self, key: &str) -> u64 {
        self.0.get(key).copied().unwrap_or(0)
    }

    /// The function whose call failed on demand.
    #[must_use]
    pub fn failed(&self) -> Option<&str> {
        self.0.keys().find_map(|key| key.strip_prefix("failed "))
    }

    /// What was not given back.
    #[must_use]
    pub fn left(&self) -> Vec<(&str, u64)> {
        let left = self.0.iter().filter(|(key, count)| key.starts_with("left") && **count > 0);
        left.map(|(key, count)| (key.as_str(), *count)).collect()
    }

    /// Fails the test unless all streams, events and memory were given back.
    #[track_caller]
    pub fn nothing_is_left(&self) {
        if !is_on_gpu() {
            let left = self.left();
            assert!(left.is_empty(), "{left:?}");
        }
    }
}

/// `gxe` with an app of this text, the extensions of CUDA, and the stand-in as its driver.
#[must_use]
pub fn with_stand_in(app: &str, mode: &str) -> Gxe {
    let gxe = Gxe::alone()
        .file("app.yaml", app)
        .file("manifest.yaml", MANIFEST)
        .args("--app app.yaml --manifest manifest.yaml");
    let folder = gxe.folder();
    with_driver(gxe, &folder, mode)
}

/// Gives a run the stand-in as its driver, in a folder that gets the report, too; in `make test-gpu`
/// the machine's own driver.
///
/// # Panics
/// If the stand-in is not built.
#[must_use]
pub fn with_driver(gxe: Gxe, folder: &Path, mode: &str) -> Gxe {
    if is_on_gpu() {
        return gxe.env("CUDA_VISIBLE_DEVICES", "0,1,2,3");
    }
    std::fs::copy(build::library("cuda_stand_in"), folder.join("libcuda.so.1"))
        .expect("the stand-in is built");
    let report = folder.join("report");
    gxe.env("LD_LIBRARY_PATH", folder.to_str().expect("UTF-8"))
        .env("CUDA_STAND_IN_MODE", mode)
        .env("CUDA_STAND_IN_REPORT", report.to_str().expect("UTF-8"))
}

/// Runs to the end, with what the stand-in counted.
#[must_use]
pub fn run(gxe: Gxe) -> (Ended, Report) {
    let path = gxe.folder().join("report");
    let (ended, text) = gxe.spawn().end_with(|| std::fs::read_to_string(path).unwrap_or_default());
    (ended, Report::parse(&text))
}
