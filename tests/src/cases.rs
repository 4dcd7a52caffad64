//! Apps, `case.yaml`, each with the complete text that a user reads, `case.expected`.
//!
//! The first lines of an app may say how to run it: `# gxe: --strict --app b.yaml` adds words to
//! the test's own command; `# $ gxe check --app case.yaml` is a complete command, and there may be
//! several. `UPDATE_EXPECT=1` writes the texts; read them before you commit them.

use crate::{Ended, Gxe, Line, MANIFEST, lines_of};
use expect_test::expect_file;
use std::fmt::Write;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

/// Runs every case of a folder of the tests. `command` precedes `--app case.yaml --manifest
/// manifest.yaml`.
///
/// # Panics
/// If the output of a case differs from its file, if the folder cannot be read, or if its manifest
/// differs from that of the other tests.
pub fn run_all(folder: &str, command: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let manifest = std::fs::read_to_string(folder.join("manifest.yaml"));
    assert_eq!(manifest.expect("a manifest"), MANIFEST, "the manifest of the cases");
    let mut wrong = Vec::new();
    let cases = cases(&folder);
    assert!(!cases.is_empty());
    for case in &cases {
        let mut found = String::new();
        for line in commands(&folder, case, command) {
            let gxe = Gxe::in_folder(&folder).env("GXF_LOG_LEVEL", "warning");
            let gxe = gxe.env("LD_LIBRARY_PATH", "");
            let ended = gxe.args(line.strip_prefix("gxe ").unwrap_or(&line)).run();
            let separator = if found.is_empty() { "" } else { "\n" };
            // Writing to a `String` does not fail.
            _ = write!(found, "{separator}$ {line}\n{}", shown(&ended));
        }
        let file = folder.join(format!("{case}.expected"));
        if catch_unwind(|| expect_file![file].assert_eq(&found)).is_err() {
            wrong.push(case);
        }
    }
    assert!(wrong.is_empty(), "not as written down, see above: {wrong:?}");
}

/// Apps at the top of the folder; the files they use are in folders below.
fn cases(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("it").path());
    let apps = files.filter(|path: &PathBuf| path.extension().is_some_and(|kind| kind == "yaml"));
    let names = apps.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != "manifest").collect();
    names.sort();
    names
}

/// The commands of a case, each starting with `gxe `.
fn commands(folder: &Path, case: &str, command: &str) -> Vec<String> {
    let text = std::fs::read(folder.join(format!("{case}.yaml"))).expect("readable");
    let text = String::from_utf8_lossy(&text);
    let lines = |prefix: &'static str| -> Vec<String> {
        let head = text.lines().take_while(|line| line.starts_with('#'));
        head.filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned).collect()
    };
    let whole = lines("# $ ");
    if !whole.is_empty() {
        return whole;
    }
    let own = lines("# gxe: ").join(" ");
    let line = format!("{command} --app {case}.yaml --manifest manifest.yaml {own}");
    vec![line.trim_end().to_owned()]
}

/// Everything that a user sees, without times and source locations, and with `BUILD` for the folder
/// of the program.
fn shown(ended: &Ended) -> String {
    let mut text = String::new();
    for line in lines_of(&ended.stdout) {
        _ = match line {
            Line::Log { level, text: message } => writeln!(text, "[{level}] {message}"),
            Line::Other(other) => writeln!(text, "{other}"),
        };
    }
    let status = ended.status.map_or("a signal".to_owned(), |status| status.to_string());
    let program = crate::build::gxe();
    let folder = program.parent().unwrap_or(&program).to_string_lossy();
    format!("{text}{}exit status: {status}\n", ended.stderr).replace(&*folder, "BUILD")
}
