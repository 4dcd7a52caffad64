//! Where recordings go, and recorders that are killed or run out of room.

use crate::{MANIFEST, app, index_records, pictures, playback};
use gxe_tests::recording::{Files, picture};
use gxe_tests::{Gxe, SCHEDULER};
use std::path::Path;
use std::time::Duration;

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
        let complete = index_records(folder.path(), "out");
        running.signal("KILL");
        assert_eq!(running.end().status, None);
        frames += check_killed(folder.path(), &files, complete);
    }
    assert!(frames > 0, "something was recorded");
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
