//! Damaged recordings, and graphs that cannot read theirs.

use crate::recordings::{MANIFEST, app, pictures, playback, recorded};
use gxe_tests::recording::{Files, picture};
use gxe_tests::{Gxe, SCHEDULER};

/// Everything that a user sees if the replayer fails, without the log.
#[track_caller]
fn fails(files: &Files, parameters: &str, reasons: &str) {
    let expected = format!(
        "{reasons}\
note: the component that failed
  --> app.yaml:10:26
   |
10 | - {{name: replayer, type: nvidia::holoscan::stream_playback::VideoStreamReplayer,
   |                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"
    );
    let ended = playback(files, parameters).run();
    assert_eq!((ended.status, &*ended.stderr), (Some(5), &*expected), "{}", ended.stdout);
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
    let warning = "frame 1 of './in.gxf_entities' is skipped: the tensor in component 0 is \
                   impossible: a rank of 9, and the highest is 8";
    assert_eq!(ended.count(warning), 1, "{}", ended.stdout);
    let mut expected = Files::default();
    expected.add(0, &[picture(4, 5, 0)]);
    expected.add(2_000_000, &[picture(4, 5, 2)]);
    assert_eq!(out, expected);
}

#[test]
fn a_replay_says_that_the_index_lacks_frames() {
    let mut files = pictures(3);
    files.index.truncate(24);
    let warning = "the index does not have 2 whole frames at offset 248 of './in.gxf_entities'; \
                   `gxe recording repair` makes a new index";
    for (parameters, count) in [("", 1), (", count: 1", 0), (", count: 3, repeat: true", 1)] {
        let (ended, _) = recorded(playback(&files, parameters));
        assert_eq!((ended.status, ended.count(warning)), (Some(0), count), "{}", ended.stdout);
    }
    files.index.clear();
    let ended = playback(&files, "").run();
    let text = "the index does not have 3 whole frames at offset 0";
    assert_eq!((ended.status, ended.count(text)), (Some(0), 1), "{}", ended.stdout);
    // A half-written frame of a killed recorder is no frame.
    let mut files = pictures(3);
    files.entities.extend_from_slice(&pictures(1).entities[..200]);
    let (ended, _) = recorded(playback(&files, ""));
    assert_eq!((ended.status, ended.count("whole frame")), (Some(0), 0), "{}", ended.stdout);
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
            "72 bytes do not fit a block of 60 bytes; enlarge `block_size`",
        ),
        ("{storage_type: 0, block_size: 72, num_blocks: 1}", "component 1: tensor data: "),
        (
            "{storage_type: 2, block_size: 72, num_blocks: 4}",
            "component 0: tensor data: the BlockMemoryPool `allocator` of entity `replayer`: memory of \
             storage type 0",
        ),
    ] {
        let pool = format!("type: nvidia::gxf::BlockMemoryPool, parameters: {pool}}}");
        let app = app("", SCHEDULER).replacen("type: nvidia::gxf::UnboundedAllocator}", &pool, 1);
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
        files.write(&gxe.folder(), "in");
        let ended = gxe.args("--app app.yaml --manifest manifest.yaml").run();
        assert_eq!(ended.status, Some(5), "{}", ended.stdout);
        ended.complains(problem);
        assert_eq!(ended.count("is skipped"), 0, "{}", ended.stdout);
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
