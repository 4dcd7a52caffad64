//! Where recordings go, and recorders that are killed or run out of room.

use crate::recordings::{pictures, playback};
use gxe_tests::recording::Files;

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

    // Whoever comes first.
    let app = gxe_tests::graphs::replay_and_record("", gxe_tests::SCHEDULER);
    let app = format!("start_order: [recorder]\n---\n{app}");
    let gxe = playback(&pictures(1), "").args("--param recorder/recorder/basename=in");
    let (folder, gxe) = (gxe.folder(), gxe.file("app.yaml", &app));
    let (ended, left) = gxe.spawn().end_with(|| Files::read(&folder, "in"));
    assert_eq!(ended.status, Some(5), "{}", ended.stdout);
    ended.complains("the file './in.gxf_index' is in use: another program or component reads or");
    assert!(
        ended.stdout.contains("no message was recorded; './in.gxf_index' is what was there before")
    );
    assert_eq!(left, pictures(1));

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

/// As on a full disk: the system takes a part of a frame and nothing more.
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
    // As many frames as fit into 10 KiB, and nothing after them.
    let (frame, all) = (188 + 60, pictures(60));
    assert_eq!((out.index.len() / 24, out.entities.len() % frame), (10 * 1024 / frame, 0));
    assert!(out.entities[..] == all.entities[..out.entities.len()]);
    assert!(out.index[..] == all.index[..out.index.len()]);
}
