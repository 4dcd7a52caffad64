//! `gxe new`: the project it writes builds without a warning, passes its own tests and runs.

use expect_test::expect_file;
use gxe_tests::{Ended, Gxe, build, cuda, tools};
use std::path::Path;
use std::process::Command;

/// The PATH of a user who installed this gxe.
fn path() -> String {
    let gxe = build::gxe();
    let folder = gxe.parent().expect("target/PROFILE").display();
    format!("{folder}:{}", std::env::var("PATH").unwrap_or_default())
}

fn new(folder: &Path, line: &str) -> Ended {
    Gxe::in_folder(folder).env("PATH", &path()).args("new").args(line).run()
}

/// Runs a program to its end in a folder and returns all its output.
fn run(folder: &Path, program: &str, words: &[&str]) -> String {
    let mut command = Command::new(program);
    command.current_dir(folder).args(words).env("PATH", path()).env_remove("MAKEFLAGS");
    // One folder for all projects, so that the SDK is built once.
    let shared = build::gxe().parent().expect("target/PROFILE").join("scaffold");
    command.env("CARGO_TARGET_DIR", shared).env("CARGO_NET_OFFLINE", "true");
    command.env("RUSTFLAGS", "-D warnings").env("CFLAGS", "-Werror").env("CXXFLAGS", "-Werror");
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}:\n{said}");
    said
}

/// Pins the versions that are available without a network.
fn lock(folder: &Path) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    std::fs::copy(workspace, folder.join("Cargo.lock")).expect("a lock file");
}

#[test]
fn an_extension_in_rust_builds_runs_and_passes_its_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = new(folder.path(), "extension demo --lang rust").clean().stdout;
    expect_file!["../tools/new/extension_rust.expected"].assert_eq(&said);
    let demo = folder.path().join("demo");
    lock(&demo);
    let said = new(&demo, "codelet image_filter_2 --lang rust").clean().stdout;
    expect_file!["../tools/new/codelet_rust.expected"].assert_eq(&said);
    let said = run(&demo, "make", &["test"]);
    assert!(said.contains("test every_app_does_what_it_says ... ok"), "{said}");
    let said = run(&demo, "make", &["run"]);
    assert!(said.contains("received 10 numbers, their sum is 45"), "{said}");
    run(&demo, "cargo", &["fmt", "--check", "--", "--config", "max_width=120"]);
    let inspected = Gxe::in_folder(&demo).args("inspect --brief libdemo.so --extension-path");
    let libraries = build::gxe().parent().expect("target/PROFILE").join("scaffold/debug");
    let inspected = inspected.arg(&libraries.to_string_lossy()).run().clean().stdout;
    for name in ["demo::NumberSource", "demo::NumberSink", "demo::ImageFilter2"] {
        assert!(inspected.contains(name), "{inspected}");
    }
}

/// Runs the app of an extension with a kernel on the stand-in for CUDA's driver.
fn scale(project: &Path, libraries: &Path, mode: &str) -> Ended {
    let driver = tempfile::tempdir().expect("a folder");
    let gxe = Gxe::in_folder(project)
        .args("--app apps/scale.yaml --manifest manifest.yaml --statistics --extension-path")
        .arg(&libraries.to_string_lossy());
    cuda::with_driver(gxe, driver.path(), mode).run()
}

/// The extension multiplies on the device in every mode of the stand-in.
fn works_on_a_gpu(project: &Path, libraries: &Path) {
    for mode in cuda::modes() {
        let ended = scale(project, libraries, mode);
        assert!(ended.status == Some(0), "{}", ended.stderr);
        let sum = "received 10000 numbers, their sum is 99990000";
        assert!(ended.log().iter().any(|line| line.contains(sum)), "{mode}: {}", ended.stderr);
        // All work is seen: that of the kernel and of both copiers.
        let rows = ended.stdout.lines().filter(|line| line.starts_with("device 0, stream "));
        let works = rows.filter_map(|row| row.split_whitespace().nth(4)?.parse::<u64>().ok());
        assert_eq!(works.sum::<u64>(), 30, "{}", ended.stdout);
    }
}

