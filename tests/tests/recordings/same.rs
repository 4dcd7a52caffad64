//! A recording of a replay is identical, byte for byte.

use crate::recordings::{MANIFEST, app, pictures, playback, recorded, tensor};
use gxe_tests::recording::{AUDIO_BUFFER, Component, Files, TENSOR, TIMESTAMP, nv12, picture};
use gxe_tests::{Gxe, SCHEDULER, lines_of};
use std::path::Path;

#[track_caller]
pub fn is_recorded_as_it_is(files: &Files) {
    let (ended, out) = recorded(playback(files, ""));
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert_eq!(ended.count("WARN"), 0);
    assert!(out == *files, "what was recorded differs from what was replayed:\n{}", ended.stdout);
}

#[test]
fn pictures_are_recorded_as_they_are() {
    is_recorded_as_it_is(&pictures(50));
}

#[test]
fn every_element_type_and_rank_is_recorded_as_it_is() {
    let mut files = Files::default();
    let sizes = [1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, 2];
    for (element, size) in (1..).zip(sizes) {
        files.add(element as u64, &[tensor("", element, size, &[3, 2])]);
    }
    for rank in 1..=8 {
        files.add(100 + rank as u64, &[tensor("ranks", 9, 4, &vec![2; rank])]);
    }
    // Two tensors, one in system memory, one without elements.
    let mut second = tensor("second", 10, 8, &[1, 7]);
    let Component::Tensor { storage, .. } = &mut second else { unreachable!() };
    *storage = 2;
    files.add(200, &[tensor("first", 2, 1, &[5]), second, tensor("empty", 2, 1, &[0, 3])]);
    is_recorded_as_it_is(&files);
}

#[test]
fn video_frames_and_device_tensors_are_recorded_as_they_are() {
    let mut files = Files::default();
    for number in 1..4 {
        files.add(number, &[nv12(64, 48, 256), picture(2, 2, number as u8)]);
    }
    // As NVIDIA's converter writes them; this machine has no device.
    let mut device = picture(4, 4, 9);
    let Component::Tensor { storage, .. } = &mut device else { unreachable!() };
    *storage = 1;
    files.add(4, &[device]);
    is_recorded_as_it_is(&files);
}

#[test]
fn times_are_recorded_as_they_are() {
    let timestamp = |name: &str, pubtime: i64, acqtime: i64| Component::Raw {
        name: name.to_owned(),
        tid: TIMESTAMP,
        bytes: [pubtime.to_le_bytes(), acqtime.to_le_bytes()].concat(),
    };
    let mut files = Files::default();
    // Frames with a timestamp of their own, which differs from the log time; a frame with nothing
    // else; and log times that fall, repeat, or are implausible.
    files.add(10, &[picture(2, 2, 0), timestamp("timestamp", 0, 7)]);
    files.add(20, &[timestamp("timestamp", 5, 20), timestamp("exposure", 1, 2)]);
    files.add(30, &[]);
    files.add(30, &[picture(2, 2, 1)]);
    files.add(15, &[picture(2, 2, 2)]);
    files.add(u64::MAX, &[picture(2, 2, 3)]);
    files.add(0, &[picture(2, 2, 4)]);
    let (ended, out) = recorded(playback(&files, ""));
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert!(out == files, "{}", ended.stdout);
}

/// A `float32` tensor of two dimensions with these strides.
fn strided(shape: [i32; 2], strides: [u64; 2]) -> Component {
    let mut bytes = Vec::new();
    bytes.extend([0, 9].map(i32::to_le_bytes).as_flattened());
    bytes.extend(4_u64.to_le_bytes());
    bytes.extend(2_u32.to_le_bytes());
    let [rows, columns] = shape;
    bytes.extend([rows, columns, 1, 1, 1, 1, 1, 1].map(i32::to_le_bytes).as_flattened());
    let [row, column] = strides;
    bytes.extend([row, column, 0, 0, 0, 0, 0, 0].map(u64::to_le_bytes).as_flattened());
    bytes.extend((0..rows * columns * 4).map(|byte| byte as u8));
    Component::Raw { name: "strided".to_owned(), tid: TENSOR, bytes }
}

#[test]
fn unusual_strides_are_recorded_as_they_are() {
    let mut files = Files::default();
    // By columns; rows with a stride of 0; overlapping elements.
    files.add(1, &[strided([3, 4], [4, 12])]);
    files.add(2, &[strided([1, 4], [999, 4]), strided([0, 4], [7, 4])]);
    files.add(3, &[strided([2, 4], [0, 0]), strided([2, 4], [0, 4])]);
    is_recorded_as_it_is(&files);
}

