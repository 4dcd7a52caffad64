//! Messages as bytes: recorded, replayed, through buffers and files.

use gxe_tests::cuda::{self, is_on_gpu, modes, with_driver};
use gxe_tests::recording::{AUDIO_BUFFER, Component, Files, TIMESTAMP, picture};
use gxe_tests::{Ended, Gxe, SCHEDULER};
use std::path::Path;

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_serialization.so
- libgxf_multimedia.so
- libgxf_test.so
";

const SERIALIZER: &str = "\
- {name: allocator, type: nvidia::gxf::UnboundedAllocator}
- {name: component_serializer, type: nvidia::gxf::StdComponentSerializer,
   parameters: {allocator: allocator}}
- {name: serializer, type: nvidia::gxf::StdEntitySerializer,
   parameters: {component_serializers: [component_serializer]}}
";

/// An entity that sends tensors of 2 x 3 x 4 with these further parameters.
fn generator(ticks: u32, parameters: &str) -> String {
    format!(
        "\
---
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- type: nvidia::gxf::test::TensorGenerator
  parameters: {{output: out, allocator: allocator, shape: [2, 3, 4]{parameters}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 10ms}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
"
    )
}

/// An entity that replays the recording `name`.
fn replayer(name: &str, parameters: &str) -> String {
    format!(
        "\
---
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 9}}}}
{SERIALIZER}\
- {{name: more, type: nvidia::gxf::BooleanSchedulingTerm}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
- type: nvidia::gxf::EntityReplayer
  parameters: {{transmitter: out, entity_serializer: serializer, boolean_scheduling_term: more,
    directory: '.', basename: {name}{parameters}}}
"
    )
}

/// An entity that records to `name`, connected to the source.
fn recorder(name: &str) -> String {
    format!(
        "\
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 9}}}}
{SERIALIZER}\
- type: nvidia::gxf::EntityRecorder
  parameters: {{receiver: in, entity_serializer: serializer, directory: '.', basename: {name}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: sink/in}}}}
"
    )
}

