//! Recordings of an independent writer, whole and damaged.

use gxe_tests::recording::{Component, Files, TIMESTAMP, nv12, picture};
use gxf_recording::cut::cut;
use gxf_recording::inspect::inspect;
use gxf_recording::layout::{IndexRecord, TensorHeader};
use gxf_recording::repair::{repair, write_index};
use gxf_recording::{Error, FrameError, FrameReader, Recording, RecordingPaths, RecordingWriter};
use proptest::prelude::*;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

const TENSOR_FRAME: usize = 40 + 32 + 116;

fn recording(files: &Files) -> Recording<&[u8]> {
    Recording::new(files.index.as_slice(), files.entities.as_slice()).unwrap()
}

/// All frames that can be read, as bytes.
fn frames(files: &Files) -> Vec<Vec<u8>> {
    let mut reader = FrameReader::new(recording(files));
    let mut frames = Vec::new();
    for number in 0..reader.recording().frames() {
        if reader.open_frame(number).is_ok() {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).unwrap();
            frames.push(bytes);
        }
    }
    frames
}

fn three_pictures() -> Files {
    let mut files = Files::default();
    for number in 0..3 {
        files.add(1_000 + 40 * u64::from(number), &[picture(4, 5, number)]);
    }
    files
}

fn silent(_done: u64) {}

#[test]
fn a_report_tells_what_is_there() {
    let report = inspect(&recording(&three_pictures()), &mut silent).unwrap();
    assert_eq!((report.frames, report.bytes), (3, 3 * (TENSOR_FRAME as u64 + 60)));
    assert_eq!((report.duration(), report.frame_rate()), (Some(80), Some(2.0 / 80e-9)));
    assert_eq!(report.kinds[0].what, "Tensor uint8 [4, 5, 3] in host memory");
    assert_eq!((report.kinds.len(), report.kinds[0].count), (1, 3));
    assert_eq!((report.faults.count, report.remarks.count), (0, 0));
}

#[test]
fn the_layout_is_that_of_nvidias_converter() {
    let files = three_pictures();
    let header = TensorHeader::of_bytes(0, &[4, 5, 3]).unwrap();
    assert_eq!(header.to_bytes(), files.entities[72..TENSOR_FRAME]);
    let record = IndexRecord { log_time: 1_040, data_size: 248, data_offset: 248 };
    assert_eq!(record.to_bytes(), files.index[24..48]);
}

#[test]
fn every_truncation_keeps_the_frames_before_it() {
    let files = three_pictures();
    let whole = frames(&files);
    for length in 0..files.entities.len() {
        let entities = files.entities[..length].to_vec();
        let short = Files { entities, index: files.index.clone() };
        assert_eq!(frames(&short), whole[..length / 248], "{length} bytes of entities");
    }
    for length in 0..files.index.len() {
        let short = Files { index: files.index[..length].to_vec(), ..files.clone() };
        assert_eq!(frames(&short), whole[..length / 24], "{length} bytes of index");
    }
}

