//! Killed recorders and damaged recordings, each round made from one number so that it can be
//! repeated.
//!
//! `tests/recordings/storm.rs` runs a few rounds, `make storm` runs them for as long as you like.
//! Every round runs the real `gxe` and panics when a frame is lost or torn, or when `gxe` crashes.

use crate::graphs::{RECORDINGS, replay_and_record};
use crate::random::Random;
use crate::recording::{Component, Files, index_records, nv12, picture};
use crate::{Ended, Gxe, SCHEDULER};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// Bytes of an index record.
const RECORD: usize = 24;

/// Frames of the recordings that [`flip_index_bit`] and [`damage_entities`] damage.
const FRAMES: usize = 4;

/// Bits in the index of such a recording: the numbers of the rounds of [`flip_index_bit`].
pub const INDEX_BITS: u64 = (FRAMES * RECORD * 8) as u64;

/// Bytes of the largest recording of [`kill_a_recorder`].
const LARGEST: usize = 64 << 20;

/// Kills a recorder at a random moment. Returns the number of frames it left.
///
/// # Panics
/// A frame that was complete is lost, one is torn, or the recording cannot be repaired.
pub fn kill_a_recorder(seed: u64) -> usize {
    let mut random = Random(seed);
    let mut files = Files::default();
    // Large ones, to be killed in the middle of a frame, and small ones, to be killed between two.
    let rows = [1, 40, 400][random.index(3)];
    for number in 0..3 {
        files.add(1, &[picture(rows, 397, number)]);
    }
    // On a busy machine the kill comes late: the recording must not fill the disk until then, and
    // the run must not end.
    let count = LARGEST / (files.entities.len() / 3);
    let parameters = format!(", repeat: true, realtime: false, count: {count}");
    let scheduler = SCHEDULER.replace("ManualClock", "RealtimeClock");
    let app = replay_and_record(&parameters, &format!("{scheduler}    stop_on_deadlock: false\n"));
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", RECORDINGS);
    files.write(&gxe.folder(), "in");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = format!("--param recorder/recorder/out_directory={}", folder.path().display());
    let mut running = gxe.args("--app app.yaml --manifest manifest.yaml").args(&out).spawn();
    running.wait_for("Scheduling");
    std::thread::sleep(Duration::from_micros(random.bits() % 40_000));
    let complete = index_records(folder.path(), "out");
    running.signal("KILL");
    assert_eq!(running.end().status, None);
    check_killed(folder.path(), &files, complete)
}

fn check_killed(folder: &Path, files: &Files, complete: usize) -> usize {
    if !folder.join("out.gxf_entities").exists() {
        assert_eq!(complete, 0);
        return 0;
    }
    let out = Files::read(folder, "out");
    let count = out.index.len() / RECORD;
    assert!(count >= complete, "{count} frames of {complete} are left");
    check_repeated(&out, files, count);
    // A frame whose record is missing is the only finding, and repair brings it back.
    let verified = recording(folder, "verify out");
    assert!(matches!(verified.status, Some(0 | 3)), "{verified:?}");
    let findings = verified.stdout.lines().filter(|line| !line.starts_with("remark: "));
    let is_known = |line: &str| {
        line.ends_with(", all intact") || line.starts_with("the index does not have 1 whole frame")
    };
    assert!(findings.clone().all(is_known), "{verified:?}");
    if verified.status == Some(3) {
        assert_eq!(recording(folder, "repair out").status, Some(0));
        let repaired = Files::read(folder, "out");
        check_repeated(&repaired, files, count + 1);
        assert_eq!(recording(folder, "verify out").status, Some(0));
    }
    count
}

/// Compares a recording with the one that was replayed again and again.
fn check_repeated(out: &Files, files: &Files, count: usize) {
    let size = files.entities.len() / 3;
    let records = out.index.chunks_exact(RECORD);
    assert_eq!(records.len(), count);
    for (number, record) in records.enumerate() {
        let place = place(record);
        assert_eq!(place, number * size..(number + 1) * size);
        let frame = &out.entities[place];
        assert_eq!(frame[12..20], (number as u64).to_le_bytes(), "sequence number");
        let original = &files.entities[number % 3 * size..][..size];
        assert!(frame[20..] == original[20..], "frame {number} is torn");
    }
}

/// Flips one bit of an index.
///
/// # Panics
/// A frame whose record was not touched is lost, `gxe` crashes, or `repair` does not bring back
/// every frame.
pub fn flip_index_bit(bit: u64) {
    let original = recording_to_damage();
    let mut files = original.clone();
    let bit = usize::try_from(bit % INDEX_BITS).expect("a small number");
    files.index[bit / 8] ^= 1 << (bit % 8);
    let touched = bit / 8 / RECORD;
    let folder = check_damaged(&original, &files, |number| number == touched);
    // The first 8 bytes of a record are a time, and any time is possible.
    if bit / 8 % RECORD >= 8 {
        assert_eq!(recording(folder.path(), "verify in").status, Some(3), "bit {bit}");
    }
    assert_eq!(recording(folder.path(), "repair in").status, Some(0), "bit {bit}");
    let repaired = Files::read(folder.path(), "in");
    let places = |files: &Files| files.index.chunks_exact(RECORD).map(place).collect::<Vec<_>>();
    assert_eq!(places(&repaired), places(&original), "bit {bit}");
    assert_eq!(recording(folder.path(), "verify in").status, Some(0), "bit {bit}");
}