#[test]
fn an_extension_for_gpus_builds_and_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = new(folder.path(), "extension scaler --lang rust --cuda").clean().stdout;
    expect_file!["../tools/new/extension_cuda.expected"].assert_eq(&said);
    let scaler = folder.path().join("scaler");
    lock(&scaler);
    let said = run(&scaler, "make", &["test"]);
    assert!(said.contains("test every_app_does_what_it_says ... ok"), "{said}");
    run(&scaler, "make", &["all"]);
    run(&scaler, "cargo", &["fmt", "--check", "--", "--config", "max_width=120"]);
    let libraries = build::gxe().parent().expect("target/PROFILE").join("scaffold/debug");
    works_on_a_gpu(&scaler, &libraries);
    // A kernel that the text does not have.
    let source = scaler.join("src/scale.rs");
    let text = std::fs::read_to_string(&source).expect("readable");
    std::fs::write(&source, text.replace("\"scale\")", "\"sale\")")).expect("writable");
    run(&scaler, "make", &["all"]);
    let ended = scale(&scaler, &libraries, "eager").with_status(5);
    let text =
        "the kernel `sale` cannot be loaded: cuModuleGetFunction answers CUDA_ERROR_NOT_FOUND";
    ended.complains(text);
}

#[test]
fn an_extension_for_gpus_in_cpp_builds_and_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = new(folder.path(), "extension scaler --lang cpp --cuda").clean().stdout;
    expect_file!["../tools/new/extension_cuda_cpp.expected"].assert_eq(&said);
    if !tools::have("cmake") {
        return;
    }
    let scaler = folder.path().join("scaler");
    _ = new(&scaler, "codelet beeper --lang cpp").clean();
    let said = run(&scaler, "make", &["test"]);
    assert!(said.contains("100% tests passed, 0 tests failed out of 2"), "{said}");
    works_on_a_gpu(&scaler, &scaler.join("build"));
}

#[test]
fn an_extension_in_c_builds_runs_and_passes_its_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = new(folder.path(), "extension demo --lang c").clean().stdout;
    expect_file!["../tools/new/extension_c.expected"].assert_eq(&said);
    let said = new(folder.path(), "codelet beeper --lang c --path demo").clean().stdout;
    expect_file!["../tools/new/codelet_c.expected"].assert_eq(&said);
    let demo = folder.path().join("demo");
    let said = run(&demo, "make", &["test"]);
    assert!(said.contains("apps/beeper.yaml: ok\n"), "{said}");
    assert!(said.contains("apps/numbers.yaml: ok\n"), "{said}");
    let said = run(&demo, "make", &["run"]);
    assert!(said.contains("received 10 numbers, their sum is 45"), "{said}");
}

#[test]
fn an_extension_in_cpp_builds_runs_and_passes_its_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = new(folder.path(), "extension demo --lang cpp").clean().stdout;
    expect_file!["../tools/new/extension_cpp.expected"].assert_eq(&said);
    let demo = folder.path().join("demo");
    let said = new(&demo, "codelet beeper --lang cpp").clean().stdout;
    expect_file!["../tools/new/codelet_cpp.expected"].assert_eq(&said);
    if !tools::have("cmake") {
        return;
    }
    let said = run(&demo, "make", &["test"]);
    assert!(said.contains("100% tests passed, 0 tests failed out of 2"), "{said}");
    let said = run(&demo, "make", &["run"]);
    assert!(said.contains("received 10 numbers, their sum is 45"), "{said}");
    // Checks that the test can fail.
    let app = demo.join("apps/beeper.yaml");
    let text = std::fs::read_to_string(&app).expect("readable");
    std::fs::write(&app, text.replace("count: 3", "count: 2")).expect("writable");
    let mut ctest = Command::new("ctest");
    let ended = ctest.current_dir(demo.join("build")).output().expect("ctest is a part of CMake");
    assert!(!ended.status.success());
}

/// Installed headers work as well as those in gxe's sources.
#[test]
#[ignore = "make test-thorough"]
fn an_installed_sdk_is_enough_for_cpp() {
    if !tools::have("cmake") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("installed");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let installed = format!("PREFIX={}", prefix.display());
    run(&sources, "make", &["install-headers", &installed]);
    for (name, option) in [("demo", ""), ("scaler", "--cuda")] {
        let line = format!("extension {name} --lang cpp {option} --sdk {}", prefix.display());
        _ = new(folder.path(), &line).clean();
        let project = folder.path().join(name);
        let lines = std::fs::read_to_string(project.join("Makefile")).expect("readable");
        let sdk = format!("export GXE_SDK ?= {}\n", prefix.display());
        assert!(lines.contains(&sdk), "{lines}");
        let said = run(&project, "make", &["test"]);
        assert!(said.contains("100% tests passed"), "{said}");
    }
}