/// Runs an app in a folder.
fn run(folder: &Path, app: &str) -> Ended {
    std::fs::write(folder.join("app.yaml"), format!("{app}{SCHEDULER}")).expect("a file");
    std::fs::write(folder.join("manifest.yaml"), MANIFEST).expect("a file");
    Gxe::in_folder(folder).args("--app app.yaml --manifest manifest.yaml").run()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The log times of an index.
fn log_times(files: &Files) -> Vec<u64> {
    let records = files.index.chunks_exact(24);
    records.map(|record| u64::from_le_bytes(record[..8].try_into().unwrap())).collect()
}

#[test]
fn what_is_replayed_is_recorded_as_it_was() {
    for parameters in ["", ", number_of_tensors: 3", ", enable_timestamps: false"] {
        let folder = folder();
        let app = generator(5, parameters) + &recorder("first");
        let _ = run(folder.path(), &app).clean();
        let first = Files::read(folder.path(), "first");
        assert_eq!(first.index.len(), 5 * 24);
        let _ = run(folder.path(), &(replayer("first", "") + &recorder("second"))).clean();
        assert!(Files::read(folder.path(), "second") == first, "{parameters}");
        let app = replayer("second", ", batch_size: 3") + &recorder("third");
        let _ = run(folder.path(), &app).clean();
        assert!(Files::read(folder.path(), "third") == first, "{parameters}");
    }
}

#[test]
fn entities_have_gxfs_layout() {
    let folder = folder();
    let app = generator(2, ", tensor_name: cam, storage_type: 2") + &recorder("out");
    let _ = run(folder.path(), &app).clean();
    let files = Files::read(folder.path(), "out");
    // The log time is the acquisition time of the message.
    assert_eq!(log_times(&files), [0, 10_000_000]);
    let entity = &files.entities[files.entities.len() / 2..];
    let u64_at = |at: usize| u64::from_le_bytes(entity[at..at + 8].try_into().unwrap());
    let u32_at = |at: usize| u32::from_le_bytes(entity[at..at + 4].try_into().unwrap());
    // Size, checksum, sequence number, flags, components, reserved.
    assert_eq!((u64_at(0), u32_at(8), u64_at(12)), (0, 0, 1));
    assert_eq!((u32_at(20), u64_at(24), u64_at(32)), (0, 2, 0));
    // The tensor: size, type, length of the name, name.
    assert_eq!((u64_at(40), u64_at(48)), (0, 0x377501d69abf447c));
    assert_eq!((u64_at(56), u64_at(64)), (0xa6170114d4f33ab8, 3));
    assert_eq!(&entity[72..75], b"cam");
    let tensor = 75;
    let storage_element_bytes = (u32_at(tensor), u32_at(tensor + 4), u64_at(tensor + 8));
    assert_eq!(storage_element_bytes, (2, 2, 1));
    let dimensions: Vec<_> = (0..9).map(|index| u32_at(tensor + 16 + 4 * index)).collect();
    assert_eq!(dimensions, [3, 2, 3, 4, 1, 1, 1, 1, 1], "rank and dimensions");
    let strides: Vec<_> = (0..8).map(|index| u64_at(tensor + 52 + 8 * index)).collect();
    assert_eq!(strides, [12, 4, 1, 0, 0, 0, 0, 0]);
    // The timestamp behind 24 elements: publication time, acquisition time.
    let timestamp = tensor + 116 + 24;
    assert_eq!(u64_at(timestamp + 8), 0xd1095b105c904bbc);
    assert_eq!(&entity[timestamp + 32..timestamp + 41], b"timestamp");
    assert_eq!((u64_at(timestamp + 41), u64_at(timestamp + 49)), (10_000_100, 10_000_000));
    assert_eq!(entity.len(), timestamp + 57);
}

#[test]
fn a_message_without_a_time_gets_that_of_its_publication() {
    let folder = folder();
    let app = generator(3, ", enable_timestamps: false") + &recorder("out");
    let _ = run(folder.path(), &app).clean();
    assert_eq!(log_times(&Files::read(folder.path(), "out")), [0, 10_000_000, 20_000_000]);
}

/// NVIDIA's converter states that its tensors are in device memory.
#[test]
fn recordings_of_other_programs_are_recorded_as_they_are() {
    let tensor = |storage, element, element_size: u64, shape: &[i32]| {
        let count: i32 = shape.iter().product();
        Component::Tensor {
            name: format!("{storage} {element}"),
            storage,
            element,
            element_size,
            shape: shape.to_vec(),
            data: (0..count as u64 * element_size).map(|byte| byte as u8).collect(),
        }
    };
    let raw = |name: &str, tid, bytes: &[u8]| Component::Raw {
        name: name.to_owned(),
        tid,
        bytes: bytes.to_vec(),
    };
    let mut files = Files::default();
    files.add(7, &[tensor(1, 2, 1, &[4, 5, 3])]);
    files.add(8, &[tensor(0, 9, 4, &[2; 8]), tensor(2, 13, 2, &[7])]);
    files.add(5, &[tensor(0, 0, 3, &[5]), tensor(0, 12, 16, &[0, 2])]);
    files.add(9, &[raw("timestamp", TIMESTAMP, &[1; 16]), picture(2, 2, 0)]);
    files.add(9, &[raw("when", TIMESTAMP, &[2; 16])]);
    files.add(10, &[]);
    let int64 = (0xc611627b6393365f, 0xd2341f26bfa8d28f);
    let boolean = (0xc02f9e93d01b1d29, 0xf52378d2a9195128);
    files.add(11, &[raw("count", int64, &[3; 8]), raw("", boolean, &[1])]);
    let folder = folder();
    files.write(folder.path(), "in");
    let ended = run(folder.path(), &(replayer("in", "") + &recorder("out"))).clean();
    assert!(Files::read(folder.path(), "out") == files, "{}", ended.stdout);
    assert_eq!(ended.count("are read to host memory"), 1, "{}", ended.stdout);

    // Where there is a device, the first tensor goes there and back.
    for mode in modes() {
        let gxe = Gxe::in_folder(folder.path()).args("--app app.yaml --manifest manifest.yaml");
        let (ended, report) = cuda::run(with_driver(gxe, folder.path(), mode));
        let ended = ended.clean();
        assert!(Files::read(folder.path(), "out") == files, "{mode}: {}", ended.stdout);
        report.nothing_is_left();
        if !is_on_gpu() {
            let copies = ["HtoD", "DtoH"].map(|way| format!("call cuMemcpy{way}Async_v2"));
            assert_eq!(copies.map(|call| report.get(&call)), [1, 1], "{mode}: {report:?}");
        }
    }
}

#[test]
fn unknown_payloads_are_refused_or_left_out() {
    let unknown = Component::Raw { name: "what".to_owned(), tid: (1, 2), bytes: vec![0; 4] };
    let mut files = Files::default();
    files.add(1, &[picture(2, 2, 0)]);
    files.add(2, &[unknown]);
    files.add(3, &[picture(2, 2, 1)]);
    let folder = folder();
    files.write(folder.path(), "in");
    let app = replayer("in", "") + &recorder("out");
    let ended = run(folder.path(), &app).with_status(0);
    let text = "frame 1 of './in.gxf_entities' is skipped: no component serializer reads the type \
                00000000000000010000000000000002 of component 0";
    assert_eq!(ended.count(text), 1, "{}", ended.stdout);
    assert_eq!(log_times(&Files::read(folder.path(), "out")), [1, 3]);
    let app = replayer("in", ", ignore_corrupted_entities: false") + &recorder("out");
    let ended = run(folder.path(), &app);
    assert_eq!(ended.status, Some(5), "{}", ended.stdout);
    ended.complains("no component serializer reads the type");
}

#[test]
fn damaged_entities_are_left_out_and_told() {
    let mut files = Files::default();
    for number in 0..4 {
        files.add(number, &[picture(2, 2, number as u8)]);
    }
    // Strides that reach beyond the elements.
    let size = files.entities.len() / 4;
    files.entities[size + 40 + 32 + 52] = 255;
    // A name longer than the file.
    files.entities[2 * size + 40 + 24..2 * size + 40 + 32].fill(0xff);
    let folder = folder();
    files.write(folder.path(), "in");
    let ended = run(folder.path(), &(replayer("in", "") + &recorder("out"))).with_status(0);
    assert_eq!(ended.count("is skipped"), 2, "{}", ended.stdout);
    assert_eq!(log_times(&Files::read(folder.path(), "out")), [0, 3]);
}

/// Messages that pass through an endpoint and back are unchanged.
fn through(serializer: &str, endpoint: &str) -> String {
    let generator = generator(3, ", storage_type: 2, number_of_tensors: 2");
    format!(
        "{generator}\
---
name: tester
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- {{name: component_serializer, type: nvidia::gxf::StdComponentSerializer,
   parameters: {{allocator: allocator}}}}
- {{name: serializer, {serializer}}}
- {{name: buffer, {endpoint}}}
- type: nvidia::gxf::test::SerializationTester
  parameters: {{input: in, output: out, entity_serializer: serializer,
    serialization_buffer: buffer}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
---
name: compare
components:
- {{name: expected, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: actual, type: nvidia::gxf::DoubleBufferReceiver}}
- type: nvidia::gxf::test::TensorComparator
  parameters: {{expected: expected, actual: actual}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: expected}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: actual}}}}
