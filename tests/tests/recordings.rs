//! Recordings through real graphs: replayed and recorded again, damaged, killed.

use gxe_tests::recording::{Component, Files, TENSOR, TIMESTAMP, nv12, picture};
use gxe_tests::{Ended, Gxe, SCHEDULER};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_serialization.so
- libgxf_multimedia.so
- libgxf_stream_playback.so
- libmy_recorder.so
";

/// A replayer of the recording `in` and a recorder of the recording `out`, in the working
/// directory. `parameters` are further ones of the replayer, each with a comma before it.
fn app(parameters: &str, scheduler: &str) -> String {
    let serializer = "\
- {name: allocator, type: nvidia::gxf::UnboundedAllocator}
- {name: component_serializer, type: nvidia::gxf::StdComponentSerializer,
   parameters: {allocator: allocator}}
- {name: multimedia, type: gxe::MultimediaComponentSerializer, parameters: {allocator: allocator}}
- {name: serializer, type: nvidia::holoscan::stream_playback::VideoStreamSerializer,
   parameters: {component_serializers: [component_serializer, multimedia]}}
";
    format!(
        "\
name: replayer
components:
- {{name: output, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 8}}}}
{serializer}\
- {{name: replayer, type: nvidia::holoscan::stream_playback::VideoStreamReplayer,
   parameters: {{transmitter: output, entity_serializer: serializer,
     boolean_scheduling_term: more, directory: '.', basename: in{parameters}}}}}
- {{name: more, type: nvidia::gxf::BooleanSchedulingTerm}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: output}}}}
---
name: recorder
components:
- {{name: input, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 8}}}}
{serializer}\
- {{name: recorder, type: nvidia::holoscan::stream_playback::VideoStreamRecorder,
   parameters: {{receiver: input, entity_serializer: serializer, out_directory: '.',
     basename: out}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: input}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: replayer/output, target: recorder/input}}}}
{scheduler}"
    )
}

/// A run of [`app`] with this recording.
fn playback(files: &Files, parameters: &str) -> Gxe {
    let gxe = Gxe::alone().file("app.yaml", &app(parameters, SCHEDULER));
    files.write(&gxe.folder(), "in");
    gxe.file("manifest.yaml", MANIFEST).args("--app app.yaml --manifest manifest.yaml")
}

/// Runs, and reads what was recorded.
fn recorded(gxe: Gxe) -> (Ended, Files) {
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("Deinitializing");
    // The folder goes with the run, and the recording is complete by now: codelets were stopped.
    let files = Files::read(&folder, "out");
    (running.end(), files)
}

#[track_caller]
fn is_recorded_as_it_is(files: &Files) {
    let (ended, out) = recorded(playback(files, ""));
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert_eq!(ended.count("WARN"), 0);
    assert!(out == *files, "what was recorded differs from what was replayed:\n{}", ended.stdout);
}

fn pictures(count: u8) -> Files {
    let mut files = Files::default();
    for number in 0..count {
        files.add(1_000_000 * u64::from(number), &[picture(4, 5, number)]);
    }
    files
}

fn tensor(name: &str, element: i32, element_size: u64, shape: &[i32]) -> Component {
    let count: u64 = shape.iter().map(|&length| length as u64).product();
    let data = (0..count * element_size).map(|index| (index * 31 % 251) as u8).collect();
    let shape = shape.to_vec();
    Component::Tensor { name: name.to_owned(), storage: 0, element, element_size, shape, data }
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
    // As NVIDIA's converter writes them; here there is no device.
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
    // Frames with a timestamp of their own, which is not the log time; a frame of nothing else;
    // and log times that fall, repeat, and are no plausible times at all.
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
    // By columns; of rows that are never stepped to; of elements that lie on each other.
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
    // What gxe calls payloads of its own.
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
    let tid = (0xa914cac65f19449d, 0x9ade8c5cdcebe7c3);
    let mut files = Files::default();
    files.add(1, &[video, Component::Raw { name: "sound".to_owned(), tid, bytes: sound }]);
    is_recorded_as_it_is(&files);
}

