//! The README: what its blocks say is what happens. Each of them has a check here, by what it begins
//! with; the Rust extension is a documentation test of the SDK.

use gxe_tests::{Gxe, build};
use gxf_runtime::Context;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("the README")
}

/// The fenced blocks: what stands behind the fence, and the text.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut pieces = text.split("\n```");
    pieces.next();
    let mut blocks = Vec::new();
    while let (Some(block), Some(_)) = (pieces.next(), pieces.next()) {
        blocks.push(block.split_once('\n').expect("a block has lines"));
    }
    blocks
}

/// The block that begins so.
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
    for line in block(&text, "make run").lines() {
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

/// The lines of the README, with the files they speak of.
fn run_as_in_the_readme(manifest: &Path, app: &Path) -> Result<(), gxf_runtime::Error> {
    let context = Context::new();
    context.load_manifest(manifest, None)?;
    context.load_app(app, &[])?;
    context.activate()?;
    context.run()?;
    context.deactivate()?;
    Ok(())
}

#[test]
fn a_program_in_rust_runs_a_graph() {
    let text = readme();
    for line in block(&text, "let context").lines() {
        assert!(include_str!("readme.rs").contains(&format!("    {line}\n")), "{line}");
    }
    let manifest = root().join("manifests/ping.yaml");
    // Built, so that the manifest's library is there.
    let folder = build::gxe();
    let folder = folder.parent().expect("a folder");
    let context = tempfile::tempdir().expect("a folder");
    let listed = std::fs::read_to_string(manifest).expect("the manifest");
    let listed = listed.replace("- ", &format!("- {}/", folder.display()));
    let manifest = context.path().join("manifest.yaml");
    std::fs::write(&manifest, listed).expect("writable");
    run_as_in_the_readme(&manifest, &root().join("apps/ping/ping.yaml")).expect("it runs");
}

#[test]
fn a_program_in_c_runs_a_graph() {
    let text = readme();
    let folder = tempfile::tempdir().expect("a folder");
    let library = build::library("gxf_core");
    let libraries = library.parent().expect("a folder");
    let source = format!(
        "#include <stdio.h>\n#include \"gxf/core/gxf.h\"\nint main(int count, char** words) {{\n\
         (void)count; const char *manifest = words[1], *app = words[2];\n{}return 0;\n}}\n",
        block(&text, "gxf_context_t")
    );
    let file = folder.path().join("main.c");
    std::fs::write(&file, source).expect("writable");
    let program = folder.path().join("main");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join("plugin-abi/include"))
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(libraries)
        .args(["-lgxf_core", &format!("-Wl,-rpath,{}", libraries.display())])
        .output()
        .expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(program)
        .args([root().join("manifests/ping.yaml"), root().join("apps/ping/ping.yaml")])
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.lines().any(|line| line == "GXF_SUCCESS"), "{said}");
}

/// Flags and commands that the text names are those of `gxe`.
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
