//! `gxe recording`: operations on recordings outside a graph.

use gxe_tests::build;
use gxe_tests::recording::{Component, Files, picture};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `gxe recording` and returns the status, standard output and standard error.
fn recording(folder: &Path, line: &str, input: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let mut command = Command::new(build::gxe());
    command.arg("recording").args(line.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that fails does not read its input.
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    _ = feeder.join().unwrap();
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

#[track_caller]
fn prints(folder: &Path, line: &str, expected: &str) {
    let (status, stdout, stderr) = recording(folder, line, b"");
    let found = (status, String::from_utf8(stdout).unwrap(), stderr);
    assert_eq!(found, (Some(0), expected.to_owned(), String::new()));
}

#[track_caller]
fn fails(folder: &Path, line: &str, status: i32, expected: &str) {
    let (code, _, stderr) = recording(folder, line, b"");
    assert_eq!((code, &*stderr), (Some(status), expected));
}

fn pictures() -> Files {
    let mut files = Files::default();
    for number in 0..10 {
        files.add(40_000_000 * u64::from(number), &[picture(6, 4, number)]);
    }
    files
}

#[test]
fn info_describes_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    pictures().write(folder.path(), "walk");
    let expected = "\
walk
  frames      10
  size        2.54 KiB
  duration    0.360 s, 25.00 frames a second
  carries     10 × Tensor uint8 [6, 4, 3] in host memory
  integrity   intact
";
    for name in ["walk", "walk.gxf_index", "walk.gxf_entities"] {
        prints(folder.path(), &format!("info {name}"), expected);
    }
    prints(folder.path(), "verify walk", "walk: 10 frames, all intact\n");
    let (status, stdout, _) = recording(folder.path(), "info walk --format json", b"");
    assert_eq!(status, Some(0));
    let expected = json!({
        "recording": "walk",
        "frames": 10,
        "bytes": 2600,
        "first_log_time_ns": 0,
        "last_log_time_ns": 360_000_000,
        "duration_ns": 360_000_000,
        "frame_rate_hz": 25.0,
        "components": [
            {"name": "", "type": "Tensor uint8 [6, 4, 3] in host memory", "count": 10}
        ],
        "intact": true,
        "faults": {"count": 0, "first": []},
        "remarks": {"count": 0, "first": []},
    });
    assert_eq!(serde_json::from_slice::<Value>(&stdout).unwrap(), expected);
}

#[test]
fn a_frame_of_more_than_four_gigabytes_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Files::default();
    files.add(1, &[picture(1 << 10, 1 << 10, 0), picture(2, 2, 0)]);
    // The first picture gets 2^21 rows instead of 2^10: the file has a hole.
    let (large, rows) = (6_u64 << 30, 1_i32 << 21);
    let (start, data) = (40 + 32 + 20, 40 + 32 + 116);
    files.entities[start..start + 4].copy_from_slice(&rows.to_le_bytes());
    let size = files.entities.len() as u64 - (3 << 20) + large;
    files.index[8..16].copy_from_slice(&size.to_le_bytes());
    let behind = files.entities.split_off(data + (3 << 20));
    files.entities.truncate(data);
    files.write(folder.path(), "large");
    let path = folder.path().join("large.gxf_entities");
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(&behind, data as u64 + large).unwrap();
    let expected = "\
large
  frames      1
  size        6.00 GiB
  duration    0.000 s
  carries     1 × Tensor uint8 [2097152, 1024, 3] in host memory
              1 × Tensor uint8 [2, 2, 3] in host memory
  integrity   intact
";
    prints(folder.path(), "info large", expected);
}