/// An extension may write a type in a layout of its own: nothing that is right is taken for damage.
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
    assert_eq!((ended.status, ended.count("is left out")), (Some(0), 0), "{}", ended.stdout);
    assert!(out == files, "{}", ended.stdout);
    // With the usual serializer these frames make no sense.
    let ended = playback(&files, "").run();
    assert_eq!(ended.status, Some(5));
    ended.complains("the tensor header of component 0 needs 116 bytes where only 4 are left");
}

#[test]
fn an_index_in_any_order_is_followed() {
    let mut files = pictures(4);
    let mut expected = Files::default();
    let records: Vec<u8> = files.index.chunks(24).rev().flatten().copied().collect();
    files.index = records;
    for number in (0..4).rev() {
        expected.add(1_000_000 * u64::from(number), &[picture(4, 5, number)]);
    }
    let (ended, out) = recorded(playback(&files, ""));
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert!(out == expected, "{}", ended.stdout);
}

#[test]
fn records_that_cannot_have_frames_are_not_gone_through() {
    let sparse = |parameters: &str| {
        let gxe = playback(&pictures(3), parameters);
        let index = std::fs::File::options().write(true).open(gxe.folder().join("in.gxf_index"));
        index.unwrap().set_len(24 << 36).unwrap();
        gxe
    };
    let problem = "records in './in.gxf_index' cannot belong to frames in an entities file of";
    let (ended, out) = recorded(sparse(""));
    assert_eq!((ended.status, ended.count(problem)), (Some(0), 1), "{}", ended.stdout);
    assert_eq!(out, pictures(3));
    let ended = sparse(", ignore_corrupted_entities: false").run();
    assert_eq!(ended.status, Some(5));
    ended.complains(problem);
}

#[test]
fn an_empty_recording_ends_at_once() {
    is_recorded_as_it_is(&Files::default());
    let (ended, out) = recorded(playback(&Files::default(), ", repeat: true"));
    assert_eq!((ended.status, out), (Some(0), Files::default()));
}

#[test]
fn a_replay_can_be_counted_repeated_and_batched() {
    let times = |files: &Files| {
        let records = files.index.chunks(24);
        records
            .map(|record| u64::from_le_bytes(record[..8].try_into().unwrap()) / 1_000_000)
            .collect::<Vec<_>>()
    };
    let (_, out) = recorded(playback(&pictures(5), ", count: 3"));
    assert_eq!(times(&out), [0, 1, 2]);
    let (_, out) = recorded(playback(&pictures(3), ", count: 7, repeat: true"));
    assert_eq!(times(&out), [0, 1, 2, 3, 4, 5, 6]);
    let frame = pictures(1).entities.len();
    assert_eq!(out.entities[40..frame], out.entities[3 * frame + 40..4 * frame]);
    let (_, out) = recorded(playback(&pictures(5), ", batch_size: 2"));
    assert_eq!(out, pictures(5));
}

#[test]
fn frames_come_at_their_times() {
    // On a manual clock, the time of the scheduler says when the last frame came.
    for (parameters, milliseconds) in
        [("", 9), (", frame_rate: 100", 90), (", realtime: false", 0), (", frame_rate: 1000.0", 9)]
    {
        let late = format!("{SCHEDULER}    max_duration_ms: {}\n", milliseconds + 1);
        let gxe = Gxe::alone().file("app.yaml", &app(parameters, &late));
        pictures(10).write(&gxe.folder(), "in");
        let gxe = gxe.file("manifest.yaml", MANIFEST);
        let (ended, out) = recorded(gxe.args("--app app.yaml --manifest manifest.yaml"));
        assert_eq!(ended.status, Some(0), "{}", ended.stderr);
        assert_eq!(out, pictures(10), "{parameters} within {milliseconds} ms");
        if milliseconds == 0 {
            continue;
        }
        let early = format!("{SCHEDULER}    max_duration_ms: {}\n", milliseconds - 1);
        let gxe = Gxe::alone().file("app.yaml", &app(parameters, &early));
        pictures(10).write(&gxe.folder(), "in");
        let gxe = gxe.file("manifest.yaml", MANIFEST);
        let (_, out) = recorded(gxe.args("--app app.yaml --manifest manifest.yaml"));
        assert_eq!(out, pictures(9), "{parameters} not before {milliseconds} ms");
    }
}