/// Cuts or changes an entities file at random.
///
/// # Panics
/// A frame that was not touched is lost, or `gxe` crashes.
pub fn damage_entities(seed: u64) {
    let mut random = Random(seed);
    let original = recording_to_damage();
    let mut files = original.clone();
    let mut touched = Vec::new();
    for _ in 0..=random.index(3) {
        let place = random.index(files.entities.len());
        let range = match random.index(4) {
            0 => {
                files.entities.truncate(place);
                place..original.entities.len()
            }
            1 => {
                files.entities[place] ^= 1 << random.index(8);
                place..place + 1
            }
            2 => {
                files.entities[place] = 0xff;
                place..place + 1
            }
            _ => {
                let end = files.entities.len().min(place + 1 + random.index(300));
                files.entities[place..end].fill(0);
                place..end
            }
        };
        touched.push(range);
        if files.entities.is_empty() {
            break;
        }
    }
    let places: Vec<_> = original.index.chunks_exact(RECORD).map(place).collect();
    let overlap =
        |one: &Range<usize>, two: &Range<usize>| one.start < two.end && two.start < one.end;
    let is_touched = |number: usize| touched.iter().any(|range| overlap(range, &places[number]));
    let folder = check_damaged(&original, &files, is_touched);
    let repaired = recording(folder.path(), "repair in");
    assert_eq!(repaired.status, Some(0), "seed {seed}: {repaired:?}");
    let kept = Files::read(folder.path(), "in");
    let kept: Vec<_> = kept.index.chunks_exact(RECORD).map(place).collect();
    for number in (0..FRAMES).filter(|number| !is_touched(*number)) {
        assert!(kept.contains(&places[number]), "seed {seed}: repair loses frame {number}");
    }
}

/// Frames of several kinds and sizes.
fn recording_to_damage() -> Files {
    let mut files = Files::default();
    let number = Component::Raw {
        name: "number".to_owned(),
        tid: (0xc611627b6393365f, 0xd2341f26bfa8d28f),
        bytes: 7_u64.to_le_bytes().to_vec(),
    };
    let frames: [&[Component]; FRAMES] =
        [&[picture(4, 5, 1)], &[picture(2, 3, 2), number], &[nv12(16, 8, 16)], &[picture(4, 5, 3)]];
    for (time, components) in (0..).zip(frames) {
        files.add(1_000_000 * time, components);
    }
    files
}

/// Replays a damaged recording and checks that the frames that were not touched come out. Returns
/// the folder that has the recording `in`.
fn check_damaged(
    original: &Files,
    files: &Files,
    is_touched: impl Fn(usize) -> bool,
) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    files.write(folder.path(), "in");
    std::fs::write(folder.path().join("app.yaml"), replay_and_record("", SCHEDULER)).expect("room");
    std::fs::write(folder.path().join("manifest.yaml"), RECORDINGS).expect("room");
    let line = "--app app.yaml --manifest manifest.yaml";
    let ended = checked(Gxe::in_folder(folder.path()).args(line).run());
    assert!(matches!(ended.status, Some(0 | 5)), "{ended:?}");
    let frames = |files: &Files| -> Vec<Vec<u8>> {
        let places = files.index.chunks_exact(RECORD).map(place);
        // Without the sequence number.
        places.map(|place| files.entities[place][20..].to_vec()).collect()
    };
    let out = frames(&Files::read(folder.path(), "out"));
    let mut out = out.iter();
    for (number, frame) in frames(original).iter().enumerate() {
        if !is_touched(number) {
            assert!(out.any(|found| found == frame), "frame {number} is lost: {ended:?}");
        }
    }
    let verified = recording(folder.path(), "verify in");
    assert!(matches!(verified.status, Some(0 | 3)), "{verified:?}");
    folder
}

/// Where the frame of an index record lies in the entities file.
fn place(record: &[u8]) -> Range<usize> {
    let field = |at: usize| {
        let bytes = record[at..at + 8].try_into().expect("8 bytes");
        usize::try_from(u64::from_le_bytes(bytes)).expect("64 bits")
    };
    field(16)..field(16) + field(8)
}

fn recording(folder: &Path, line: &str) -> Ended {
    checked(Gxe::in_folder(folder).args("recording").args(line).run())
}

fn checked(ended: Ended) -> Ended {
    assert!(ended.signal.is_none() && !ended.stderr.contains("panicked"), "{ended:?}");
    ended
}
