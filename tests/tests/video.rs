//! `VideoSource` and `VideoSink`, with ffmpeg; skipped with a line where it is not installed.

use gxe_tests::{eventually, flow::Flow};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Whether ffmpeg is there; else says that a test is skipped.
fn has_ffmpeg() -> bool {
    let has = Command::new("ffmpeg").arg("-version").output().is_ok();
    if !has {
        eprintln!("skipped: ffmpeg is not installed");
    }
    has
}

/// A video that goes to a sink.
fn video(source: &str, sink: &str, parameters: &str) -> Flow {
    Flow::default().then("video", "gxe::io::VideoSource", source).then("sink", sink, parameters)
}

/// Two seconds of ffmpeg's test picture.
const TEST_PICTURE: &str = "path: 'testsrc=size=64x48:rate=10:duration=2', format: lavfi";
const BYTES: usize = 20 * 64 * 48 * 3;

#[test]
fn a_video_file_has_what_was_written() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let raw = |name: &str| format!("address: {}", path(name));
    let options = "frames_per_second: 10, options: ['-c:v', ffv1, '-pix_fmt', bgr0]";
    let written = format!("path: {}, {options}", path("out.mkv"));
    let read = format!("path: {}", path("out.mkv"));
    _ = video(TEST_PICTURE, "gxe::io::RawSink", &raw("first.raw")).gxe().run().clean();
    _ = video(TEST_PICTURE, "gxe::io::VideoSink", &written).gxe().run().clean();
    _ = video(&read, "gxe::io::RawSink", &raw("second.raw")).gxe().run().clean();
    let read = |name: &str| std::fs::read(path(name)).expect("written");
    assert_eq!(read("first.raw").len(), BYTES);
    assert!(read("first.raw") == read("second.raw"));
}

/// A program that stands in for ffmpeg reads and writes nothing.
#[test]
fn no_video_is_read_and_written_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("ffmpeg");
    let script = "#!/bin/sh\ncase \"$*\" in\n*image2pipe*) printf 'P6 1 1 255\\nabc';;\n\
                  *) cat >/dev/null;;\nesac\n";
    std::fs::write(&program, script).expect("a program");
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("executable");
    let search = format!("{}:/usr/bin:/bin", folder.path().display());
    let copy = |to: &str| {
        let flow = video("path: a.mkv", "gxe::io::VideoSink", &format!("path: {to}"));
        flow.gxe().file("a.mkv", "").env("PATH", &search).run()
    };
    let _ = copy("b.mkv").with_status(0);
    copy("a.mkv").with_status(5).complains("`a.mkv` is to be read, and written, too");
}

#[test]
fn mistakes_are_told_in_the_words_of_ffmpeg() {
    if !has_ffmpeg() {
        return;
    }
    let refused = |source: &str, sink: &str, parameters: &str, texts: &[&str]| {
        let ended = video(source, sink, parameters).gxe().run();
        assert_ne!(ended.status, Some(0));
        texts.iter().for_each(|text| ended.complains(text));
    };
    let raw = ("gxe::io::RawSink", "address: out.raw");
    let gone =
        ["`gone.mp4` cannot be read: the program ended with status", "No such file or directory"];
    refused("path: gone.mp4", raw.0, raw.1, &gone);
    refused("path: app.yaml", raw.0, raw.1, &["Invalid data found when processing input"]);
    let unknown = ["`out.nonsense` cannot be written: the program ended with status"];
    refused(TEST_PICTURE, "gxe::io::VideoSink", "path: out.nonsense", &unknown);
}

#[test]
fn without_ffmpeg_its_name_is_told() {
    let flow = video("path: a.mp4", "gxe::io::RawSink", "address: out.raw");
    let ended = flow.gxe().env("PATH", "/nowhere").run();
    assert_ne!(ended.status, Some(0));
    ended.complains(
        "`a.mp4` cannot be read: this needs the program `ffmpeg`, which is not installed",
    );
}

#[test]
fn frames_of_another_size_are_refused() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let picture = |name: &str, size: &str| {
        let path: &Path = &folder.path().join(name);
        let made = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-f", "lavfi", "-i"])
            .arg(format!("testsrc=size={size}:rate=1:duration=1"))
            .arg(path)
            .status();
        assert!(made.expect("ffmpeg starts").success());
        path.display().to_string()
    };
    let paths = [picture("a.png", "16x16"), picture("b.png", "32x16")].join(", ");
    let flow = Flow::default()
        .then("pictures", "gxe::view::ImageSource", &format!("paths: [{paths}]"))
        .then("sink", "gxe::io::VideoSink", "path: out.mkv");
    let ended = flow.gxe().run();
    assert_ne!(ended.status, Some(0));
    ended.complains("the size of the frames changes from [16, 16, 3] to [16, 32, 3]");
}

/// An interrupt ends a video without an end, and ffmpeg with it.
#[test]
fn an_interrupt_leaves_no_program() {
    if !has_ffmpeg() {
        return;
    }
    // No other run of the tests has a picture of this size.
    let picture = format!("testsrc=size={}x48", 64 + 2 * (std::process::id() % 1000));
    let source = format!("path: '{picture}', format: lavfi");
    let mut running = video(&source, "gxe::view::Print", "").gxe().spawn();
    let runs = || {
        let found = Command::new("pgrep").args(["-f", &format!("i {picture}")]).output();
        !found.expect("pgrep starts").stdout.is_empty()
    };
    eventually("ffmpeg runs", runs);
    running.signal("INT");
    _ = running.end().with_status(130);
    eventually("ffmpeg has ended", || !runs());
}
