//! The stages in C++: an extension that is built from source on demand, as users build theirs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Prefix of these stages' types.
pub(crate) const NAMESPACE: &str = "bench_cpp::";

/// A graph whose sources, pass-through stages and sinks are written in C++.
#[must_use]
pub fn in_cpp(yaml: &str) -> String {
    yaml.replace("type: bench::", &format!("type: {NAMESPACE}"))
}

/// The extension, built once per process, next to this program.
///
/// # Panics
/// If it does not build.
pub(crate) fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let program = std::env::current_exe().expect("a program knows where it is");
        let library = program.with_file_name("libgxf_bench_stages_cpp.so");
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let built = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()))
            .args(["-std=c++17", "-O3", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"])
            .arg(format!("-I{root}/plugin-abi/include"))
            .arg(format!("{root}/benches/stages/cpp/stages.cpp"))
            .arg("-o")
            .arg(&library)
            .status();
        assert!(built.is_ok_and(|status| status.success()), "the stages in C++ do not build");
        library
    })
}
