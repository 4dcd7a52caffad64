//! What a build without the optional features answers where it has less: `make test-minimal`.

#![cfg(not(any(
    feature = "lsp",
    feature = "mcap",
    feature = "otlp",
    feature = "pictures",
    feature = "serve",
    feature = "shell",
    feature = "stm",
    feature = "top"
)))]

use std::path::Path;
use std::process::Command;

const LEFT_OUT: &str =
    "this gxe was built without it, as `make run` does; `make install` builds all of it";

/// Exit status and standard error of gxe in a folder.
fn gxe(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut gxe = Command::new(env!("CARGO_BIN_EXE_gxe"));
    let output = gxe.args(line.split_whitespace()).current_dir(folder).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn commands_and_flags_left_out_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (line, what) in [
        ("completions bash", "there is no command `completions`"),
        ("lsp", "there is no command `lsp`"),
        ("man", "there is no command `man`"),
        ("schedule x.stm", "there is no command `schedule`"),
        ("stm compile -i graph.yaml", "there is no command `stm`"),
        ("stm --help", "there is no command `stm`"),
        ("top 1", "there is no command `top`"),
        ("--severity info top", "there is no command `top`"),
        ("help top", "there is no command `top`"),
        ("recording convert x.mcap y", "there is no `gxe recording convert`"),
        ("--otlp --app x.yaml", "there is no '--otlp'"),
        ("--serve 127.0.0.1:0 --app x.yaml", "there is no '--serve'"),
        ("serve x.yaml", "there is no '--serve'"),
        ("--metrics 127.0.0.1:0 --app x.yaml", "there is no '--metrics'"),
    ] {
        let wanted =
            format!("error: {what}\n\n  {LEFT_OUT}\n\nFor more information, try 'gxe --help'.\n");
        assert_eq!(gxe(folder.path(), line), (Some(2), wanted), "{line}");
    }
}

#[test]
fn files_of_formats_left_out_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.mcap", "a.png"] {
        std::fs::write(folder.path().join(name), "text").unwrap();
    }
    let mcap = format!(
        "error: cannot read the recording 'a.mcap'\n  because: it is an MCAP file, and {LEFT_OUT}\n"
    );
    for command in ["info", "verify"] {
        let line = format!("recording {command} a.mcap");
        assert_eq!(gxe(folder.path(), &line), (Some(3), mcap.clone()));
    }
    let png = "error: cannot read the picture 'a.png'\n  because: this gxe was built without PNG \
               and JPEG, as `make run` does; `make install` builds all of it, and raw frames work \
               here, too\n";
    assert_eq!(gxe(folder.path(), "recording import a.png b"), (Some(3), png.to_owned()));
}
