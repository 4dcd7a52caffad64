//! The programs and libraries under test.
//!
//! `cargo test` builds the libraries of the packages it tests, but not the `cdylib`s that they load
//! at run time. So the first test of a test program asks Cargo to build the whole workspace in the
//! same profile, which is fast if nothing changed. Cargo holds no lock while tests run.
//! `GXE_TESTS_BUILT=1` skips this.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The folder with `gxe` and the libraries.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = profile_folder();
    if std::env::var_os("GXE_TESTS_BUILT").is_none() {
        build(&folder);
    }
    folder
});

/// The program.
#[must_use]
pub fn gxe() -> PathBuf {
    FOLDER.join("gxe")
}

/// A program of these tests.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    FOLDER.join(name)
}

/// A library of the workspace, by the name of its package.
#[must_use]
pub fn library(package: &str) -> PathBuf {
    FOLDER.join(format!("lib{package}.so"))
}

/// Test programs are in `target/PROFILE/deps`, others in `target/PROFILE`.
fn profile_folder() -> PathBuf {
    let program = std::env::current_exe().expect("a test knows where it is");
    let folder = program.ancestors().find(|above| above.ends_with("deps")).unwrap_or(&program);
    folder.parent().expect("tests run from Cargo's target folder").to_owned()
}

fn build(folder: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => "dev",
        Some(profile) => profile,
    };
    let built = Command::new(cargo)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .args(["build", "--quiet", "--workspace", "--lib", "--bins", "--profile", profile])
        .arg("--target-dir")
        .arg(folder.parent().expect("a profile's folder is in the target folder"))
        .status()
        .expect("Cargo starts");
    assert!(built.success(), "the workspace does not build");
}
