//! Calls of the driver that fail, one after another, in graphs of several shapes: the run ends, says which
//! call failed unless it does not need it, is right where it succeeds, and leaves nothing.

use crate::cuda::{POOLS, buffers, scheduler, there_and_back};
use crate::cuda_graphs::multiples;
use crate::cuda_random::{MANIFEST, graph};
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, run, with_driver, with_stand_in};
use gxe_tests::{Ended, Gxe, is_thorough};

/// A random graph of device work: copiers, converters and products, with allocators of all kinds.
struct Random {
    app: String,
    sinks: Vec<Vec<u8>>,
    mode: String,
}

impl Random {
    fn new(seed: u64) -> Self {
        let (app, sinks, mode) = graph(seed);
        Self { app, sinks, mode }
    }

    /// Runs it with what `change` adds, and fails the test for a success with wrong results.
    fn run(&self, change: impl FnOnce(Gxe) -> Gxe) -> (Ended, Report) {
        let folder = tempfile::tempdir().expect("a folder");
        let gxe = Gxe::in_folder(folder.path())
            .file("app.yaml", &self.app)
            .file("manifest.yaml", MANIFEST)
            .args("--app app.yaml --manifest manifest.yaml");
        let (ended, report) = run(change(with_driver(gxe, folder.path(), &self.mode)));
        if ended.status == Some(0) {
            for (index, expected) in self.sinks.iter().enumerate() {
                let found = std::fs::read(folder.path().join(format!("sink{index}.raw")));
                assert!(found.expect("a file") == *expected, "sink{index} of\n{}", self.app);
            }
        }
        (ended, report)
    }
}

/// Fails the test unless a run in which a call failed ended as it should.
fn ends_well(what: &str, ended: &Ended, report: &Report) {
    let said = || format!("{what}\n{report:?}\n{}\n{}", ended.stdout, ended.stderr);
    assert_eq!(ended.signal, None, "{}", said());
    assert!(!ended.stderr.contains("panicked"), "{}", said());
    let failed = report.failed().unwrap_or_default();
    if ended.status != Some(0) {
        assert!(ended.stderr.contains(" answers "), "{}", said());
    }
    // What the driver refuses to take back, itself or by refusing the context, is left.
    let takes_back = ["Destroy", "Free", "cuCtx"].iter().any(|word| failed.contains(word));
    let left: u64 = report.left().iter().map(|(_, count)| count).sum();
    assert!(left <= u64::from(takes_back), "{}", said());
}

/// Lets calls of a graph fail, each in a run of its own: every one, or one of `step`.
fn let_calls_fail(name: &str, step: usize, run: impl Fn(&str) -> (Ended, Report)) {
    let (ended, report) = run("any:0=2");
    assert_eq!(ended.status, Some(0), "{name}\n{}", ended.stderr);
    let calls = report.get("calls");
    assert!(calls > 50, "{name} {report:?}");
    let step = if is_thorough() { 1 } else { step };
    for call in (1..=calls).step_by(step) {
        let failure = format!("any:{call}=2");
        let (ended, report) = run(&failure);
        ends_well(&format!("{name} {failure}"), &ended, &report);
    }
}

#[test]
fn a_call_that_fails_ends_graphs_of_every_shape() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not fail on demand");
        return;
    }
    let graphs: [(&str, String, &str); 5] = [
        ("buffers", buffers(2), ""),
        ("copies", there_and_back(1, 2), ""),
        ("copies to system memory", there_and_back(2, 2), ""),
        ("ordered memory", multiples("Nothing", POOLS[2], 3), ""),
        ("graphs", multiples("Nothing", POOLS[0], 5), "--cuda-graphs"),
    ];
    for (index, (name, app, options)) in graphs.into_iter().enumerate() {
        let app = app + &scheduler(SCHEDULERS[index % SCHEDULERS.len()].1);
        let mode = MODES[index % MODES.len()];
        let_calls_fail(name, 41, |failure| {
            let gxe = with_stand_in(&app, mode).args(options);
            let (ended, report) = run(gxe.env("CUDA_STAND_IN_FAIL", failure));
            (ended, report)
        });
    }
}

#[test]
fn a_call_that_fails_ends_random_graphs() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not fail on demand");
        return;
    }
    for seed in 0..if is_thorough() { 6 } else { 3 } {
        let random = Random::new(seed);
        let_calls_fail(&format!("seed {seed}"), 131, |failure| {
            random.run(|gxe| gxe.env("CUDA_STAND_IN_FAIL", failure))
        });
    }
}

/// Devices with less and less memory: a run has enough, or ends and says that it has not.
#[test]
fn a_device_without_memory_ends_random_graphs() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU has memory");
        return;
    }
    for seed in 0..6 {
        let random = Random::new(seed);
        let (ended, report) = random.run(|gxe| gxe);
        assert_eq!(ended.status, Some(0), "seed {seed}\n{}", ended.stderr);
        let peak = report.get("peak");
        for part in [0, 1, 3, 5, 7] {
            let memory = (peak * part / 8).to_string();
            let (ended, report) = random.run(|gxe| gxe.env("CUDA_STAND_IN_MEMORY", &memory));
            assert_ne!(ended.status, Some(0), "seed {seed}, {memory} of {peak}");
            ends_well(&format!("seed {seed}, {memory} of {peak} bytes"), &ended, &report);
            ended.complains("OUT_OF_MEMORY");
        }
    }
}
