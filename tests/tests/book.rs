//! The book of `docs/book`: every YAML file and every command runs, and prints what the page says.

use gxe_tests::book::{Step, matches, steps};
use gxe_tests::build;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/src")
}

/// The hand-written pages of the summary, and the generated ones.
fn pages() -> (Vec<String>, Vec<String>) {
    let summary = std::fs::read_to_string(source().join("SUMMARY.md")).expect("the summary");
    let links = summary.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(')'));
    let is_generated =
        |page: &String| page.starts_with("reference/") && page != "reference/findings.md";
    links.map(str::to_owned).partition(|page| !is_generated(page))
}

/// Follows a page in a folder of its own and returns what differs from it.
fn follow(page: &str) -> String {
    let text = std::fs::read_to_string(source().join(page)).expect("the page");
    let steps = steps(&text).unwrap_or_else(|problem| panic!("{page}: {problem}"));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut wrong, mut commands) = (String::new(), String::new());
    let mut files = Vec::new();
    for step in steps {
        match step {
            Step::File { name, text } => {
                std::fs::write(folder.path().join(&name), text).expect("a file");
                files.push(name);
            }
            Step::Command { line, expected } => {
                let found = type_in(folder.path(), &line);
                if !matches(&expected, &found) {
                    let _ = write!(wrong, "\n==== {page}\n$ {line}\n{found}");
                }
                commands.push_str(&line);
                commands.push('\n');
            }
        }
    }
    let used = std::fs::read_dir(folder.path())
        .expect("a folder")
        .filter_map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).ok());
    // Another file may use a subgraph.
    let used: String = used.chain([commands]).collect();
    for file in files {
        if !used.contains(&file) {
            let _ = write!(wrong, "\n==== {page}\nnothing uses {file}");
        }
    }
    wrong
}

/// The output of a command, both streams in order.
fn type_in(folder: &Path, line: &str) -> String {
    let gxe = build::gxe();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", gxe.parent().expect("a folder").display());
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &format!("exec 2>&1; {line}")]).current_dir(folder);
    command.env("PATH", path).env("GXE", &gxe).env("TZ", "UTC");
    for variable in ["MAKEFLAGS", "MAKELEVEL", "LD_LIBRARY_PATH", "GXF_LOG_LEVEL", "CFLAGS"] {
        command.env_remove(variable);
    }
    let output = command.output().expect("bash");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_yaml_and_command_does_what_the_book_says() {
    let (written, _) = pages();
    assert!(written.len() > 8, "{written:?}");
    let wrong: String = written.iter().map(|page| follow(page)).collect();
    assert!(wrong.is_empty(), "these print something else than the book says:\n{wrong}");
}

#[test]
fn every_link_within_the_book_leads_somewhere() {
    let (written, generated) = pages();
    let mut wrong = String::new();
    for page in written {
        let file = source().join(&page);
        let mut text = std::fs::read_to_string(&file).expect("the page");
        if let Some(other) = text.trim().strip_prefix("{{#include ") {
            let other = file.with_file_name(other.trim_end_matches('}'));
            text = std::fs::read_to_string(other).expect("the page that is included");
        }
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let is_made = generated.iter().any(|page| link.ends_with(page.as_str()));
            let is_picture = link.starts_with("images/");
            let is_elsewhere = link.is_empty() || link.contains("://") || is_made || is_picture;
            if !is_elsewhere && !file.with_file_name(link).exists() {
                let _ = writeln!(wrong, "{page}: {link}");
            }
        }
    }
    assert!(wrong.is_empty(), "these links lead nowhere:\n{wrong}");
}

/// What the page tells its readers to look for, gxe says.
#[test]
fn troubleshooting_quotes_texts_that_exist() {
    fn sources(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                sources(&path, text);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                text.push_str(&std::fs::read_to_string(path).expect("a source"));
            }
        }
    }
    let mut said = String::new();
    for folder in ["../gxe/src", "../runtime", "../extensions/python_codelet"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut said);
    }
    let page = std::fs::read_to_string(source().join("troubleshooting.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let mut rows = rows.skip(1).peekable();
    assert!(rows.peek().is_some());
    // The operating system's.
    for quoted in rows.filter(|text| *text != "Address already in use") {
        for piece in quoted.split('…') {
            assert!(said.contains(piece.trim()), "no source says `{piece}`");
        }
    }
}

#[test]
fn every_finding_is_in_the_reference() {
    let page = std::fs::read_to_string(source().join("reference/findings.md")).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("app.yaml"), "").expect("a file");
    let log = type_in(folder.path(), "gxe check --app app.yaml --format sarif");
    let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").clone();
    assert!(rules.len() > 10);
    for rule in rules {
        let name = rule["id"].as_str().expect("a name");
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn pages_come_from_the_code() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let made = Command::new(here.join("scripts/book.sh"))
        .arg("pages")
        .env("GXE", build::gxe())
        .output()
        .expect("the script");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (_, generated) = pages();
    assert_eq!(generated.len(), 21);
    let mut explained = std::fs::read_to_string(here.join("docs/conditions.md")).expect("it");
    for page in pages().0 {
        let text = std::fs::read_to_string(source().join(page));
        explained.push_str(&text.expect("the page"));
    }
    for page in generated {
        let text = std::fs::read_to_string(source().join(&page)).expect("the page");
        assert!(text.starts_with("# ") && text.lines().count() > 20, "{page}");
        // Somebody who looks for a use of a component finds its name on a page that explains it.
        for name in text.lines().filter_map(|line| line.strip_prefix("### ")) {
            assert!(explained.contains(name) || name.contains(' '), "{page}: no page has {name}");
        }
    }
    let standard = std::fs::read_to_string(source().join("reference/standard.md")).expect("it");
    assert!(standard.contains("\n### DoubleBufferReceiver\n"), "{standard}");
    for picture in ["ping", "fan_out_fan_in"] {
        let file = source().join(format!("images/{picture}.svg"));
        assert!(std::fs::read_to_string(file).expect("a picture").contains("<svg"));
    }
}