#[test]
fn verify_and_repair_after_damage() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut files = pictures();
    // The last frame is torn, and a record in the middle is wrong.
    files.entities.truncate(2_500);
    files.index[3 * 24 + 8..3 * 24 + 16].copy_from_slice(&(1_u64 << 63).to_le_bytes());
    files.write(folder, "walk");
    let (status, stdout, stderr) = recording(folder, "verify walk", b"");
    let stdout = String::from_utf8(stdout).unwrap();
    let expected = "\
frame 3 is damaged: the index says it has 9223372036854775808 bytes at offset 780, but the entities file has 2500
frame 9 is damaged: the index says it has 260 bytes at offset 2340, but the entities file has 2500
the index does not have 1 whole frame at offset 780
remark: 160 bytes behind the last frame belong to no frame, as a recorder leaves them that was stopped in the middle of one
";
    assert_eq!((status, &*stdout), (Some(3), expected));
    let expected = "\
error: not intact; `gxe recording repair` makes a new index
  because: the recording 'walk' has 3 faults
";
    assert_eq!(stderr, expected);

    let result =
        "8 frames kept, 1 found, 2 dropped; 160 B of the entities file belong to no frame\n";
    let dry = format!("{result}nothing is written, because of --dry-run\n");
    prints(folder, "repair walk --dry-run", &dry);
    let written = format!("{result}new index: walk.gxf_index\nold index: walk.gxf_index.old\n");
    prints(folder, "repair walk", &written);
    assert_eq!(Files::read(folder, "walk").index, pictures().index[..9 * 24]);
    assert_eq!(std::fs::read(folder.join("walk.gxf_index.old")).unwrap(), files.index);
    assert_eq!(recording(folder, "verify walk", b"").0, Some(0));

    // The end of the index is lost, but not the frames.
    let mut files = pictures();
    files.index.truncate(4 * 24);
    files.write(folder, "walk");
    let (status, stdout, stderr) = recording(folder, "verify walk", b"");
    let expected = "the index does not have 6 whole frames at offset 1040\n";
    assert_eq!((status, &*stdout), (Some(3), expected.as_bytes()));
    let expected = "\
error: not intact; `gxe recording repair` makes a new index
  because: the recording 'walk' has 1 fault
";
    assert_eq!(stderr, expected);
    assert_eq!(recording(folder, "repair walk", b"").0, Some(0));
    assert_eq!(recording(folder, "verify walk", b"").0, Some(0));
    assert_eq!(Files::read(folder, "walk").index.len(), 10 * 24);

    std::fs::remove_file(folder.join("walk.gxf_index")).unwrap();
    assert_eq!(recording(folder, "repair walk --framerate 25", b"").0, Some(0));
    assert_eq!(Files::read(folder, "walk").index, pictures().index);
}

#[test]
fn a_cut_has_the_frames_that_were_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    pictures().write(folder, "walk");
    prints(folder, "cut walk part --start 4 --count 3", "3 frames, 780 B in part\n");
    let mut expected = Files::default();
    for number in 4..7 {
        expected.add(40_000_000 * u64::from(number), &[picture(6, 4, number)]);
    }
    assert_eq!(Files::read(folder, "part"), expected);

    let expected = "\
error: there is a file 'part.gxf_index' already

  give another name, or overwrite it with --force

For more information, try 'gxe --help'.
";
    fails(folder, "cut walk part", 2, expected);
    assert_eq!(recording(folder, "cut walk part --force", b"").0, Some(0));
    assert_eq!(Files::read(folder, "part"), pictures());
    let expected = "\
error: the recording has 10 frames, so there is no frame 10

  frames are counted from 0

For more information, try 'gxe --help'.
";
    fails(folder, "cut walk other --start 8 --count 3", 2, expected);
    std::os::unix::fs::symlink("walk.gxf_entities", folder.join("walk_000000.png")).unwrap();
    for (line, file) in [
        ("cut walk walk --force", "walk.gxf_index"),
        ("convert walk walk.gxf_entities --force", "walk.gxf_entities"),
        ("import walk.gxf_entities --basename walk --force", "./walk.gxf_entities"),
        ("export walk --force", "./walk_000000.png"),
    ] {
        let expected = format!(
            "error: '{file}' is to be read, and written, too\n\nFor more information, try 'gxe --help'.\n"
        );
        fails(folder, line, 2, &expected);
        assert_eq!(Files::read(folder, "walk"), pictures());
    }
}