/// Everything a user sees of a failed run, without the log.
#[track_caller]
fn fails(files: &Files, parameters: &str, expected: &str) {
    let ended = playback(files, parameters).run();
    assert_eq!((ended.status, &*ended.stderr), (Some(5), expected), "{}", ended.stdout);
}

fn damaged(offset: usize, bytes: &[u8]) -> Files {
    let mut files = pictures(3);
    // In the second frame.
    let start = files.entities.len() / 3 + offset;
    files.entities[start..start + bytes.len()].copy_from_slice(bytes);
    files
}

#[test]
fn a_damaged_frame_is_an_error_that_says_what_is_wrong() {
    let huge = (1_u64 << 63).to_le_bytes();
    for (files, problem) in [
        (damaged(24, &huge), "the header of component 1 needs 32 bytes where only 0 are left"),
        (
            damaged(64, &huge),
            "the name of component 0 needs 9223372036854775808 bytes where only 176 are left",
        ),
        (
            damaged(88, &[9]),
            "the tensor in component 0 is impossible: a rank of 9, and the highest is 8",
        ),
        (
            damaged(92, &i32::MAX.to_le_bytes()),
            "the data of component 0 needs 32212254705 bytes where only 60 are left",
        ),
        (
            damaged(76, &[77]),
            "the tensor in component 0 is impossible: element type 77, and the highest is 13",
        ),
    ] {
        let expected = format!("\
error: the graph failed
  because: entity `replayer`, component `replayer` of type nvidia::holoscan::stream_playback::VideoStreamReplayer (extension StreamPlaybackExtension): tick failed with GXF_INVALID_DATA_FORMAT
    because: frame 1 of './in.gxf_entities' cannot be read: {problem}
");
        fails(&files, ", ignore_corrupted_entities: false", &expected);
    }
}

#[test]
fn damaged_frames_are_left_out_with_a_warning() {
    let files = damaged(88, &[9]);
    let (ended, out) = recorded(playback(&files, ""));
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    let warning = "frame 1 of './in.gxf_entities' is left out: the tensor in component 0 is \
                   impossible: a rank of 9, and the highest is 8";
    assert_eq!(ended.count(warning), 1, "{}", ended.stdout);
    let mut expected = Files::default();
    expected.add(0, &[picture(4, 5, 0)]);
    expected.add(2_000_000, &[picture(4, 5, 2)]);
    assert_eq!(out, expected);
}

#[test]
fn any_damage_ends_in_an_error_or_a_warning() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    let mut original = pictures(3);
    original.add(9, &[nv12(16, 8, 256), tensor("b", 9, 4, &[2, 3])]);
    for round in 0..24 {
        let mut files = original.clone();
        for _ in 0..=next(3) {
            let bytes = if next(2) == 0 { &mut files.index } else { &mut files.entities };
            let place = next(bytes.len());
            match next(4) {
                0 => bytes.truncate(place),
                1 => bytes[place] ^= 1 << next(8),
                2 => bytes[place] = 0xff,
                _ => bytes.extend(vec![0; place]),
            }
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
        let strict = ["", ", ignore_corrupted_entities: false"][round % 2];
        let ended = playback(&files, strict).run();
        let output = format!("round {round}: {}\n{}", ended.stdout, ended.stderr);
        assert!(matches!(ended.status, Some(0 | 5)), "{output}");
        assert!(!output.contains("panicked"), "{output}");
    }
}

#[test]
fn a_frame_behind_four_gigabytes_is_replayed() {
    let gxe = playback(&pictures(1), "");
    let folder = gxe.folder();
    let mut files = pictures(1);
    let offset = 5_u64 << 30;
    files.index[16..24].copy_from_slice(&offset.to_le_bytes());
    std::fs::write(folder.join("in.gxf_index"), &files.index).unwrap();
    let entities = std::fs::File::create(folder.join("in.gxf_entities")).unwrap();
    entities.write_all_at(&files.entities, offset).unwrap();
    let (ended, out) = recorded(gxe);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert_eq!(out, pictures(1));
}

#[test]
fn an_unknown_type_is_named() {
    let expected = "\
error: the graph failed
  because: entity `replayer`, component `replayer` of type nvidia::holoscan::stream_playback::VideoStreamReplayer (extension StreamPlaybackExtension): tick failed with GXF_INVALID_DATA_FORMAT
    because: frame 1 of './in.gxf_entities' cannot be read: no component serializer reads the type 377501d69abf4401a6170114d4f33ab8 of component 0
";
    fails(&damaged(48, &[1]), ", ignore_corrupted_entities: false", expected);
}

#[test]
fn a_frame_without_memory_is_an_error_and_not_left_out() {
    let mut files = pictures(1);
    files.add(5, &[picture(4, 5, 1), picture(4, 6, 1)]);
    for (pool, problem) in [
        (
            "{storage_type: 0, block_size: 60, num_blocks: 4}",
            "component 1: 72 bytes do not fit a block of 60 bytes; enlarge `block_size`",
        ),
        ("{storage_type: 0, block_size: 72, num_blocks: 1}", "component 1: "),
        (
            "{storage_type: 2, block_size: 72, num_blocks: 4}",
            "component 0: memory of storage type 0",
        ),
    ] {
        let pool = format!("type: nvidia::gxf::BlockMemoryPool, parameters: {pool}}}");
        let app = app("", SCHEDULER).replacen("type: nvidia::gxf::UnboundedAllocator}", &pool, 1);
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
        files.write(&gxe.folder(), "in");
        let ended = gxe.args("--app app.yaml --manifest manifest.yaml").run();
        assert_eq!(ended.status, Some(5), "{}", ended.stdout);
        ended.complains(problem);
        assert_eq!(ended.count("is left out"), 0, "{}", ended.stdout);
    }
}

#[test]
fn a_recording_without_a_good_frame_is_an_error() {
    let mut files = pictures(3);
    files.index.fill(0xff);
    for parameters in ["", ", repeat: true"] {
        let ended = playback(&files, parameters).run();
        assert_eq!(ended.status, Some(5));
        ended.complains(
            "none of 3 frames of './in.gxf_entities' can be replayed: frame 0: the index says it has \
             18446744073709551615 bytes at offset 18446744073709551615, but the entities file has",
        );
    }
}

#[test]
fn a_missing_recording_and_a_recording_onto_itself_are_refused() {
    let gxe = playback(&pictures(1), "");
    std::fs::remove_file(gxe.folder().join("in.gxf_index")).unwrap();
    let ended = gxe.run();
    assert_eq!(ended.status, Some(5));
    ended.complains("the file './in.gxf_index' cannot be opened: No such file or directory");

    let gxe = playback(&pictures(1), "").args("--param recorder/recorder/basename=in");
    let ended = gxe.run();
    assert_eq!(ended.status, Some(5), "{}", ended.stdout);
    ended.complains("the file './in.gxf_index' is in use: another program or component reads or");

    let gxe = playback(&pictures(1), "").args("--param recorder/recorder/directory=.");
    let ended = gxe.run();
    assert_eq!(ended.status, Some(4));
    ended.complains("`directory` and `out_directory` mean the same; set one of them");
}

#[test]
fn a_base_name_stays_below_its_directory() {
    let gxe = playback(&pictures(2), "");
    std::fs::create_dir_all(gxe.folder().join("tmp/ünï 名")).unwrap();
    let gxe = gxe.arg("--param").arg("recorder/recorder/basename=/tmp/ünï 名/a b.c");
    let folder = gxe.folder().join("tmp/ünï 名");
    let mut running = gxe.spawn();
    running.wait_for("Deinitializing");
    assert_eq!(Files::read(&folder, "a b.c"), pictures(2));
    assert_eq!(running.end().status, Some(0));
}

#[test]
fn where_nothing_can_be_written_is_an_error_that_names_the_file() {
    for (name, problem) in [
        (
            "none/out",
            "the file './none/out.gxf_index' cannot be created: No such file or directory",
        ),
        ("pipe", "the file './pipe.gxf_index' cannot be created: it is a pipe or a device"),
        ("folder", "the file './folder.gxf_index' cannot be created: it is a folder, not a file"),
        ("device", "the file './device.gxf_entities' cannot be created: it is a pipe or a device"),
    ] {
        let gxe = playback(&pictures(1), "");
        let folder = gxe.folder();
        let made = std::process::Command::new("mkfifo").arg(folder.join("pipe.gxf_index")).status();
        assert!(made.unwrap().success());
        std::fs::create_dir(folder.join("folder.gxf_index")).unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.join("device.gxf_entities")).unwrap();
        let ended = gxe.args(&format!("--param recorder/recorder/basename={name}")).run();
        assert_eq!(ended.status, Some(5), "{}", ended.stdout);
        ended.complains(problem);
    }
}

