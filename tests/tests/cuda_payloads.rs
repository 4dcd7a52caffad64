//! Tensors, video frames and sound in device memory and in managed memory: in recordings, and over links
//! between processes.
//!
//! A replayer reads a recording to the device; what is recorded then, in the same process or in another
//! one, has the same bytes.

use crate::cuda::{RMM, connected, scheduler};
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, with_driver};
use gxe_tests::graphs::{RECORDINGS, replay_and_record};
use gxe_tests::links::{GREEDY, common_entities, free_port};
use gxe_tests::recording::{AUDIO_BUFFER, Component, Files, VIDEO_BUFFER, nv12, picture};
use gxe_tests::{Ended, Gxe};

const DEVICE: i32 = 1;
const MANAGED: i32 = 3;

/// Frames of one recording.
const FRAMES: u64 = 12;

const ORDERED: &str = "type: nvidia::gxf::StreamOrderedAllocator";
const UNBOUNDED: &str = "type: nvidia::gxf::UnboundedAllocator";

/// States the storage type of a payload, whatever its kind.
fn stored_in(storage: i32, mut component: Component) -> Component {
    match &mut component {
        Component::Tensor { storage: stated, .. } => *stated = storage,
        Component::Raw { tid, bytes, .. } => {
            let place = match *tid {
                VIDEO_BUFFER => 8,
                AUDIO_BUFFER => 24,
                other => panic!("{other:?} has no memory"),
            };
            bytes[place..place + 4].copy_from_slice(&storage.to_le_bytes());
        }
    }
    component
}

fn sound(seed: u8) -> Component {
    let mut bytes = [2, 30, 48_000, 2, 1, 1, 0].map(u32::to_le_bytes).concat();
    bytes.extend((0..120).map(|byte: u8| byte.wrapping_mul(3).wrapping_add(seed)));
    Component::Raw { name: "sound".to_owned(), tid: AUDIO_BUFFER, bytes }
}

/// Bytes of the memory of all payloads of a frame.
const SIZES: [u64; 3] = [16 * 12 * 3, 256 * 24 * 3 / 2, 120];

/// A recording whose payloads are stated to lie in this kind of memory.
fn payloads(storage: i32) -> Files {
    let mut files = Files::default();
    for number in 0..FRAMES {
        let seed = number as u8;
        let all = [picture(16, 12, seed), nv12(64, 24, 256), sound(seed)];
        files.add(1_000_000 * number, &all.map(|component| stored_in(storage, component)));
    }
    files
}

/// Runs in a folder of its own with the recording `in`: its end, the recording `out` if there is one, and
/// what the stand-in counted.
fn recorded(app: &str, files: &Files, mode: &str) -> (Ended, Files, Report) {
    let gxe = Gxe::alone()
        .file("app.yaml", app)
        .file("manifest.yaml", &format!("{RECORDINGS}- libgxf_cuda.so\n- libgxf_rmm.so\n"))
        .args("--app app.yaml --manifest manifest.yaml");
    let folder = gxe.folder();
    files.write(&folder, "in");
    let running = with_driver(gxe, &folder, mode).spawn();
    let (ended, (out, report)) = running.end_with(|| {
        let report = std::fs::read_to_string(folder.join("report")).unwrap_or_default();
        let is_there = folder.join("out.gxf_index").exists();
        let out = if is_there { Files::read(&folder, "out") } else { Files::default() };
        (out, report)
    });
    (ended, out, Report::parse(&report))
}

/// The replayer and the recorder, whose serializers read to memory of this allocator.
fn app(allocator: &str, kind: &str) -> String {
    replay_and_record("", &scheduler(kind)).replace(UNBOUNDED, allocator)
}

#[test]
fn payloads_on_a_device_are_recorded_as_they_are() {
    for (index, mode) in MODES.into_iter().enumerate() {
        for (place, allocator) in [UNBOUNDED, ORDERED, RMM].into_iter().enumerate() {
            let kind = SCHEDULERS[(index + place) % SCHEDULERS.len()].1;
            let (ended, out, report) = recorded(&app(allocator, kind), &payloads(DEVICE), mode);
            let ended = ended.with_status(0);
            assert!(out == payloads(DEVICE), "{allocator} {mode}\n{}", ended.stdout);
            report.nothing_is_left();
            if is_on_gpu() {
                continue;
            }
            for copy in ["HtoD", "DtoH"] {
                let count = report.get(&format!("call cuMemcpy{copy}Async_v2"));
                assert_eq!(count, SIZES.len() as u64 * FRAMES, "{allocator} {mode} {report:?}");
            }
            // Each serializer keeps a piece of host memory for each size, and a stream.
            let pinned = report.get("call cuMemHostAlloc");
            assert!(pinned <= 2 * SIZES.len() as u64 + 4, "{allocator} {mode} {report:?}");
        }
    }
}