#[test]
fn an_app_builds_runs_and_passes_its_tests() {
    for language in ["c", "cpp", "rust"] {
        let folder = tempfile::tempdir().expect("a folder");
        let line = format!("app my_graph --lang {language}");
        let said = new(folder.path(), &line).clean().stdout;
        expect_file![format!("../tools/new/app_{language}.expected")].assert_eq(&said);
        let app = folder.path().join("my_graph");
        if language == "cpp" && !tools::have("cmake") {
            continue;
        }
        if language == "rust" {
            lock(&app.join("extension"));
        }
        let said = run(&app, "make", &["run"]);
        assert!(said.contains("received 10 numbers, their sum is 45"), "{said}");
        run(&app, "make", &["test"]);
    }
}

/// All files below a folder, as one text.
fn all_text(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => text.push_str(&all_text(&path)),
            false => text.push_str(&std::fs::read_to_string(path).expect("text")),
        }
    }
    text
}

/// A project may be moved to another machine.
#[test]
fn a_project_names_no_folder_of_this_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    for language in ["c", "cpp", "rust"] {
        _ = new(folder.path(), &format!("app of_{language} --lang {language}")).clean();
    }
    let text = all_text(folder.path());
    let root = std::fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).expect("a path");
    for place in [&root, build::gxe().parent().expect("a folder"), folder.path()] {
        assert!(!text.contains(&*place.to_string_lossy()), "{}", place.display());
    }
    // A gxe that the user cannot start by its name says how.
    let ended = Gxe::in_folder(folder.path()).args("new extension more --lang c").run().clean();
    let gxe = build::gxe().display().to_string();
    assert!(ended.stdout.contains(&format!("next: export GXE={gxe}\n")), "{}", ended.stdout);
}

#[test]
fn ids_are_fresh() {
    let folder = tempfile::tempdir().expect("a folder");
    let ids = |name: &str| {
        _ = new(folder.path(), &format!("extension {name} --lang rust")).clean();
        let text = std::fs::read_to_string(folder.path().join(name).join("src/lib.rs"));
        let text = text.expect("readable");
        let ids = text.lines().filter_map(|line| line.trim().strip_prefix("id: "));
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut all = ids("one");
    all.extend(ids("two"));
    assert_eq!(all.len(), 6);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
}

#[test]
fn nothing_is_overwritten_and_mistakes_are_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = String::new();
    for line in [
        "extension demo --lang c",
        "extension demo --lang rust",
        "extension Demo --lang c",
        "extension struct --lang c",
        "extension other --lang fortran",
        "codelet more --lang c",
        "codelet number_sink --lang c --path demo",
        "extension other --lang c --sdk /nowhere",
        "extension other --lang c --cuda",
    ] {
        let ended = new(folder.path(), line);
        let status = ended.status.expect("no signal");
        all.push_str(&format!("$ gxe new {line}\n{}exit status: {status}\n\n", ended.stderr));
    }
    let list = std::fs::read_to_string(folder.path().join("demo/src/extension.c"));
    assert_eq!(list.expect("readable").matches("&number_sink,").count(), 1);
    expect_file!["../tools/new/mistakes.expected"].assert_eq(&all);
}

/// Cargo leaves out folders that look like crates of their own.
#[test]
fn the_crate_of_gxe_contains_all_templates() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let words = ["package", "--list", "--allow-dirty", "--offline", "-p", "gxe"];
    let packed = run(&root, "cargo", &words);
    let files = run(&root.join("gxe"), "find", &["templates", "-type", "f"]);
    assert!(files.contains("templates/rust/src/lib.rs"), "{files}");
    let is_missing = |file: &&str| !packed.lines().any(|line| line == *file);
    assert_eq!(files.lines().filter(is_missing).collect::<Vec<_>>(), [""; 0]);
}