/// As on a full disk: the system takes a part of a frame and then nothing more.
#[test]
fn a_frame_that_does_not_fit_is_taken_back() {
    let gxe = playback(&pictures(60), "");
    let folder = gxe.folder();
    let shell = "trap '' XFSZ; ulimit -f 10; exec \"$0\" --app app.yaml --manifest manifest.yaml";
    let ended = std::process::Command::new("bash")
        .args(["-c", shell])
        .arg(gxe_tests::build::gxe())
        .current_dir(&folder)
        .output()
        .expect("a shell");
    assert_eq!(ended.status.code(), Some(5));
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(stderr.contains("'./out.gxf_entities'"), "{stderr}");
    assert!(stderr.contains("File too large"), "{stderr}");
    let out = Files::read(&folder, "out");
    // As many frames as 10 KiB have room for, and nothing behind them.
    let (frame, all) = (188 + 60, pictures(60));
    assert_eq!((out.index.len() / 24, out.entities.len() % frame), (10 * 1024 / frame, 0));
    assert!(out.entities[..] == all.entities[..out.entities.len()]);
    assert!(out.index[..] == all.index[..out.index.len()]);
}

/// `GXE_KILLS=1000 cargo test -p gxe-tests --test recordings killed` kills more often.
#[test]
fn a_killed_recorder_leaves_every_frame_it_wrote() {
    let kills = std::env::var("GXE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    let realtime = SCHEDULER.replace("ManualClock", "RealtimeClock");
    let mut frames = 0;
    for kill in 0..kills {
        let gxe = Gxe::alone().file("app.yaml", &app(", repeat: true, realtime: false", &realtime));
        let folder = tempfile::tempdir().unwrap();
        let gxe = gxe.file("manifest.yaml", MANIFEST);
        let mut files = Files::default();
        for number in 0..3 {
            // Large enough that most kills come in the middle of one.
            files.add(1, &[picture(400, 397, number)]);
        }
        files.write(&gxe.folder(), "in");
        let out = format!("--param recorder/recorder/out_directory={}", folder.path().display());
        let gxe = gxe.args("--app app.yaml --manifest manifest.yaml").args(&out);
        let mut running = gxe.spawn();
        running.wait_for("Scheduling");
        std::thread::sleep(Duration::from_micros(kill * 2_711 % 40_000));
        let complete = index_records(folder.path());
        running.signal("KILL");
        assert_eq!(running.end().status, None);
        frames += check_killed(folder.path(), &files, complete);
    }
    assert!(frames > 0, "something was recorded");
}

fn index_records(folder: &Path) -> usize {
    index_records_of(folder, "out")
}

fn index_records_of(folder: &Path, name: &str) -> usize {
    let index = folder.join(format!("{name}.gxf_index"));
    std::fs::metadata(index).map_or(0, |file| file.len() as usize / 24)
}

/// All frames of the index are whole and in order, and none of `complete` is lost.
fn check_killed(folder: &Path, files: &Files, complete: usize) -> usize {
    if !folder.join("out.gxf_index").exists() {
        assert_eq!(complete, 0);
        return 0;
    }
    let out = Files::read(folder, "out");
    let size = files.entities.len() / 3;
    let count = out.index.len() / 24;
    assert!(count >= complete, "{count} frames of {complete} are left");
    for (number, record) in out.index.chunks_exact(24).enumerate() {
        let field = |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().unwrap());
        assert_eq!((field(8), field(16)), (size as u64, (number * size) as u64));
        let frame = &out.entities[number * size..(number + 1) * size];
        assert_eq!(frame[12..20], (number as u64).to_le_bytes(), "sequence number");
        let original = &files.entities[number % 3 * size..][..size];
        assert!(frame[20..] == original[20..], "frame {number} is torn");
    }
    count
}