#[test]
fn impossible_lengths_are_named() {
    let at = |file: &mut Vec<u8>, offset: usize, bytes: &[u8]| {
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
    };
    let error = |change: &dyn Fn(&mut Files)| {
        let mut files = three_pictures();
        change(&mut files);
        let error = FrameReader::new(recording(&files)).open_frame(0).unwrap_err().to_string();
        let report = inspect(&recording(&files), &mut silent).unwrap();
        assert!(report.faults.first.contains(&error), "{report:?}");
        error
    };
    let huge = (1_u64 << 63).to_le_bytes();
    for (offset, what, expected) in [
        (24, "components", "the header of component 1 needs 32 bytes where only 0 are left"),
        (64, "name", "the name of component 0 needs 9223372036854775808 bytes where only 176"),
        (80, "element size", "9223372036854775808 bytes per element of type 2"),
    ] {
        let error = error(&|files| at(&mut files.entities, offset, &huge));
        assert!(error.contains(expected), "{what}: {error}");
    }
    for (offset, value, expected) in [
        (
            72,
            7,
            "storage type 7; it is 0 for host, 1 for device, 2 for system or 3 for managed memory",
        ),
        (76, -1, "element type -1"),
        (88, 9, "a rank of 9, and the highest is 8"),
        (92, -4, "a dimension of -4"),
        (92, i32::MAX, "the data of component 0 needs 32212254705 bytes where only 60 are left"),
        (92, 3, "its components end 15 bytes before the end that the index states"),
    ] {
        let change = |files: &mut Files| at(&mut files.entities, offset, &value.to_le_bytes());
        let error = error(&change);
        assert!(error.contains(expected), "{value} at {offset}: {error}");
    }
    for (offset, value, expected) in [
        (8, 39_u64, "the index says it has 39 bytes, and the header of an entity alone has 40"),
        (8, u64::MAX, "bytes at offset 0, but the entities file has 744"),
        (16, u64::MAX, "248 bytes at offset 18446744073709551615, but the entities file has 744"),
    ] {
        let error = error(&|files| at(&mut files.index, offset, &value.to_le_bytes()));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn an_unknown_type_is_a_remark_and_its_frame_is_read() {
    let mut files = three_pictures();
    files.entities[48] = 1;
    let report = inspect(&recording(&files), &mut silent).unwrap();
    assert_eq!(report.faults.count, 0);
    assert!(report.remarks.first[0].contains("frame 0 carries the unknown type"), "{report:?}");
    assert_eq!(frames(&files).len(), 3);
}

#[test]
fn video_frames_are_known() {
    let mut files = Files::default();
    files.add(0, &[nv12(6, 4, 256), picture(1, 1, 0)]);
    let report = inspect(&recording(&files), &mut silent).unwrap();
    let kinds: Vec<_> = report.kinds.iter().map(|kind| kind.what.as_str()).collect();
    let expected = ["VideoBuffer 6 x 4, format 5", "Tensor uint8 [1, 1, 3] in host memory"];
    assert_eq!((kinds, report.faults.count), (expected.to_vec(), 0));
    for (offset, expected) in [
        (20 + 281 + 273, "the data of component 0 needs 9223372036854776832 bytes where only"),
        (1141, "the video frame in component 0 is impossible: it states no size"),
    ] {
        let mut files = files.clone();
        // Behind the headers of entity and component and the name `video`.
        let place = 40 + 32 + 5 + offset;
        files.entities[place..place + 8].copy_from_slice(&(1_u64 << 63).to_le_bytes());
        let report = inspect(&recording(&files), &mut silent).unwrap();
        assert!(report.faults.first[0].contains(expected), "{report:?}");
    }
}

#[test]
fn records_that_all_lead_to_one_frame_are_read_and_reported() {
    let mut files = three_pictures();
    for record in 1..3 {
        files.index[24 * record + 16..24 * record + 24].fill(0);
    }
    let read = frames(&files);
    assert_eq!((read.len(), &read[2]), (3, &read[0]));
    let report = inspect(&recording(&files), &mut silent).unwrap();
    let expected = "frame 1 begins inside frame 0, at offset 0";
    assert_eq!((report.faults.count, &*report.faults.first[0]), (3, expected));
    assert_eq!(report.faults.first[2], "the index does not have 2 whole frames at offset 248");
}

#[test]
fn an_index_in_any_order_is_intact() {
    let mut files = three_pictures();
    files.index = files.index.chunks(24).rev().flatten().copied().collect();
    let report = inspect(&recording(&files), &mut silent).unwrap();
    assert_eq!((report.frames, report.faults.count), (3, 0), "{report:?}");
    let remarks =
        ["frame 1 is older than the one before it", "frame 2 is older than the one before it"];
    assert_eq!(report.remarks.first, remarks);
    assert_eq!(frames(&files).len(), 3);
}

#[test]
fn a_sparse_index_of_a_terabyte_is_not_gone_through() {
    let folder = tempfile::tempdir().unwrap();
    let files = three_pictures();
    files.write(folder.path(), "sparse");
    let paths = RecordingPaths::new(folder.path(), "sparse");
    File::options().write(true).open(&paths.index).unwrap().set_len(24 << 36).unwrap();
    let recording = Recording::open(&paths).unwrap();
    let report = inspect(&recording, &mut silent).unwrap();
    assert!(report.faults.first.last().unwrap().contains("more frames in the index"), "{report:?}");
    assert_eq!(repair(&recording, 1, &mut silent).unwrap().kept, 3);
}

#[test]
fn frames_beyond_four_gigabytes_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let paths = RecordingPaths::new(folder.path(), "large");
    let files = three_pictures();
    files.write(folder.path(), "large");
    // The last frame moves behind a hole of 5 GiB.
    let far = 5_u64 << 30;
    let mut entities = File::options().write(true).open(&paths.entities).unwrap();
    entities.seek(SeekFrom::Start(far)).unwrap();
    entities.write_all(&files.entities[496..]).unwrap();
    let mut index = files.index.clone();
    index[64..72].copy_from_slice(&far.to_le_bytes());
    std::fs::write(&paths.index, index).unwrap();

    let mut reader = FrameReader::new(Recording::open(&paths).unwrap());
    let mut bytes = Vec::new();
    assert_eq!(reader.open_frame(2).unwrap().data_offset, far);
    reader.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, files.entities[496..]);
    let report = inspect(reader.recording(), &mut silent).unwrap();
    // The index no longer knows the copy in front of the hole.
    assert_eq!((report.faults.count, report.remarks.count), (1, 1));
}

