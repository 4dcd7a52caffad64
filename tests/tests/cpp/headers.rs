//! Every public header, and uses of everything in it.

use super::{all_files, compiled, compilers, sources};
use std::process::Command;

#[test]
#[ignore = "make test-thorough"]
fn everything_the_headers_offer_compiles_as_extensions_use_it() {
    for name in ["core", "std", "data"] {
        let source = sources().join("uses").join(name).with_extension("cpp");
        for (compiler, version) in [("g++", "-std=c++17"), ("clang++", "-std=c++20")] {
            if compilers().contains(&compiler) {
                compiled(compiler, &source, name, &[version, "-fsyntax-only"]);
            }
        }
    }
}

#[test]
fn the_common_headers_do_what_they_say() {
    for compiler in compilers() {
        let source = sources().join("uses/common.cpp");
        let program = compiled(compiler, &source, "common", &["-std=c++17"]);
        let output = Command::new(program).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler}: {said}");
    }
}

/// All headers of C++.
fn all_headers() -> Vec<String> {
    all_files().into_iter().filter(|name| name.ends_with(".hpp")).collect()
}

/// A header that lacks something lacks it for every compiler, so each compiler takes some of them;
/// every compiler also compiles all headers together.
#[test]
#[ignore = "make test-thorough"]
fn every_header_compiles_alone_and_twice() {
    let other = if compilers().contains(&"clang++") { "clang++" } else { "g++" };
    let ways = [(other, "-std=c++17"), ("g++", "-std=c++20")];
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let headers = all_headers();
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let headers = &headers;
            scope.spawn(move || {
                for (index, header) in headers.iter().enumerate().skip(worker).step_by(workers) {
                    let unit = folder.join(header.replace('/', "_")).with_extension("cpp");
                    let twice = format!("#include \"{header}\"\n#include \"{header}\"\n");
                    std::fs::write(&unit, twice).expect("a file");
                    let (compiler, version) = ways[index / workers % ways.len()];
                    let options = [version, "-Werror", "-fsyntax-only"];
                    compiled(compiler, &unit, "alone", &options);
                }
            });
        }
    });
}

#[test]
fn all_headers_compile_together_in_each_language_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let unit = folder.path().join("all_headers.cpp");
    let text: String =
        all_headers().iter().map(|header| format!("#include \"{header}\"\n")).collect();
    std::fs::write(&unit, text).expect("a file");
    let versions = ["-std=c++17", "-std=c++20"];
    // Warnings of headers are the problem of those who include them.
    let strict = ["-Werror", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-fsyntax-only"];
    for compiler in compilers() {
        for version in versions.iter().take(if gxe_tests::is_thorough() { 2 } else { 1 }) {
            compiled(compiler, &unit, "all", &[&[*version], &strict[..]].concat());
        }
    }
}
