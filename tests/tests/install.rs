//! `make install` is complete: programs in C and C++ and an extension build against it with CMake
//! and with pkg-config, and all find each other without further settings.

use gxe_tests::{Gxe, SCHEDULER, build, tools};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// A user's project.
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/c_api/installed");

/// Runs a program to its end and returns all its output.
#[track_caller]
fn run(folder: &Path, program: &str, words: &[&str]) -> String {
    let mut command = Command::new(program);
    command.current_dir(folder).args(words);
    for variable in ["MAKEFLAGS", "LD_LIBRARY_PATH", "GXE_EXTENSION_PATH", "GXF_LOG_LEVEL"] {
        command.env_remove(variable);
    }
    command.env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"));
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}:\n{said}");
    said
}

/// The folder of this test's installation, created once.
fn prefix() -> &'static Path {
    static PREFIX: LazyLock<PathBuf> = LazyLock::new(|| {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
        // An earlier installation must not help.
        _ = std::fs::remove_dir_all(&prefix);
        let built = build::gxe();
        let built = built.parent().expect("target/PROFILE").display();
        let made = Command::new("make")
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .args(["install-built", &format!("BUILT={built}")])
            .arg(format!("PREFIX={}", prefix.display()))
            .env_remove("MAKEFLAGS")
            .output()
            .expect("make is needed");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        prefix
    });
    &PREFIX
}

#[test]
fn gxe_finds_the_extensions_installed_with_it() {
    let run =
        Gxe::alone().file("manifest.yaml", "extensions: [gxf/sample/libgxf_sample.so]\n").file(
            "app.yaml",
            &format!(
                "components: [{{type: nvidia::gxf::HelloWorld}}, \
             {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}]\n{SCHEDULER}"
            ),
        );
    let gxe = prefix().join("bin/gxe");
    let gxe = gxe.to_str().expect("a path in UTF-8");
    let said = self::run(&run.folder(), gxe, &["--app", "app.yaml", "--manifest", "manifest.yaml"]);
    assert_eq!(said.matches("Hello world").count(), 2, "{said}");
}

#[test]
fn cmake_builds_programs_and_extensions() {
    if !tools::have("cmake") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let found = format!("-DCMAKE_PREFIX_PATH={}", prefix().display());
    run(folder.path(), "cmake", &["-S", PROJECT, "-B", ".", &found]);
    run(folder.path(), "cmake", &["--build", ".", "--parallel", "2"]);
    let said = run(folder.path(), "ctest", &["--output-on-failure"]);
    assert!(said.contains("100% tests passed, 0 tests failed out of 6"), "{said}");
}

#[test]
fn pkg_config_builds_programs_and_extensions() {
    if !tools::have("pkg-config") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = run(folder.path(), "pkg-config", &["--variable=libdir", "gxf"]);
    let script = format!(
        "set -e
        checks={PROJECT}/../../../runtime/core/tests/conformance
        cc -std=gnu11 -I$checks {PROJECT}/lifecycle.c -o lifecycle -lpthread \
            $(pkg-config --cflags --libs gxf) -Wl,-rpath,{libraries}
        ./lifecycle
        c++ -std=c++17 -shared -fPIC {PROJECT}/codelets.cpp -o libcodelets.so \
            $(pkg-config --cflags gxf)
        echo 'extensions: [libcodelets.so]' > manifest.yaml
        {prefix}/bin/gxe --strict --app {PROJECT}/codelets.yaml --manifest manifest.yaml",
        libraries = libraries.trim(),
        prefix = prefix().display(),
    );
    run(folder.path(), "sh", &["-c", &script]);
}