/// Managed memory is memory of a device for whoever reads the recording.
#[test]
fn payloads_in_managed_memory_are_recorded_as_device_memory() {
    for (index, mode) in MODES.into_iter().enumerate() {
        let kind = SCHEDULERS[index % SCHEDULERS.len()].1;
        let (ended, out, report) = recorded(&app(UNBOUNDED, kind), &payloads(MANAGED), mode);
        let ended = ended.with_status(0);
        assert!(out == payloads(DEVICE), "{mode}\n{}", ended.stdout);
        report.nothing_is_left();
        if !is_on_gpu() {
            // The allocator hands out again what comes back.
            let kinds = ["cuMemAllocManaged", "cuMemAlloc_v2"];
            let [managed, plain] = kinds.map(|kind| report.get(&format!("call {kind}")));
            assert!(managed >= SIZES.len() as u64 && plain == 0, "{mode} {report:?}");
        }
    }
    // Where it cannot be had, the run says so: it does not become other memory.
    for allocator in [ORDERED, RMM] {
        let (ended, _, report) =
            recorded(&app(allocator, SCHEDULERS[0].1), &payloads(MANAGED), "lazy");
        assert_ne!(ended.status, Some(0), "{}", ended.stdout);
        ended.complains("memory of storage type 3 was requested");
        report.nothing_is_left();
    }
}

/// The replayer's process and the recorder's, with a link between them: their apps.
fn apart(allocator: &str, carrier: &str, kind: &str) -> [String; 2] {
    let app = replay_and_record("", "");
    let connection = connected("replayer/output", "recorder/input");
    let connection = connection.lines().last().expect("the component");
    let app = app.replace(&format!("---\ncomponents:\n{connection}\n"), "");
    let (replayer, recorder) = app.split_once("---\n").expect("two entities");
    assert!(!recorder.contains("---"), "{recorder}");
    let port = free_port();
    let end = |entity: &str, queue: &str, plain: &str, linked: &str| {
        let old = format!(
            "- {{name: {queue}, type: nvidia::gxf::{plain}, parameters: {{capacity: 8}}}}\n"
        );
        assert!(entity.contains(&old), "{entity}");
        let new = format!(
            "- {{name: buffer, type: nvidia::gxf::UcxSerializationBuffer, parameters: {{allocator: \
             allocator}}}}\n- {{name: {queue}, type: nvidia::gxf::{linked}, parameters: {{buffer: \
             buffer, port: {port}}}}}\n"
        );
        entity.replace(&old, &new)
    };
    let common = common_entities(&format!("carrier: {carrier}"), GREEDY);
    let links = common.split("---\n").find(|document| document.starts_with("name: links"));
    let links = links.expect("the network").replace(UNBOUNDED, allocator);
    let whole = |entity: String| format!("{entity}---\n{links}{}", scheduler(kind));
    [
        whole(end(replayer, "output", "DoubleBufferTransmitter", "UcxTransmitter")),
        whole(end(recorder, "input", "DoubleBufferReceiver", "UcxReceiver")),
    ]
}

/// Runs both: the recording, and what the stand-ins of sender and receiver counted.
fn over_a_link(apps: &[String; 2], files: &Files, mode: &str) -> (Files, [Report; 2]) {
    let manifest = format!("{RECORDINGS}- libgxf_cuda.so\n- libgxf_rmm.so\n- libgxf_ucx.so\n");
    let [sender, receiver] = apps.each_ref().map(|app| {
        let gxe = Gxe::alone()
            .file("app.yaml", app)
            .file("manifest.yaml", &manifest)
            .env("XDG_RUNTIME_DIR", &std::env::temp_dir().to_string_lossy())
            .args("--app app.yaml --manifest manifest.yaml --severity debug");
        let folder = gxe.folder();
        with_driver(gxe, &folder, mode)
    });
    let folders = [sender.folder(), receiver.folder()];
    files.write(&folders[0], "in");
    let report = |place: usize| {
        Report::parse(&std::fs::read_to_string(folders[place].join("report")).unwrap_or_default())
    };
    let mut receiver = receiver.spawn();
    receiver.wait_for("listens at");
    let (ended, sent) = sender.spawn().end_with(|| report(0));
    _ = ended.with_status(0);
    let (ended, (out, received)) =
        receiver.end_with(|| (Files::read(&folders[1], "out"), report(1)));
    _ = ended.with_status(0);
    (out, [sent, received])
}

#[test]
fn payloads_on_a_device_arrive_on_that_of_another_process() {
    for (index, mode) in MODES.into_iter().enumerate() {
        let allocator = [UNBOUNDED, ORDERED, RMM][index % 3];
        let carrier = ["unix", "tcp"][index % 2];
        let kind = SCHEDULERS[index % SCHEDULERS.len()].1;
        // Managed memory arrives in memory of the device.
        for storage in [DEVICE, MANAGED] {
            let apps = apart(allocator, carrier, kind);
            let (out, reports) = over_a_link(&apps, &payloads(storage), mode);
            let what = format!("{storage} {allocator} {carrier} {mode}");
            assert!(out == payloads(DEVICE), "{what}");
            for report in &reports {
                report.nothing_is_left();
            }
            if is_on_gpu() {
                continue;
            }
            let copies = SIZES.len() as u64 * FRAMES;
            for report in &reports {
                for copy in ["HtoD", "DtoH"] {
                    let count = report.get(&format!("call cuMemcpy{copy}Async_v2"));
                    assert_eq!(count, copies, "{what} {report:?}");
                }
            }
            // The sender uses host memory again that a message has left, and the receiver that a copy
            // has left, at once where copies are done at once.
            for report in reports.iter().take(if mode == "eager" { 2 } else { 1 }) {
                assert!(report.get("call cuMemHostAlloc") < copies, "{what} {report:?}");
            }
        }
    }
}