#[test]
fn what_is_written_is_what_the_independent_writer_writes() {
    let files = three_pictures();
    let folder = tempfile::tempdir().unwrap();
    let paths = RecordingPaths::new(folder.path(), "copy");
    let mut writer = RecordingWriter::create(&paths).unwrap();
    for (number, frame) in (0..).zip(frames(&files)) {
        // In pieces, as a serializer writes.
        for piece in frame.chunks(100) {
            writer.write_all(piece).unwrap();
        }
        writer.finish_frame(1_000 + 40 * number).unwrap();
    }
    assert_eq!(Files::read(folder.path(), "copy"), files);
}

#[test]
fn an_abandoned_frame_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RecordingWriter::create(&RecordingPaths::new(folder.path(), "a")).unwrap();
    assert!(matches!(writer.finish_frame(0), Err(Error::EmptyFrame)));
    writer.write_all(&[1; 100_000]).unwrap();
    writer.write_all(&[2; 10]).unwrap();
    writer.abandon_frame().unwrap();
    writer.write_all(&[3; 50]).unwrap();
    writer.finish_frame(7).unwrap();
    let files = Files::read(folder.path(), "a");
    assert_eq!((files.entities, files.index.len()), (vec![3; 50], 24));
}

#[test]
fn a_recording_in_use_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let files = three_pictures();
    files.write(folder.path(), "a");
    let paths = RecordingPaths::new(folder.path(), "a");
    let reader = Recording::open(&paths).unwrap();
    assert!(matches!(RecordingWriter::create(&paths), Err(Error::InUse { .. })));
    assert_eq!(Files::read(folder.path(), "a"), files);
    // Another name for the same frames does not open a way around.
    let other = RecordingPaths::new(folder.path(), "other");
    std::fs::hard_link(&paths.entities, &other.entities).unwrap();
    assert!(matches!(RecordingWriter::create(&other), Err(Error::InUse { .. })));
    assert!(!other.index.exists(), "half a recording is left");
    assert_eq!(Files::read(folder.path(), "a"), files);
    std::fs::remove_file(&other.entities).unwrap();
    drop(reader);
    let mut writer = RecordingWriter::create(&paths).unwrap();
    assert!(matches!(RecordingWriter::create(&paths), Err(Error::InUse { .. })));
    // What is about to go is not read, and stays without a frame.
    assert!(matches!(Recording::open(&paths), Err(Error::InUse { .. })));
    writer.abandon_frame().unwrap();
    assert!(writer.keeps_former());
    drop(writer);
    assert_eq!(Files::read(folder.path(), "a"), files);
    // What is being written can be read meanwhile.
    let mut writer = RecordingWriter::create(&paths).unwrap();
    writer.write_all(&[1; 50]).unwrap();
    assert!(!writer.keeps_former());
    assert_eq!(Recording::open(&paths).unwrap().frames(), 0);
    writer.finish_frame(0).unwrap();
    assert_eq!(Recording::open(&paths).unwrap().frames(), 1);
}

#[test]
fn whole_frames_that_the_index_lacks_are_faults_unless_a_recorder_writes() {
    let folder = tempfile::tempdir().unwrap();
    let paths = RecordingPaths::new(folder.path(), "a");
    let files = three_pictures();
    let fault = "the index does not have 2 whole frames at offset 248";
    let lost = Files { index: files.index[..24].to_vec(), ..files.clone() };
    let report = inspect(&recording(&lost), &mut silent).unwrap();
    assert_eq!((&*report.faults.first, report.remarks.count), (&[fault.to_owned()][..], 0));
    // The same in the middle, with a torn frame behind it.
    let mut torn = files.clone();
    torn.index.drain(24..48);
    torn.entities.truncate(700);
    let report = inspect(&recording(&torn), &mut silent).unwrap();
    let fault = "the index does not have 1 whole frame at offset 248";
    assert_eq!((report.faults.count, &*report.faults.first[1]), (2, fault));
    assert_eq!(report.remarks.count, 1, "the torn frame");

    let mut writer = RecordingWriter::create(&paths).unwrap();
    writer.write_all(&files.entities[..248]).unwrap();
    writer.flush().unwrap();
    let growing = Recording::open(&paths).unwrap();
    assert!(growing.is_growing());
    let report = inspect(&growing, &mut silent).unwrap();
    let remark = "the index does not have 1 whole frame yet: a recorder is writing";
    assert_eq!((report.faults.count, &*report.remarks.first), (0, &[remark.to_owned()][..]));
    drop((growing, writer));
    assert!(!Recording::open(&paths).unwrap().is_growing());
}

