//! The C header is generated from the Rust sources and up to date, C and C++ compilers accept it,
//! and it has the same layout.

#[path = "header/generate.rs"]
mod generate;
#[path = "header/layout.rs"]
mod layout;

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("include/gxf/plugin_abi.h")
}

#[test]
fn header_is_up_to_date() {
    let generated = generate::header();
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(committed(), &generated).expect("the header can be written");
    }
    let committed = std::fs::read_to_string(committed()).unwrap_or_default();
    assert!(
        committed == generated,
        "include/gxf/plugin_abi.h is not what the sources say; make it again with \
         `UPDATE_HEADER=1 cargo test -p gxf-plugin-abi` and look at the difference"
    );
}

#[test]
fn every_type_of_the_header_is_compared() {
    let mut compared: Vec<&str> = layout::layouts().iter().map(|layout| layout.name).collect();
    let mut types = generate::types();
    compared.sort_unstable();
    types.sort_unstable();
    assert_eq!(compared, types, "tests/header/layout.rs lists other types than the sources have");
}

/// Since ABI 1.4 no shared structure or table grows: what a feature adds is a table of its own. New
/// types may follow; those of 1.4 keep their sizes.
#[test]
fn what_was_shared_in_abi_1_4_is_closed() {
    let closed = include_str!("header/closed_in_1_4.txt");
    let sizes: HashMap<&str, usize> =
        layout::layouts().iter().map(|layout| (layout.name, layout.size)).collect();
    for line in closed.lines() {
        let (name, size) = line.split_once(' ').expect("a name and a size");
        assert_eq!(
            sizes.get(name).map(ToString::to_string).as_deref(),
            Some(size),
            "`{name}` is closed; add a table with an id of its own instead"
        );
    }
}

/// Compiles the assertions with no header included before ours.
fn compile(compiler: &str, variable: &str, arguments: &[&str], file: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join(file);
    std::fs::write(&source, layout::assertions()).expect("the source file can be written");
    let compiler = std::env::var(variable).unwrap_or_else(|_| compiler.to_owned());
    let include = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("include");
    let output = Command::new(&compiler)
        .args(arguments)
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I"])
        .arg(include)
        .arg(&source)
        .output()
        .unwrap_or_else(|error| panic!("the compiler `{compiler}` is needed: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn c_sees_the_layout_of_rust() {
    compile("cc", "CC", &["-std=c11", "-Wstrict-prototypes"], "layout.c");
}

#[test]
fn cpp_sees_the_layout_of_rust() {
    compile("c++", "CXX", &["-std=c++17"], "layout.cpp");
}
