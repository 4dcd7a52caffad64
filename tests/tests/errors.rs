//! What a user reads when a graph is wrong: each app of `tests/errors` has beside it the whole
//! text it gives, with the exit status.
//!
//! The first lines of an app may say how it is run: `# gxe: --strict --app b.yaml`.
//! `UPDATE_EXPECT=1 cargo test -p gxe-tests --test errors` writes what comes now; read it before
//! it is committed.

use gxe_tests::expect::compare;
use gxe_tests::{Ended, Gxe, Line, MANIFEST, lines_of};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[test]
fn every_mistake_is_explained_as_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("errors");
    let manifest = folder.join("manifest.yaml");
    assert_eq!(std::fs::read_to_string(manifest).unwrap(), MANIFEST, "the manifest of the cases");
    let mut wrong = String::new();
    let cases = cases(&folder);
    assert!(!cases.is_empty());
    for case in &cases {
        let found = run(&folder, case);
        let file = folder.join(format!("{case}.expected"));
        if let Err(difference) = compare(&file, &found) {
            write!(wrong, "\n==== {case}\n{difference}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "not as written down (+ is what comes now):\n{wrong}");
}

/// Apps that stand at the top of the folder; files that they use stand below it.
fn cases(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let apps = files.filter(|path: &PathBuf| path.extension().is_some_and(|kind| kind == "yaml"));
    let names = apps.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let mut names: Vec<String> = names.filter(|name| name != "manifest").collect();
    names.sort();
    names
}

fn run(folder: &Path, case: &str) -> String {
    let text = std::fs::read(folder.join(format!("{case}.yaml"))).unwrap();
    let text = String::from_utf8_lossy(&text);
    let own = text.lines().map_while(|line| line.strip_prefix("# gxe: "));
    let own = own.collect::<Vec<_>>().join(" ");
    let line = format!("--app {case}.yaml --manifest manifest.yaml {own}");
    let ended = Gxe::in_folder(folder).args(&line).env("GXF_LOG_LEVEL", "warning").run();
    format!("$ gxe {}\n{}", line.trim_end(), shown(&ended))
}

/// Everything a user sees, without times and places in the sources.
fn shown(ended: &Ended) -> String {
    let mut text = String::new();
    for line in lines_of(&ended.stdout) {
        match line {
            Line::Log { level, text: message } => writeln!(text, "[{level}] {message}").unwrap(),
            Line::Other(other) => writeln!(text, "{other}").unwrap(),
        }
    }
    let status = ended.status.map_or("a signal".to_owned(), |status| status.to_string());
    format!("{text}{}exit status: {status}\n", ended.stderr)
}