#[test]
fn names_and_numbers_of_components_are_recorded_as_they_are() {
    let named = |name: &str| tensor(name, 9, 4, &[2]);
    let mut files = Files::default();
    files.add(1, &[named(""), tensor("", 2, 1, &[3]), named(""), tensor("", 10, 8, &[1])]);
    files.add(2, &(0..300).map(|number| named(&format!("t{number}"))).collect::<Vec<_>>());
    files.add(3, &[named("名前 / with spaces"), named(&"x".repeat(1000))]);
    // Names that gxe uses for its own payloads.
    let raw =
        |name: &str| Component::Raw { name: name.to_owned(), tid: TIMESTAMP, bytes: vec![3; 16] };
    files.add(4, &[named("timestamp"), named("log_time")]);
    files.add(5, &[raw("log_time"), raw("timestamp"), named("a")]);
    is_recorded_as_it_is(&files);
}

#[test]
fn sound_and_video_of_a_device_are_recorded_as_they_are() {
    let mut video = nv12(4, 2, 256);
    let Component::Raw { bytes, .. } = &mut video else { unreachable!() };
    bytes[8..12].copy_from_slice(&1_i32.to_le_bytes());
    let mut sound = [2, 3, 48_000, 2, 1, 1, 1].map(u32::to_le_bytes).concat();
    sound.extend(0..12);
    let tid = AUDIO_BUFFER;
    let mut files = Files::default();
    files.add(1, &[video, Component::Raw { name: "sound".to_owned(), tid, bytes: sound }]);
    is_recorded_as_it_is(&files);
}

/// An extension may use its own layout for a type: valid data is never taken for damage.
#[test]
fn a_layout_of_somebody_elses_is_left_to_its_serializer() {
    let own = |bytes: &[u8]| Component::Raw {
        name: "own".to_owned(),
        tid: TENSOR,
        bytes: [&[bytes.len() as u8], bytes].concat(),
    };
    let mut files = Files::default();
    files.add(1, &[own(b"abc")]);
    files.add(2, &[own(b""), own(&[0xff; 200])]);
    let serializer = "{name: component_serializer, type: gxe::test::OwnTensorSerializer}";
    let usual = "{name: component_serializer, type: nvidia::gxf::StdComponentSerializer,
   parameters: {allocator: allocator}}";
    let app = app("", SCHEDULER).replace(usual, serializer);
    let manifest = format!("{MANIFEST}- libgxf_lifecycle_probe.so\n");
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", &manifest);
    files.write(&gxe.folder(), "in");
    let (ended, out) = recorded(gxe.args("--app app.yaml --manifest manifest.yaml"));
    assert_eq!((ended.status, ended.count("is skipped")), (Some(0), 0), "{}", ended.stdout);
    assert!(out == files, "{}", ended.stdout);
    // With the standard serializer these frames make no sense.
    let ended = playback(&files, "").run();
    assert_eq!(ended.status, Some(5));
    ended.complains("the tensor header of component 0 needs 116 bytes where only 4 are left");
}

#[test]
fn the_application_of_the_guide_gives_back_what_it_reads() {
    for parameter in ["out_directory:", "directory:"] {
        the_guide_with(parameter);
    }
}

fn the_guide_with(parameter: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root.join("apps/my_recorder/my_recorder_gxf.yaml")).unwrap();
    let out = text.replace("/tmp", folder.path().to_str().unwrap());
    assert_ne!(out, text);
    // The guide uses either name for the directory.
    let out = out.replace("out_directory:", parameter);
    std::fs::write(folder.path().join("app.yaml"), out).unwrap();
    let line = format!(
        "--app {} --manifest manifests/my_recorder.yaml",
        folder.path().join("app.yaml").display()
    );
    let ended = Gxe::in_folder(&root).args(&line).run().clean();
    let app = folder.path().join("app.yaml");
    let expected = [
        "Creating context",
        &format!("Loading app: '{}'", app.display()),
        &format!("Loading GXF entities from YAML file '{}'...", app.display()),
        "Initializing...",
        "Running...",
        "Scheduling 2 entities",
        "Reach end of file or playback count reaches to the limit. Stop ticking.",
        "Scheduler stopped: Some entities are waiting for execution, but there are no periodic or \
         async entities to get out of the deadlock.",
        "Scheduler finished.",
        "Deinitializing...",
        "Destroying context",
        "Context destroyed.",
    ];
    assert_eq!(ended.log(), expected, "the whole log that the guide shows");
    assert_eq!(lines_of(&ended.stdout).count(), expected.len(), "{}", ended.stdout);
    let original = Files::read(&root.join("apps/my_recorder/data"), "turning_disc");
    assert!(Files::read(folder.path(), "tensor_out") == original, "not byte-identical");
}