/// Counts what libraries allocate; `gxe` itself has an allocator of its own.
const COUNTER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static unsigned long count;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
#define COUNTED __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED)
void *malloc(size_t size) { COUNTED; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { COUNTED; return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { COUNTED; return __libc_realloc(old, size); }
int posix_memalign(void **place, size_t alignment, size_t size)
{ COUNTED; return (*place = __libc_memalign(alignment, size)) ? 0 : 12; }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "allocated %lu times\n", count); }
"#;

#[test]
fn a_frame_costs_the_extensions_no_allocation_once_warm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("count.c"), folder.path().join("count.so"));
    std::fs::write(&source, COUNTER).unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().expect("a C compiler").success());
    // Replayed from a pool, converted to floats of another pool, recorded.
    let counts = [50, 100].map(|frames| {
        let ended = Gxe::in_folder(&root)
            .args("--app apps/format_convert/format_convert.yaml")
            .args("--manifest manifests/format_convert.yaml")
            .args(&format!("--param recorder/recorder/directory={}", folder.path().display()))
            .args("--param replayer/replayer/repeat=true")
            .args(&format!("--param replayer/replayer/count={frames}"))
            .env("LD_PRELOAD", library.to_str().unwrap())
            .run()
            .with_status(0);
        assert_eq!(index_records_of(folder.path(), "converted"), frames);
        ended.stderr
    });
    assert!(counts[0].starts_with("allocated "), "{}", counts[0]);
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn the_application_of_the_guide_gives_back_what_it_reads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root.join("apps/my_recorder/my_recorder_gxf.yaml")).unwrap();
    let out = text.replace("/tmp", folder.path().to_str().unwrap());
    assert_ne!(out, text);
    std::fs::write(folder.path().join("app.yaml"), out).unwrap();
    let line = format!(
        "--app {} --manifest manifests/my_recorder.yaml",
        folder.path().join("app.yaml").display()
    );
    let ended = Gxe::in_folder(&root).args(&line).run().clean();
    assert_eq!(ended.count("Reach end of file or playback count reaches to the limit."), 1);
    let original = Files::read(&root.join("apps/my_recorder/data"), "turning_disc");
    assert!(Files::read(folder.path(), "tensor_out") == original, "not byte-identical");
}