- {{type: nvidia::gxf::test::StepCount, parameters: {{expected_count: 3}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: tester/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: compare/expected}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: tester/out, target: compare/actual}}}}
"
    )
}

const STD: &str = "type: nvidia::gxf::StdEntitySerializer, \
                   parameters: {component_serializers: [component_serializer]}";
const BUFFER: &str = "type: nvidia::gxf::SerializationBuffer, parameters: {allocator: allocator}";

#[test]
fn messages_go_through_buffers() {
    let folder = folder();
    let _ = run(folder.path(), &through(STD, BUFFER)).clean();
    let ids = "type: nvidia::gxf::StdEntityIdSerializer";
    let _ = run(folder.path(), &through(ids, BUFFER)).clean();
    let small = "type: nvidia::gxf::SerializationBuffer, \
                 parameters: {allocator: allocator, buffer_size: 100}";
    let ended = run(folder.path(), &through(STD, small));
    assert_eq!(ended.status, Some(5), "{}", ended.stdout);
    ended.complains("in a buffer of 100; enlarge `buffer_size`");
}

#[test]
fn a_file_is_written_and_read() {
    let folder = folder();
    let file = |mode: &str, size: u32| {
        format!(
            "type: nvidia::gxf::File, parameters: {{allocator: allocator, file_path: data, \
             file_mode: {mode}, buffer_size: {size}}}"
        )
    };
    // After writing, its position is at the end, where there is nothing to read.
    for size in [0, 50, 1 << 20] {
        let ended = run(folder.path(), &through(STD, &file("wb+", size)));
        assert_eq!(ended.status, Some(5), "{}", ended.stdout);
        ended.complains("entity header");
        let written = std::fs::read(folder.path().join("data")).unwrap();
        assert_eq!(written.len(), 40 + (32 + 116 + 24) * 2 + 6 + 7 + 32 + 9 + 16);
    }
    let ended = run(folder.path(), &through(STD, &file("q", 1)));
    ended.complains("`file_mode` cannot be `q`");
    // Opening it would wait for its other end.
    std::fs::remove_file(folder.path().join("data")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("data"), 0o600.into()).unwrap();
    for mode in ["r", "w", "a"] {
        let ended = run(folder.path(), &through(STD, &file(mode, 1)));
        ended.complains("the file 'data' cannot be opened: it is a pipe, not a file");
    }
}