#[test]
fn an_index_is_rebuilt_from_the_entities() {
    let files = three_pictures();
    let lost = Files { index: Vec::new(), ..files.clone() };
    let rebuilt = repair(&recording(&lost), 40, &mut silent).unwrap();
    assert_eq!((rebuilt.kept, rebuilt.found, rebuilt.unused_bytes), (0, 3, 0));
    let times: Vec<_> = rebuilt.records.iter().map(|record| record.log_time).collect();
    assert_eq!(times, [0, 40, 80]);

    // A record in the middle is damaged: its time comes from the neighbours.
    let mut damaged = files.clone();
    damaged.index[24..48].fill(0xff);
    let repaired = repair(&recording(&damaged), 1, &mut silent).unwrap();
    assert!(repaired.changes(&recording(&damaged)));
    assert_eq!((repaired.kept, repaired.found, repaired.dropped), (2, 1, 1));
    let bytes: Vec<u8> = repaired.records.iter().flat_map(IndexRecord::to_bytes).collect();
    assert_eq!(bytes, files.index);

    // A torn frame at the end is left out.
    let mut torn = files.clone();
    torn.entities.truncate(700);
    let repaired = repair(&recording(&torn), 1, &mut silent).unwrap();
    assert_eq!((repaired.kept, repaired.dropped, repaired.unused_bytes), (2, 1, 204));
    assert!(!repair(&recording(&files), 1, &mut silent).unwrap().changes(&recording(&files)));
}

#[test]
fn a_new_index_keeps_the_old_one_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = three_pictures();
    files.write(folder.path(), "a");
    let paths = RecordingPaths::new(folder.path(), "a");
    let record = IndexRecord { log_time: 1, data_size: 2, data_offset: 3 };
    let old = write_index(&paths, &[record]).unwrap().unwrap();
    assert_eq!(std::fs::read(&old).unwrap(), files.index);
    assert_eq!(Files::read(folder.path(), "a").index, record.to_bytes());
    // The old index cannot be kept, so it stays, and nothing is left of the new one.
    std::fs::remove_file(&old).unwrap();
    std::fs::create_dir(&old).unwrap();
    assert!(write_index(&paths, &[record, record]).is_err());
    assert_eq!(Files::read(folder.path(), "a").index, record.to_bytes());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn a_cut_is_a_recording_of_its_own() {
    let files = three_pictures();
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RecordingWriter::create(&RecordingPaths::new(folder.path(), "cut")).unwrap();
    cut(&recording(&files), 1..3, &mut writer, &mut silent).unwrap();
    let mut expected = Files::default();
    for number in 1..3 {
        expected.add(1_000 + 40 * u64::from(number), &[picture(4, 5, number)]);
    }
    assert_eq!(Files::read(folder.path(), "cut"), expected);
}

#[test]
fn a_file_that_becomes_shorter_meanwhile_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    three_pictures().write(folder.path(), "a");
    let paths = RecordingPaths::new(folder.path(), "a");
    let mut reader = FrameReader::new(Recording::open(&paths).unwrap());
    reader.open_frame(2).unwrap();
    File::options().write(true).open(&paths.entities).unwrap().set_len(300).unwrap();
    let text = "the file has become shorter since it was opened";
    assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap_err().to_string(), text);
    let error = reader.open_frame(2).unwrap_err().to_string();
    assert_eq!(error, format!("frame 2 is damaged: it cannot be read: {text}"));
    reader.open_frame(0).unwrap();
}