#[test]
fn what_cannot_be_made_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut torn = pictures();
    torn.entities.truncate(torn.entities.len() / 2);
    torn.write(folder, "torn");
    pictures().write(folder, "walk");
    prints(folder, "export walk --count 1", "1 frame in .\n");
    std::fs::write(folder.join("broken.png"), "no picture").unwrap();
    let names = || std::fs::read_dir(folder).unwrap().count();
    let before = names();
    for (line, status) in [
        ("cut torn walk --force", 3),
        ("cut torn new", 3),
        ("import --basename walk --force walk_000000.png broken.png", 3),
        ("import --basename new walk_000000.png broken.png", 3),
        ("import --width 4 --height 4 --basename walk --force", 3),
        ("import --width 4 --height 4 --basename new", 3),
    ] {
        assert_eq!(recording(folder, line, b"short").0, Some(status), "{line}");
        assert!(Files::read(folder, "walk") == pictures(), "{line}");
        assert_eq!(names(), before, "{line}");
    }
}

#[test]
fn raw_pictures_become_a_recording_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut expected = Files::default();
    let mut raw = Vec::new();
    for number in 0..5_u8 {
        let component = picture(8, 6, number);
        expected.add(1_000 + u64::from(number) * 40_000_000, std::slice::from_ref(&component));
        let Component::Tensor { data, .. } = component else { unreachable!() };
        raw.extend(data);
    }
    // An incomplete last picture is left out.
    let input = [raw.as_slice(), &[0; 100]].concat();
    let line = "import --width 6 --height 8 --framerate 25 --start-time 1000 --basename a";
    let (status, stdout, stderr) = recording(folder, line, &input);
    assert_eq!((status, &*stdout), (Some(0), &b"5 frames, 1.62 KiB in ./a\n"[..]));
    let note = "the last 100 bytes are less than a picture of 144 bytes and are ignored";
    assert_eq!(stderr, format!("gxe: {note}\n"));
    assert_eq!(Files::read(folder, "a"), expected);

    let (status, stdout, stderr) = recording(folder, "export a --raw", b"");
    assert_eq!((status, stdout, &*stderr), (Some(0), raw, ""));

    // As in NVIDIA's converter: device memory.
    let line = "import --width 6 --height 8 --storage device --basename b";
    assert_eq!(recording(folder, line, &input).0, Some(0));
    assert_eq!(Files::read(folder, "b").entities[72..76], 1_i32.to_le_bytes());
}

#[test]
fn pictures_become_a_recording_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    pictures().write(folder, "walk");
    prints(folder, "export walk --directory png", "10 frames in png\n");
    // Nothing is overwritten unless that is asked for.
    let kept = std::fs::read(folder.join("png/walk_000009.png")).unwrap();
    let expected = "\
error: 'png/walk_000009.png' exists already

  give another directory, or overwrite files with --force

For more information, try 'gxe --help'.
";
    fails(folder, "export walk --directory png --start 9", 2, expected);
    assert_eq!(std::fs::read(folder.join("png/walk_000009.png")).unwrap(), kept);
    prints(folder, "export walk --directory png --start 9 --force", "1 frame in png\n");
    let files: Vec<_> = (0..10).map(|number| format!("png/walk_{number:06}.png")).collect();
    let line = format!("import --framerate 25 --start-time 0 --basename copy {}", files.join(" "));
    prints(folder, &line, "10 frames, 2.54 KiB in ./copy\n");
    assert_eq!(Files::read(folder, "copy"), pictures());
    let line = "import --channels 1 --basename gray png/walk_000000.png png/walk_000001.png";
    prints(folder, line, "2 frames, 424 B in ./gray\n");
    let (_, stdout, _) = recording(folder, "info gray", b"");
    assert!(String::from_utf8(stdout).unwrap().contains("uint8 [6, 4, 1]"));
}

#[test]
fn what_is_no_picture_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("text.png"), "no picture").unwrap();
    let expected = "\
error: cannot read the picture 'text.png'
  because: Format error decoding Png: Invalid PNG signature.
    because: Invalid PNG signature.
