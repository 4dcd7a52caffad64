//! Calls of the driver that fail, one after another, in graphs of several shapes: the run ends, says which
//! call failed unless it does not need it, is right where it succeeds, and leaves nothing.

use crate::cuda::{
    MESSAGE, POOLS, ROOM, RX, TX, buffers, connected, dot_product, entity, on_part, scheduler,
    stage, there_and_back, with_event,
};
use crate::cuda_graphs::{chain, multiples};
use crate::cuda_random::{MANIFEST, graph};
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, run, with_driver, with_stand_in};
use gxe_tests::recording::{Component, Files, rgb_frame};
use gxe_tests::{Ended, Gxe, is_thorough};
use std::collections::BTreeSet;

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
    let takes_back =
        ["Destroy", "Free", "cuCtx", "cuThread"].iter().any(|word| failed.contains(word));
    let left: u64 = report.left().iter().map(|(_, count)| count).sum();
    let most = match failed {
        // The stream, and the part of the device that it is on.
        "cuStreamDestroy_v2" => 2,
        _ => u64::from(takes_back),
    };
    assert!(left <= most, "{}", said());
}

/// Lets calls of a graph fail, each in a run of its own: one of `step`, or eight times as many.
fn let_calls_fail(name: &str, step: usize, run: impl Fn(&str) -> (Ended, Report)) {
    let (ended, report) = run("any:0=2");
    assert_eq!(ended.status, Some(0), "{name}\n{}", ended.stderr);
    let calls = report.get("calls");
    assert!(calls > 50, "{name} {report:?}");
    let step = if is_thorough() { step.div_ceil(8) } else { step };
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
        (
            "chains",
            chain(&[("first", "Nothing"), ("second", "Nothing")], POOLS[0], 16),
            "--cuda-graphs",
        ),
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

/// A run for [`every_function_of_the_driver_fails_once`].
struct Case {
    name: &'static str,
    app: String,
    manifest: &'static str,
    options: &'static str,
    /// Further settings of the stand-in.
    settings: &'static [(&'static str, &'static str)],
    /// Kind of memory that the recording states.
    storage: i32,
}

impl Case {
    fn run(&self, mode: &str, failure: &str) -> (Ended, Report) {
        let mut gxe = Gxe::alone();
        let folder = gxe.folder();
        if !self.app.is_empty() {
            gxe = gxe.file("app.yaml", &self.app).file("manifest.yaml", self.manifest);
            gxe = gxe.args("--app app.yaml --manifest manifest.yaml");
        }
        let mut frame = rgb_frame(10, 4, 256);
        let Component::Raw { bytes, .. } = &mut frame else { unreachable!("a frame") };
        bytes[8..12].copy_from_slice(&self.storage.to_le_bytes());
        let mut files = Files::default();
        files.add(1, &[frame]);
        files.write(&folder, "in");
        gxe = with_driver(gxe.args(self.options), &folder, mode);
        for (name, value) in self.settings {
            gxe = gxe.env(name, value);
        }
        run(gxe.env("CUDA_STAND_IN_FAIL", failure))
    }
}

/// An entity that reads pictures and sends them no further, once the device is done.
fn drain() -> String {
    entity(
        "drain",
        &[
            &format!("name: in, {RX}"),
            "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in}",
            &format!("{MESSAGE}in}}"),
        ],
    )
}

fn copier(name: &str, mode: u32) -> String {
    let copier = format!(
        "type: nvidia::gxf::TensorCopier, parameters: {{receiver: in, transmitter: out, allocator: \
         pool, mode: {mode}}}"
    );
    stage(name, &copier, POOLS[1])
}

/// Pictures of the device of a group, copied on the device, to the host and there, under a scheduler.
fn pictures(group: &str, kind: &str) -> String {
    let set = entity(
        "set",
        &[
            &format!("name: out, {TX}"),
            "name: pool, type: nvidia::gxf::StreamOrderedAllocator",
            "name: streams, type: nvidia::gxf::CudaStreamPool",
            "type: nvidia::gxf::NppiSet, parameters: {rows: 4, columns: 8, channels: 3, value: [1, 2, 3], \
             pool: pool, out: out}",
            &format!("{ROOM}out}}"),
            "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}",
        ],
    );
    [
        set,
        copier("again", 0),
        copier("to_host", 1),
        drain(),
        connected("set/out", "again/in"),
        connected("again/out", "to_host/in"),
        connected("to_host/out", "drain/in"),
        group.to_owned(),
        scheduler(kind),
    ]
    .concat()
}

/// A picture that a replayer reads to the device, where a codelet works on it.
fn replayed(codelet: &str) -> String {
    let replayer = entity(
        "replayer",
        &[
            &format!("name: out, {TX}"),
            "name: memory, type: nvidia::gxf::UnboundedAllocator",
            "name: frames, type: gxe::MultimediaComponentSerializer, parameters: {allocator: memory}",
            "name: entities, type: nvidia::gxf::StdEntitySerializer, parameters: \
             {component_serializers: [frames]}",
            "name: more, type: nvidia::gxf::BooleanSchedulingTerm",
            "type: nvidia::gxf::EntityReplayer, parameters: {transmitter: out, entity_serializer: \
             entities, boolean_scheduling_term: more, directory: '.', basename: in}",
            &format!("{ROOM}out}}"),
        ],
    );
    [
        replayer,
        stage("work", codelet, POOLS[1]),
        copier("to_host", 1),
        drain(),
        connected("replayer/out", "work/in"),
        connected("work/out", "to_host/in"),
        connected("to_host/out", "drain/in"),
        scheduler(SCHEDULERS[0].1),
    ]
    .concat()
}

fn cases() -> Vec<Case> {
    const CUDA: &str = "extensions: [libgxf_test.so, libgxf_cuda.so, libgxf_test_cuda.so]\n";
    const FRAMES: &str = "extensions: [libgxf_serialization.so, libgxf_multimedia.so, \
                          libgxf_cuda.so, libgxf_format_converter.so]\n";
    const NPP: &str = "extensions: [libgxf_cuda.so, libgxf_npp.so]\n";
    const ACTORS: &str = "type: gxe::ActorScheduler, parameters: {clock: clock, threads: 2}";
    const SECOND: &str = "---\nname: gpu\ncomponents:\n- {type: nvidia::gxf::GPUDevice, parameters: \
                          {dev_id: 1}}\n---\nEntityGroups:\n- {name: second, target: [gpu, set]}\n";
    let both = SECOND.replace("[gpu, set]", "[gpu, set, again]");
    let case =
        |name, app, options| Case { name, app, manifest: CUDA, options, settings: &[], storage: 1 };
    let greedy = scheduler(SCHEDULERS[0].1);
    let convert = "type: nvidia::holoscan::formatconverter::FormatConverter, parameters: {in: in, out: \
                   out, pool: pool, out_dtype: float32}";
    let settings = |settings, case: Case| Case { settings, ..case };
    vec![
        case("products", with_event(&dot_product(POOLS[2], "sync", 3)) + &greedy, ""),
        case("buffers", buffers(3) + &greedy, ""),
        case("copies", there_and_back(2, 3) + &greedy, ""),
        case("graphs", multiples("Phases", POOLS[0], 160) + &greedy, "--cuda-graphs"),
        case("copies on the host", multiples("HostCopy", POOLS[1], 3) + &greedy, ""),
        case("foreign streams", multiples("Foreign", POOLS[0], 6) + &greedy, "--cuda-graphs"),
        case("a part of the device", on_part("sms_per_partition: [2]", "", 3), ""),
        case(
            "a trace",
            dot_product(POOLS[0], "term", 3) + &greedy,
            "--statistics --trace run.trace",
        ),
        case("a description", String::new(), "inspect cuda"),
        settings(
            &[("CUDA_STAND_IN_MEMORY", "10000")],
            case("a small device", dot_product(POOLS[0], "term", 3) + &greedy, ""),
        ),
        Case { manifest: FRAMES, ..case("frames", replayed(convert), "") },
        Case { manifest: FRAMES, storage: 3, ..case("managed memory", replayed(convert), "") },
        Case { manifest: NPP, ..case("pictures", pictures("", SCHEDULERS[0].1), "") },
        Case { manifest: NPP, ..case("acts", pictures("", ACTORS), "") },
        settings(
            &[("CUDA_STAND_IN_DEVICES", "2")],
            Case { manifest: NPP, ..case("devices", pictures(SECOND, SCHEDULERS[0].1), "") },
        ),
        // The copies on the host go home behind the stream of another device.
        settings(
            &[("CUDA_STAND_IN_DEVICES", "2")],
            Case { manifest: NPP, ..case("one device", pictures(&both, SCHEDULERS[0].1), "") },
        ),
    ]
}

/// Each function of the driver that gxe looks up fails in a run that needs it, at a call in the middle;
/// `GXE_THOROUGH=1`: in each of the runs, at the first call and at the last one, too.
#[test]
fn every_function_of_the_driver_fails_once() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not fail on demand");
        return;
    }
    let table = include_str!("../../runtime/device/src/api.rs");
    let (_, table) = table.split_once("functions! {\n    required").expect("the table");
    let names = table.lines().filter_map(|line| line.trim_start().split_once('('));
    let all: BTreeSet<&str> =
        names.map(|(name, _)| name).filter(|name| name.starts_with("cu")).collect();
    assert!(all.len() > 55, "{all:?}");
    let mut failed = BTreeSet::new();
    for (index, case) in cases().into_iter().enumerate() {
        let mode = MODES[index % MODES.len()];
        let (_, plain) = case.run(mode, "any:0=2");
        for function in &all {
            let calls = plain.get(&format!("call {function}"));
            // Other cases let it fail elsewhere.
            if calls == 0 || failed.contains(function) && !is_thorough() {
                continue;
            }
            let middle = calls.div_ceil(2);
            let numbers = if is_thorough() { [1, middle, calls] } else { [middle; 3] };
            for call in BTreeSet::from(numbers) {
                let failure = format!("{function}:{call}=2");
                let (ended, report) = case.run(mode, &failure);
                ends_well(&format!("{} {mode} {failure}", case.name), &ended, &report);
                failed.extend(report.failed().and_then(|name| all.get(name)));
            }
        }
    }
    let never: Vec<_> = all.difference(&failed).collect();
    // Only extensions in C++ need them: `cpp/cuda.rs`.
    let of_extensions = ["cuCtxSynchronize", "cuFuncSetAttribute", "cuMemPoolGetAttribute"];
    assert_eq!(never, of_extensions.each_ref(), "these never failed");
}
