//! The README does what it says. Each fenced block has a check here, selected by the block's first
//! words. The Rust extension is a documentation test of the SDK, and `runtime/core/tests/examples.rs`
//! compares the programs in Rust and C with examples that run.

use gxe_tests::Gxe;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("the README")
}

/// The fenced blocks: info string and text.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut pieces = text.split("\n```");
    pieces.next();
    let mut blocks = Vec::new();
    while let (Some(block), Some(_)) = (pieces.next(), pieces.next()) {
        blocks.push(block.split_once('\n').expect("a block has lines"));
    }
    blocks
}

/// The first block that starts with `beginning`.
fn block<'a>(text: &'a str, beginning: &str) -> &'a str {
    let mut found = blocks(text).into_iter().map(|(_, block)| block);
    found.find(|block| block.starts_with(beginning)).expect("the block")
}

#[test]
fn every_block_is_checked() {
    let text = readme();
    let beginnings: Vec<_> = blocks(&text)
        .into_iter()
        .map(|(kind, block)| (kind, block.split_whitespace().next().expect("a word")))
        .collect();
    let expected = [
        ("sh", "make"),
        ("text", "window"),
        ("sh", "target/release/gxe"),
        ("text", "error[GXF_FACTORY_UNKNOWN_CLASS_NAME]:"),
        ("text", "error[deadlock-cycle]:"),
        ("sh", "make"),
        ("rust", "use"),
        ("rust,ignore", "let"),
        ("c", "gxf_context_t"),
    ];
    assert_eq!(beginnings, expected);
}

#[test]
fn commands_are_there_and_work() {
    let text = readme();
    let makefile = std::fs::read_to_string(root().join("Makefile")).expect("the Makefile");
    for line in ["make run", "make install"].iter().flat_map(|make| block(&text, make).lines()) {
        let target = line.split_whitespace().nth(1).expect("a target");
        assert!(makefile.contains(&format!("\n{target}: ")), "{line}");
    }
    for line in block(&text, "target/release/gxe").lines() {
        let command = line.split('#').next().expect("a command");
        let arguments = command.strip_prefix("target/release/gxe ").expect("a command of gxe");
        let ended = Gxe::in_folder(&root()).args(arguments).run().with_status(0);
        assert!(!ended.stdout.is_empty() && ended.stderr.is_empty(), "{line}: {}", ended.stderr);
    }
}

#[test]
fn the_report_of_the_log_is_what_is_printed() {
    let text = readme();
    let app = "--app apps/access_log/access_log.yaml --manifest manifests/access_log.yaml";
    let ended = Gxe::in_folder(&root()).args(app).run().with_status(0);
    for line in block(&text, "window (UTC)").lines() {
        assert!(ended.stdout.lines().any(|printed| printed == line), "{line}");
    }
}

#[test]
fn mistakes_are_shown_so() {
    let text = readme();
    let app = std::fs::read_to_string(root().join("apps/ping/ping.yaml")).expect("the app");
    let manifest = root().join("manifests/ping.yaml");
    let gxe = Gxe::alone().file("apps/ping/ping.yaml", &app.replace("PingTx\n", "PingTX\n"));
    let gxe = gxe.args("--app apps/ping/ping.yaml --manifest").arg(&manifest.to_string_lossy());
    gxe.run().with_status(3).complains(block(&text, "error[GXF_FACTORY"));
    let cycle = root().join("tests/check");
    let ended = Gxe::in_folder(&cycle)
        .args("check --app deadlock_cycle.yaml --manifest manifest.yaml")
        .run();
    let shown = block(&text, "error[deadlock-cycle]").trim_end();
    assert!(ended.stdout.contains(shown), "{}", ended.stdout);
}

/// `gxe` has every flag and command that the text names.
#[test]
fn what_is_named_is_there() {
    let text = readme();
    let help = Gxe::alone().args("--help").run().clean().stdout;
    let words = text.split(|c: char| c.is_whitespace() || c == '`' || c == ',');
    for flag in words.filter(|word| word.starts_with("--") && *word != "-->") {
        let flag = flag.split('=').next().expect("a flag").trim_end_matches(['.', ';']);
        let is_of_new = flag == "--lang";
        let is_of_cargo = matches!(flag, "--bench" | "--workspace");
        assert!(is_of_new || is_of_cargo || help.contains(flag), "{flag}");
    }
    let mut named = text.split("`gxe ").skip(1);
    let commands = named.by_ref().filter_map(|rest| rest.split([' ', '`']).next());
    for command in commands.filter(|word| !word.starts_with("--")) {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
    }
}

#[test]
fn links_lead_somewhere() {
    let text = readme();
    for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
        assert!(link.contains("://") || root().join(link).exists(), "{link}");
    }
}