#[test]
fn a_folder_and_a_missing_file_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str| {
        let error = Recording::open(&RecordingPaths::new(folder.path(), name)).err().unwrap();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        (error.to_string().contains(name), cause)
    };
    std::fs::create_dir(folder.path().join("b.gxf_index")).unwrap();
    assert_eq!(error("a"), (true, "No such file or directory (os error 2)".to_owned()));
    assert_eq!(error("b"), (true, "it is a folder, not a file".to_owned()));
    // Opening a pipe would wait for its other end; a device keeps nothing.
    // No process makes it: before its `exec` it would hold the locks of the tests beside this one.
    let pipe = folder.path().join("c.gxf_index");
    rustix::fs::mkfifoat(rustix::fs::CWD, pipe, 0o600.into()).unwrap();
    assert_eq!(error("c"), (true, "it is a pipe or a device, not a file".to_owned()));
    std::os::unix::fs::symlink("/dev/null", folder.path().join("d.gxf_entities")).unwrap();
    for name in ["b", "c", "d"] {
        let refused = RecordingWriter::create(&RecordingPaths::new(folder.path(), name));
        assert!(matches!(refused, Err(Error::File { action: "created", .. })), "{name}");
    }
    assert!(!folder.path().join("d.gxf_index").exists(), "half a recording is left");
    let nowhere = RecordingPaths::new(Path::new("/nowhere"), "a");
    assert!(matches!(RecordingWriter::create(&nowhere), Err(Error::File { .. })));
}

/// Any component the stock serializers know.
fn component() -> impl Strategy<Value = Component> {
    let sizes = [1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, 2];
    let name = "[a-z]{0,12}";
    let shape = prop::collection::vec(0..4_i32, 0..=8);
    let tensor = (name, 0..3_i32, 1..14_i32, shape, any::<u8>()).prop_map(
        move |(name, storage, element, shape, fill)| {
            let element_size = sizes[element as usize - 1];
            let count: u64 = shape.iter().map(|&n| n as u64).product();
            let count = if shape.is_empty() { 0 } else { count };
            let data = vec![fill; usize::try_from(count * element_size).unwrap()];
            Component::Tensor { name, storage, element, element_size, shape, data }
        },
    );
    let timestamp = (name, any::<[u8; 16]>()).prop_map(|(name, bytes)| Component::Raw {
        name,
        tid: TIMESTAMP,
        bytes: bytes.to_vec(),
    });
    prop_oneof![3 => tensor, 1 => timestamp]
}

fn any_files() -> impl Strategy<Value = Files> {
    let frame = (any::<u64>(), prop::collection::vec(component(), 0..4));
    prop::collection::vec(frame, 0..6).prop_map(|frames| {
        let mut files = Files::default();
        for (time, components) in frames {
            files.add(time, &components);
        }
        files
    })
}

proptest! {
    #[test]
    fn any_recording_is_read_back(files in any_files()) {
        let read = frames(&files);
        prop_assert_eq!(read.len(), files.index.len() / 24);
        prop_assert_eq!(read.concat(), files.entities.clone());
        let report = inspect(&recording(&files), &mut silent).unwrap();
        prop_assert_eq!(report.faults.count, 0);
    }

    #[test]
    fn any_lost_index_is_found_again(files in any_files(), keep in any::<prop::sample::Index>()) {
        // Entities without components look like nothing and are only found through the index.
        prop_assume!(frames(&files).iter().all(|frame| frame[24] > 0));
        let mut damaged = files.clone();
        damaged.index.truncate(keep.index(files.index.len() + 1));
        let repaired = repair(&recording(&damaged), 1, &mut silent).unwrap();
        let places = |record: IndexRecord| (record.data_offset, record.data_size);
        let whole = recording(&files);
        let whole: Vec<_> =
            (0..whole.frames()).map(|number| places(whole.record(number).unwrap())).collect();
        let found: Vec<_> = repaired.records.into_iter().map(places).collect();
        prop_assert_eq!(found, whole);
    }

    #[test]
    fn any_damage_is_survived(
        files in any_files(),
        damage in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut files = files;
        for (in_index, place, value) in damage {
            let file = if in_index { &mut files.index } else { &mut files.entities };
            if !file.is_empty() {
                let place = place.index(file.len());
                file[place] = value;
            }
        }
        let read = frames(&files);
        let report = inspect(&recording(&files), &mut silent).unwrap();
        prop_assert!(read.len() as u64 + report.faults.count >= report.frames);
        let repaired = repair(&recording(&files), 1, &mut silent).unwrap();
        let mut position = 0;
        for record in repaired.records {
            prop_assert!(record.data_offset >= position, "frames of a new index do not overlap");
            prop_assert!(recording(&files).check(&record).is_ok());
            position = record.data_offset + record.data_size;
        }
    }
}

#[test]
fn frame_errors_can_be_told_apart() {
    let mut files = three_pictures();
    files.entities.truncate(100);
    let error = FrameReader::new(recording(&files)).open_frame(0).unwrap_err();
    let Error::Frame { number: 0, error } = error else { panic!("{error}") };
    assert!(matches!(error, FrameError::OutsideFile { size: 248, offset: 0, available: 100 }));
}
