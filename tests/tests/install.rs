//! `make install` is complete, wherever the folder is moved to: graphs run, programs in C and C++ and
//! extensions build against it with CMake, pkg-config and what `gxe new` writes, and all find each
//! other without further settings. `make test-packages` does more, in a clean Debian.

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
    let others = ["MAKEFLAGS", "LD_LIBRARY_PATH", "GXE_EXTENSION_PATH", "GXF_LOG_LEVEL", "GXE_SDK"];
    for variable in others {
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
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (prefix, moved) = (folder.join("installed"), folder.join("moved"));
        // An earlier installation must not help.
        _ = std::fs::remove_dir_all(&prefix);
        _ = std::fs::remove_dir_all(&moved);
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
        // Nothing may depend on the folder it was installed to.
        std::fs::rename(&prefix, &moved).expect("a folder that can be moved");
        moved
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
fn an_installation_has_what_users_need() {
    for file in [
        "share/man/man1/gxe.1",
        "share/man/man1/gxe-check.1",
        "share/bash-completion/completions/gxe",
        "share/zsh/site-functions/_gxe",
        "share/fish/vendor_completions.d/gxe.fish",
        "share/gxe/manifests/ping.yaml",
        "share/gxe/apps/ping/ping.yaml",
        "share/gxe/apps/distributed/ping.yaml",
        "share/gxe/examples/embed.py",
        "share/gxe/rust/plugin-abi/sdk/src/lib.rs",
        "share/gxe/rust/runtime/device/kernels/picture.ptx",
        "include/gxe/gxf/app/application.hpp",
        "include/gxe/gxf/cuda/cuda_stream.hpp",
        "include/gxe/gxf/stm/stm.h",
        "include/gxe/gxe/op_kernel.hpp",
        "include/gxe/gxe/cuda_kernel.hpp",
        "lib/libgxf_stm_runtime.so",
        "lib/libgxf_core.so",
        "share/doc/gxe/LICENSE",
        "include/gxe/gxf/extension.h",
        "lib/libgxf_serialization.so",
    ] {
        assert!(prefix().join(file).is_file(), "{file}");
    }
    // Libraries of tests, and manifests and apps that need them, are for this repository only.
    for file in [
        "lib/libgxf_test.so",
        "lib/libgxf_test_cuda.so",
        "share/gxe/manifests/test.yaml",
        "share/gxe/apps/subgraphs",
    ] {
        assert!(!prefix().join(file).exists(), "{file}");
    }
}

/// An app runs by its name alone, with the manifest that is installed under that name.
#[test]
fn an_installed_manifest_is_found_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = prefix().join("share/gxe/apps/ping/ping.yaml");
    std::fs::copy(&app, folder.path().join("ping.yaml")).expect("the app");
    std::fs::copy(&app, folder.path().join("other.yaml")).expect("the app");
    let gxe = prefix().join("bin/gxe");
    let gxe = gxe.to_str().expect("a path in UTF-8");
    for words in [&["ping.yaml"][..], &["other.yaml", "--manifest", "ping"]] {
        let said = run(folder.path(), gxe, words);
        assert!(said.contains("Message Received"), "{words:?}:\n{said}");
    }
}

#[test]
fn a_new_project_builds_against_an_installation() {
    let folder = tempfile::tempdir().expect("a folder");
    let gxe = prefix().join("bin/gxe");
    let path = std::env::var("PATH").unwrap_or_default();
    let script = format!(
        "set -e
        PATH={bin}:{path}
        gxe new extension in_c --lang c | grep 'next: cd in_c'
        make -C in_c test
        gxe new extension in_rust --lang rust
        make -C in_rust sdk
        cp {lock} in_rust
        (cd in_rust && cargo tree --offline --depth 1)
        mkdir program && cd program && cargo init --quiet --name program .
        cp {lock} . && echo '[workspace]' >> Cargo.toml
        cargo add --quiet --offline gxf-runtime --path $(gxe sdk runtime)
        cargo tree --offline --depth 2",
        bin = gxe.parent().expect("bin").display(),
        lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"),
    );
    let said = run(folder.path(), "sh", &["-c", &script]);
    assert!(said.contains("apps/numbers.yaml: ok"), "{said}");
    let found = format!("({}/share/gxe/rust/plugin-abi/sdk)", prefix().display());
    assert!(said.contains(&found), "{said}");
    // All crates of the runtime are there.
    let found = format!("({}/share/gxe/rust/runtime/engine)", prefix().display());
    assert!(said.contains(&found), "{said}");
}

/// A folder with the library of tests, which is not installed.
fn with_test_library() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let library = build::library("gxf_test");
    std::os::unix::fs::symlink(library, folder.path().join("libgxf_test.so")).expect("a link");
    folder
}

#[test]
fn cmake_builds_programs_and_extensions() {
    if !tools::have("cmake") {
        return;
    }
    let folder = with_test_library();
    let found = format!("-DCMAKE_PREFIX_PATH={}", prefix().display());
    run(folder.path(), "cmake", &["-S", PROJECT, "-B", ".", &found]);
    run(folder.path(), "cmake", &["--build", ".", "--parallel", "2"]);
    let said = run(folder.path(), "ctest", &["--output-on-failure"]);
    assert!(said.contains("100% tests passed, 0 tests failed out of 8"), "{said}");
}

#[test]
#[ignore = "make test-thorough"]
fn pkg_config_builds_programs_and_extensions() {
    if !tools::have("pkg-config") {
        return;
    }
    let folder = with_test_library();
    let libraries = run(folder.path(), "pkg-config", &["--variable=libdir", "gxf"]);
    let script = format!(
        "set -e
        checks={PROJECT}/../../../runtime/core/tests/conformance
        cc -std=gnu11 -I$checks {PROJECT}/lifecycle.c -o lifecycle -lpthread \
            $(pkg-config --cflags --libs gxf) -Wl,-rpath,{libraries}
        ./lifecycle
        cc {PROJECT}/client.c -o client $(pkg-config --cflags --libs gxf-stm) -Wl,-rpath,{libraries}
        ./client
        c++ -std=c++17 -shared -fPIC {PROJECT}/codelets.cpp -o libcodelets.so \
            $(pkg-config --cflags gxf)
        echo 'extensions: [libcodelets.so]' > manifest.yaml
        {prefix}/bin/gxe --strict --app {PROJECT}/codelets.yaml --manifest manifest.yaml",
        libraries = libraries.trim(),
        prefix = prefix().display(),
    );
    run(folder.path(), "sh", &["-c", &script]);
}
