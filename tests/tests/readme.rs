//! The README does what it says. Each fenced block has a check here, selected by the block's first
//! words. The Rust extension is a documentation test of the SDK, and
//! `runtime/core/tests/examples.rs` compares the programs in Rust and C with examples that run.
//!
//! The files that ARCHITECTURE.md and the maps at the top of modules name exist.

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
        ("sh", "target/quick/gxe"),
        ("text", "error[GXF_FACTORY_UNKNOWN_CLASS_NAME]:"),
        ("text", "error[deadlock-cycle]:"),
        ("sh", "make"),
        ("sh", "make"),
        ("python", "import"),
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
    let blocks = ["make run", "make install", "make wheel"].map(|make| block(&text, make));
    let lines = blocks.iter().flat_map(|block| block.lines());
    for line in lines.filter(|line| line.starts_with("make ")) {
        let target = line.split_whitespace().nth(1).expect("a target");
        assert!(makefile.contains(&format!("\n{target}: ")), "{line}");
    }
    for line in block(&text, "target/quick/gxe").lines() {
        let command = line.split('#').next().expect("a command");
        let arguments = command.strip_prefix("target/quick/gxe ").expect("a command of gxe");
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

/// `make test-python` runs the program, and the page that has the other line.
#[test]
fn the_program_in_python_is_one_that_runs() {
    let text = readme();
    let of_the_package = std::fs::read_to_string(root().join("python/README.md")).expect("a page");
    assert_eq!(block(&text, "import gxe"), block(&of_the_package, "import gxe"));
    let page = std::fs::read_to_string(root().join("docs/book/src/howto/python.md"));
    assert!(
        page.expect("a page").contains("\npip install --no-index --find-links target/wheels gxe\n")
    );
    assert!(text.contains("\npip install --no-index --find-links target/wheels gxe\n"));
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
        let is_of_pip = matches!(flag, "--no-index" | "--find-links");
        assert!(is_of_new || is_of_cargo || is_of_pip || help.contains(flag), "{flag}");
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

/// The code spans of a text, without those of fenced blocks.
fn spans(text: &str) -> Vec<&str> {
    let mut spans = Vec::new();
    for (index, outside) in text.split("```").enumerate() {
        if index % 2 == 0 {
            spans.extend(outside.split('`').skip(1).step_by(2));
        }
    }
    spans
}

#[test]
fn the_architecture_names_files_that_exist() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the text");
    let is_path = |span: &&str| {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        span.chars().all(is_word) && (span.contains('/') || span.ends_with(".rs"))
    };
    let mut wrong: Vec<_> = spans(&text).into_iter().filter(is_path).collect();
    assert!(wrong.len() > 50);
    wrong.extend(text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()));
    wrong.retain(|path| !path.is_empty() && !path.contains("://") && !root().join(path).exists());
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// All Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != "templates" && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_maps_of_modules_name_files_that_exist() {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let header: String = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .map(|line| format!("{}\n", line.trim_start_matches("//!")))
            .collect();
        let folder = file.parent().expect("a folder");
        let is_file = |span: &&str| {
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
            span.chars().all(is_word) && (span.ends_with(".rs") || span.ends_with('/'))
        };
        let in_crate = folder.ancestors().find(|folder| folder.join("Cargo.toml").exists());
        for name in spans(&header).into_iter().filter(is_file) {
            count += 1;
            let places = [folder.join(name), file.with_extension("").join(name), root().join(name)];
            let in_crate =
                in_crate.map(|folder| [folder.join(name), folder.join("src").join(name)]);
            if !places.into_iter().chain(in_crate.into_iter().flatten()).any(|path| path.exists()) {
                wrong.push(format!("{}: {name}", file.display()));
            }
        }
    }
    assert!(count > 200, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_architecture_lists_the_unsafe_modules() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the text");
    let (_, from) = text.split_once("**`unsafe`**").expect("the list");
    let (list, _) = from.split_once("forbid it").expect("its end");
    let listed: Vec<PathBuf> = spans(list).into_iter().map(|span| root().join(span)).collect();
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let is_unsafe = |file: &PathBuf| {
        let path = file.strip_prefix(root()).expect("a file of this repository");
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        let text = std::fs::read_to_string(file).expect("a source");
        let mut attributes = text.split("expect(").skip(1);
        !is_test && attributes.any(|after| after.trim_start().starts_with("unsafe_code"))
    };
    let unsafe_files: Vec<_> = files.into_iter().filter(is_unsafe).collect();
    for file in &unsafe_files {
        assert!(listed.iter().any(|path| file.starts_with(path)), "{} is missing", file.display());
    }
    for path in listed.iter().filter(|path| path.exists() && !path.ends_with("runtime/app")) {
        let is_used = unsafe_files.iter().any(|file| file.starts_with(path));
        assert!(is_used, "{} needs no unsafe code", path.display());
    }
}

/// Cargo cannot inherit the version in the requirements of our own crates.
#[test]
fn there_is_one_version() {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let (_, package) = text.split_once("[workspace.package]\nversion = \"").expect("the version");
    let version = package.split('"').next().expect("a version");
    let own: Vec<_> = text.lines().filter(|line| line.contains("{ path = ")).collect();
    assert!(own.len() > 8, "{own:?}");
    for line in own {
        assert!(line.contains(&format!("version = \"{version}\"")), "{line}");
    }
    let changes = std::fs::read_to_string(root().join("CHANGELOG.md")).expect("the changelog");
    assert!(changes.contains(version), "CHANGELOG.md does not name {version}");
}