const MULTIMEDIA: &str = "\
- {name: multimedia_serializer, type: gxe::MultimediaComponentSerializer,
   parameters: {allocator: allocator}}
";

/// Like [`replayer`] and [`recorder`], for video and audio too.
fn multimedia_app() -> String {
    let app = replayer("in", "") + &recorder("out");
    app.replace("- {name: serializer,", &format!("{MULTIMEDIA}- {{name: serializer,"))
        .replace("[component_serializer]", "[component_serializer, multimedia_serializer]")
}

/// A video frame of one plane: 4 x 2 pixels of `GRAY`, rows 256 bytes apart.
fn gray_frame(size: u64) -> Component {
    let mut bytes = Vec::new();
    for number in [4u32, 2, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(21i64.to_le_bytes());
    for plane in 0..4 {
        let mut name = [0; 256];
        let is_there = plane == 0;
        name[..4].copy_from_slice(if is_there { b"gray" } else { &[0; 4] });
        bytes.extend(name);
        bytes.push(u8::from(is_there));
        for number in [256u32, 0, 4, 2] {
            bytes.extend(if is_there { number } else { 0 }.to_le_bytes());
        }
        bytes.extend(if is_there { size } else { 0 }.to_le_bytes());
    }
    bytes.extend([1u32, 1].map(u32::to_le_bytes).as_flattened());
    bytes.extend((0..512).map(|byte| byte as u8));
    let tid = (0x16ad58c8b463422c, 0xb09761a9acc5050e);
    Component::Raw { name: "frame".to_owned(), tid, bytes }
}

/// Two channels of three 16-bit samples.
fn sound(samples: u32) -> Component {
    let mut bytes = Vec::new();
    for number in [2, samples, 48_000, 2, 1, 1, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(0..12);
    let tid = AUDIO_BUFFER;
    Component::Raw { name: "sound".to_owned(), tid, bytes }
}

#[test]
fn video_and_sound_are_recorded_as_they_were() {
    let camera = (0xbac444bdf13b4927, 0x85c1db5e1947f890);
    let pose = (0xda8387d9d8ab425f, 0x909b814694f148ef);
    let raw = |tid, size| Component::Raw { name: "c".to_owned(), tid, bytes: vec![7; size] };
    let mut files = Files::default();
    files.add(1, &[gray_frame(512), raw(camera, 64), raw(pose, 48)]);
    files.add(2, &[sound(3), picture(2, 2, 0)]);
    let folder = folder();
    files.write(folder.path(), "in");
    let ended = run(folder.path(), &multimedia_app()).clean();
    assert!(Files::read(folder.path(), "out") == files, "{}", ended.stdout);
}

#[test]
fn video_and_sound_that_lie_about_their_size_are_left_out() {
    let mut files = Files::default();
    for (time, size) in [(1, 511), (2, 513), (3, u64::MAX), (4, 1 << 40)] {
        files.add(time, &[gray_frame(size)]);
    }
    for (time, samples) in [(5, 2), (6, 4), (7, u32::MAX)] {
        files.add(time, &[sound(samples)]);
    }
    files.add(8, &[gray_frame(512), sound(3)]);
    let folder = folder();
    files.write(folder.path(), "in");
    let ended = run(folder.path(), &multimedia_app()).with_status(0);
    assert_eq!(log_times(&Files::read(folder.path(), "out")), [8], "{}", ended.stdout);
    assert_eq!(ended.count("7 frames were skipped in total"), 1, "{}", ended.stdout);
}
