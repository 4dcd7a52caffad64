//! The examples: Rust, C and Python programs that run the app of the C example extension.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Lab, ROOT, ended_well, library_folder};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");

/// The last line of the app.
const SUM: &str = "received 100 numbers, their sum is 5050";

/// Builds the extension and returns the files for the programs.
fn files(lab: &Lab) -> [String; 2] {
    lab.counter("libc_counter.so");
    lab.write("manifest.yaml", "extensions: [libc_counter.so]\n");
    ["manifest.yaml".to_owned(), format!("{ROOT}/apps/c_counter/c_counter.yaml")]
}

#[test]
fn c() {
    let lab = Lab::new();
    let files = files(&lab);
    let said = lab.program(&Path::new(FOLDER).join("embed.c")).succeeds(&files);
    assert!(said.contains(SUM) && said.ends_with("GXF_SUCCESS\n"), "{said}");
}

#[test]
fn python() {
    let lab = Lab::new();
    let files = files(&lab);
    let output = Command::new("python3")
        .arg(format!("{FOLDER}/embed.py"))
        .arg(library_folder().join("libgxf_core.so"))
        .args(&files)
        .current_dir(lab.path())
        .output();
    let said = ended_well(&output.expect("python3 is needed"));
    assert!(said.contains(SUM) && said.ends_with("done\n"), "{said}");
}

/// A program in Python shows its users more than a code.
#[test]
fn python_with_a_mistake_in_the_app() {
    let lab = Lab::new();
    let [manifest, _] = files(&lab);
    lab.write("app.yaml", "components:\n- type: nvidia::gxf::PingTX\n");
    let output = Command::new("python3")
        .arg(format!("{FOLDER}/embed.py"))
        .arg(library_folder().join("libgxf_core.so"))
        .args([&manifest, "app.yaml"])
        .env("GXF_LOG_LEVEL", "none")
        .current_dir(lab.path())
        .output()
        .expect("python3 is needed");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    let error = said.split("RuntimeError: ").nth(1).unwrap_or(&said);
    let expected = "\
GXF_FACTORY_UNKNOWN_CLASS_NAME: cannot load `app.yaml`
error[GXF_FACTORY_UNKNOWN_CLASS_NAME]: unknown component type `nvidia::gxf::PingTX`
 --> ./app.yaml:2:9
";
    assert!(error.starts_with(expected), "{error}");
}

/// Advice to a program's users names no flags of gxe.
#[test]
fn c_with_a_missing_library() {
    let lab = Lab::new();
    lab.write("manifest.yaml", "extensions: [libmissing_one.so]\n");
    let program = lab.program(&Path::new(FOLDER).join("embed.c"));
    let said = program.fails(&["manifest.yaml".to_owned(), "app.yaml".to_owned()]);
    assert!(said.contains("cannot find extension library `libmissing_one.so`"), "{said}");
    let advice = "name more folders with `add_extension_path` in Rust, `base_directory` of \
                  GxfLoadExtensions in C, or LD_LIBRARY_PATH";
    assert!(said.contains(advice) && said.ends_with("GXF_EXTENSION_FILE_NOT_FOUND\n"), "{said}");
}

/// An extension that calls the C API, in a program that loaded the library as a local one.
#[test]
fn python_with_an_extension_that_calls_the_library() {
    let lab = Lab::new();
    let source = format!("{ROOT}/gxe/tests/abi/c_api.c");
    let include = support::include();
    let include = include.to_str().expect("a path in UTF-8");
    let arguments = ["-DEMBEDDED", "-shared", "-fPIC", "-I", include, &source];
    lab.compile("CC", "cc", &[&arguments[..], &["-o", "libasker.so"]].concat());
    lab.write("manifest.yaml", "extensions: [libasker.so]\n");
    lab.write(
        "app.yaml",
        "components: [{type: abi::Asker}]\n---\nname: scheduler\ncomponents:\n\
         - {name: clock, type: nvidia::gxf::ManualClock, parameters: {initial_timestamp: 7}}\n\
         - {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n",
    );
    let output = Command::new("python3")
        .arg(format!("{FOLDER}/embed.py"))
        .arg(library_folder().join("libgxf_core.so"))
        .args(["manifest.yaml", "app.yaml"])
        .current_dir(lab.path())
        .output();
    let said = ended_well(&output.expect("python3 is needed"));
    assert!(said.contains("clock is a nvidia::gxf::ManualClock that began at 7"), "{said}");
}

#[test]
fn rust() {
    let lab = Lab::new();
    let files = files(&lab);
    let folder = library_folder();
    let program: PathBuf = folder.parent().expect("a profile's folder").join("examples/embed");
    let output = Command::new(program).args(&files).current_dir(lab.path()).output();
    let said = ended_well(&output.expect("Cargo builds examples for tests"));
    assert_eq!(said, "done\n");
}

/// The README shows code of the examples, word for word; the tests above run them.
#[test]
fn the_readme_shows_the_examples() {
    let read = |path: String| std::fs::read_to_string(path).expect("a file of the project");
    let without_indentation = |text: &str| {
        text.lines().map(|line| format!("{}\n", line.trim_start())).collect::<String>()
    };
    let readme = read(format!("{ROOT}/README.md"));
    let section = readme.split("\n## Run a graph").nth(1).expect("the section");
    let section = section.split("\n## ").next().expect("its end");
    for (language, example) in [("rust,ignore", "embed.rs"), ("c", "embed.c")] {
        let block = section.split(&format!("```{language}\n")).nth(1).expect("a block of code");
        let block = block.split("```").next().expect("its end");
        let example = without_indentation(&read(format!("{FOLDER}/{example}")));
        assert!(example.contains(&without_indentation(block)), "{block}\nis not in\n{example}");
    }
}

/// A C++ program that uses the classes of the headers without being an extension.
#[test]
fn cpp_with_the_classes_of_extensions() {
    let lab = Lab::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/embed.cpp");
    let said = lab.cpp_program(Path::new(source)).succeeds(&[]);
    assert_eq!(said, "the clock began at 7\n");
}