";
    fails(folder, "import text.png", 3, expected);

    let expected = "\
error: standard input has no picture
  because: 0 bytes are less than one picture of 48 bytes
";
    fails(folder, "import --width 4 --height 4 --basename none", 3, expected);
    assert!(!folder.join("none.gxf_index").exists(), "nothing is left");

    let mut files = Files::default();
    files.add(
        0,
        &[Component::Tensor {
            name: "depth".to_owned(),
            storage: 0,
            element: 9,
            element_size: 4,
            shape: vec![2, 2],
            data: vec![0; 16],
        }],
    );
    files.write(folder, "depth");
    let expected = "\
error: frame 0 is not an image; --raw exports any data
  because: it is a float32 [2, 2] in host memory, not of uint8
";
    fails(folder, "export depth", 3, expected);
    let expected = "\
error: cannot export frame 0
  because: it has no tensor `color`, but `depth`
";
    fails(folder, "export depth --name color", 3, expected);
}

#[test]
fn a_recording_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let expected = "\
error: cannot read the recording 'nowhere'
  because: the file 'nowhere.gxf_index' cannot be opened
    because: No such file or directory (os error 2)
";
    for command in ["info", "verify", "export"] {
        fails(folder.path(), &format!("{command} nowhere"), 3, expected);
    }
    let expected = "\
error: cannot write the recording
  because: the file './no/where.gxf_index' cannot be created
    because: No such file or directory (os error 2)
";
    let line = "import --width 1 --height 1 --directory ./no --basename where";
    fails(folder.path(), line, 5, expected);
}

#[test]
fn a_folder_names_the_recordings_in_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("data/empty")).unwrap();
    for number in 0..7 {
        pictures().write(&folder.path().join("data"), &format!("walk{number}"));
    }
    let because = |folder: &str| {
        format!(
            "\n  because: the file '{folder}.gxf_index' cannot be opened\n    because: No such \
             file or directory (os error 2)\n"
        )
    };
    let expected = "error: cannot read the recording 'data': it is a folder with 'data/walk0', \
                    'data/walk1', 'data/walk2', 'data/walk3', 'data/walk4' and 2 more";
    for command in ["info", "cut --count 1", "export"] {
        let line = match command.split_once(' ') {
            Some((command, rest)) => format!("{command} data out {rest}"),
            None => format!("{command} data"),
        };
        fails(folder.path(), &line, 3, &format!("{expected}{}", because("data")));
    }
    let expected =
        "error: cannot read the recording 'data/empty': it is a folder, and there is none in it";
    fails(folder.path(), "verify data/empty", 3, &format!("{expected}{}", because("data/empty")));
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.gxf_index", "b.gxf_entities"] {
        let made = Command::new("mkfifo").arg(folder.path().join(name)).status();
        assert!(made.unwrap().success());
    }
    std::fs::write(folder.path().join("a.gxf_entities"), "").unwrap();
    for (name, file) in [("a", "a.gxf_index"), ("b", "b.gxf_entities")] {
        let expected = format!(
            "error: cannot read the recording '{name}'\n  because: the file '{file}' cannot be \
             opened\n    because: it is a pipe or a device, not a file\n"
        );
        fails(folder.path(), &format!("repair {name}"), 3, &expected);
    }
    std::fs::write(folder.path().join("b.gxf_index"), "").unwrap();
    for command in ["info", "verify", "export", "repair"] {
        let expected = "error: cannot read the recording 'b'\n  because: the file 'b.gxf_entities' \
                        cannot be opened\n    because: it is a pipe or a device, not a file\n";
        fails(folder.path(), &format!("{command} b"), 3, expected);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_export() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Files::default();
    for number in 0..50 {
        files.add(0, &[picture(100, 100, number)]);
    }
    files.write(folder.path(), "long");
    let mut command = Command::new(build::gxe());
    command.args(["recording", "export", "long", "--raw"]).current_dir(folder.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(141), Vec::new()));
}
