//! Extensions in C++, compiled from source against the public headers by this machine's compilers.
//!
//! The tutorial's extension is GXF's documentation word for word. `cpp/surface.cpp` derives from
//! every base and has handles to components on both sides of the ABI boundary. `cpp/uses` uses
//! everything in the headers; `cpp/moved` has extensions like those of real projects. Compiled
//! files are kept.
//!
//! - this file: compiling sources, the tutorial and the surface;
//! - `app.rs`: programs that compose graphs; `holoscan.rs`: the same with Holoscan's operators;
//! - `cuda.rs`: streams and memory of CUDA devices;
//! - `moved.rs`: whole extensions, one after the other;
//! - `outside.rs`: clients of other processes, and what types declare;
//! - `exceptions.rs`: what components throw;
//! - `sanitizers.rs`: the surface and one of the whole extensions under sanitizers;
//! - `edges.rs`: before `main` and after it, other compilers' options, real yaml-cpp;
//! - `kernels.rs`: kernels of OneFlow;
//! - `headers.rs`: every header, and uses of everything in it.

mod app;
mod cuda;
mod edges;
mod exceptions;
mod headers;
mod holoscan;
mod kernels;
mod moved;
mod outside;
mod sanitizers;

use gxe_tests::Gxe;
use gxe_tests::book::{Step, matches, steps};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};

/// The folder with the sources.
pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp")
}

/// The public headers.
fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugin-abi/include")
}

/// The C++ compilers of this machine: always g++, and clang++ if it is installed.
fn compilers() -> Vec<&'static str> {
    if packed().is_some() {
        return vec!["g++"];
    }
    let found = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    ["g++", "clang++"].into_iter().filter(found).collect()
}

/// A folder for what is compiled that `make gpu-kit` packs, for a machine without compilers.
fn packed() -> Option<PathBuf> {
    std::env::var_os("GXE_TESTS_COMPILED").map(PathBuf::from)
}

/// Runs a compiler; fails the test with its output.
#[track_caller]
fn compile(compiler: &str, arguments: &[&str]) {
    let output = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Wpedantic", "-I"])
        .arg(headers())
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler} {arguments:?}\n{said}");
}

/// Where compiled files stay: Cargo's target folder, unless another user created it.
static KEPT: LazyLock<PathBuf> = LazyLock::new(|| {
    let own = || Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp");
    let kept = packed().unwrap_or_else(own);
    let is_ours = std::fs::create_dir_all(&kept).and_then(|()| tempfile::tempdir_in(&kept)).is_ok();
    if is_ours { kept } else { tempfile::tempdir().expect("a folder").keep() }
});

/// Compiles a source, which includes no files next to it, unless an earlier result exists: results
/// are kept under a hash of all sources, headers, compilers and arguments.
#[track_caller]
pub(crate) fn compiled(compiler: &str, source: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    ALL_TEXT.hash(&mut hasher);
    std::fs::read(source).expect("a source").hash(&mut hasher);
    (compiler, arguments).hash(&mut hasher);
    let result = KEPT.join(format!("{:016x}-{name}", hasher.finish()));
    // Other tests of this process that need the same wait for the first.
    let own = Arc::clone(COMPILING.lock().expect("no panic").entry(result.clone()).or_default());
    let _compiling = own.lock();
    if !result.exists() {
        // Another process may compile the same; each writes its own file and moves it there in one
        // step.
        let own = tempfile::tempdir_in(&*KEPT).expect("a folder");
        let made = own.path().join(name);
        let mut all = vec!["-o", made.to_str().expect("a path in UTF-8")];
        all.push(source.to_str().expect("a path in UTF-8"));
        all.extend(arguments);
        compile(compiler, &all);
        if arguments.contains(&"-fsyntax-only") {
            std::fs::write(&made, "").expect("a file");
        }
        std::fs::rename(made, &result).expect("the same file system");
    }
    result
}

/// What is being compiled.
static COMPILING: LazyLock<Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>> = LazyLock::new(Mutex::default);

/// Hash of the text of all headers and of what the compilers call themselves.
static ALL_TEXT: LazyLock<u64> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    if packed().is_some() {
        // What is there was made from these sources.
        return 0;
    }
    for name in all_files() {
        std::fs::read(headers().join(&name)).expect("a header").hash(&mut hasher);
        name.hash(&mut hasher);
    }
    for compiler in compilers() {
        Command::new(compiler).arg("--version").output().expect("runs").stdout.hash(&mut hasher);
    }
    hasher.finish()
});

/// A run in preparation, with an extension compiled from one of the sources.
fn with_extension(compiler: &str, source: &str, app: &str, options: &[&str]) -> Gxe {
    let gxe = Gxe::alone().file("app.yaml", app).file(
        "manifest.yaml",
        "extensions:\n- gxf/std/libgxf_std.so\n- libgxf_sample.so\n- libgxf_multimedia.so\n\
         - libgxf_serialization.so\n- libextension.so\n",
    );
    // Compilers see some mistakes only when they optimise.
    let arguments = [&["-fPIC", "-shared", "-O1"], options].concat();
    let library = compiled(compiler, &sources().join(source), "extension.so", &arguments);
    std::fs::copy(library, gxe.folder().join("libextension.so")).expect("a copy");
    gxe.args("--app app.yaml --manifest manifest.yaml")
}

/// The graph of every ping in the tutorial; `rx` is the type of its receiving codelet.
fn ping(rx: &str) -> String {
    format!(
        "name: hello
components:
- {{name: in, type: \"nvidia::gxf::DoubleBufferReceiver\"}}
- {{type: \"sample::test::HelloWorld\", parameters: {{Some Parameter: in}}}}
- {{type: \"sample::test::Test\", parameters: {{Some Parameter: in}}}}
- {{type: \"nvidia::gxf::CountSchedulingTerm\", parameters: {{count: 1}}}}
---
name: tx
components:
- {{name: signal, type: \"nvidia::gxf::DoubleBufferTransmitter\"}}
- {{type: \"sample::test::PingTx\", parameters: {{signal: signal}}}}
- {{type: \"nvidia::gxf::CountSchedulingTerm\", parameters: {{count: 2}}}}
- {{type: \"nvidia::gxf::DownstreamReceptiveSchedulingTerm\", parameters: {{transmitter: signal, min_size: 1}}}}
---
name: rx
components:
- {{name: signal, type: \"nvidia::gxf::DoubleBufferReceiver\"}}
- {{type: \"{rx}\", parameters: {{signal: signal}}}}
- {{type: \"nvidia::gxf::MessageAvailableSchedulingTerm\", parameters: {{receiver: signal, min_size: 1}}}}
---
components:
- {{type: \"nvidia::gxf::Connection\", parameters: {{source: tx/signal, target: rx/signal}}}}
{}",
        gxe_tests::SCHEDULER
    )
}

#[test]
fn the_documentation_s_codelets_run_as_they_are_printed() {
    for compiler in compilers() {
        let app = ping("sample::test::PingRx");
        let ended = with_extension(compiler, "tutorial.cpp", &app, &["-std=c++17"]).run().clean();
        assert_eq!(ended.count("Hello World from GXF"), 1, "{compiler}");
        assert_eq!(ended.count("Message Sent: int_value = 9999"), 2, "{compiler}");
        assert_eq!(ended.count("Message Received: rx_value = 9999"), 2, "{compiler}");
    }
}

/// Every file and command of `docs/cpp-tutorial.md`.
#[test]
fn the_tutorial_can_be_followed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/cpp-tutorial.md")).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    let gxe = gxe_tests::build::gxe();
    let programs = gxe.parent().expect("a folder").display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    for step in steps(&page).unwrap_or_else(|problem| panic!("{problem}")) {
        match step {
            Step::File { name, text } => {
                std::fs::write(folder.path().join(name), text).expect("a file");
            }
            Step::Command { line, expected } => {
                let mut command = Command::new("bash");
                command.args(["--norc", "-c", &format!("exec 2>&1; {line}")]);
                command.current_dir(folder.path()).env("PATH", &path).env("GXE_SOURCE", &root);
                let output = command.env_remove("GXF_LOG_LEVEL").output().expect("bash");
                let said = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success() && matches(&expected, &said), "$ {line}\n{said}");
            }
        }
    }
}

#[test]
#[ignore = "make test-thorough"]
fn a_codelet_in_cpp_sends_to_one_in_rust() {
    let app = ping("nvidia::gxf::PingRx");
    let ended = with_extension("g++", "tutorial.cpp", &app, &["-std=c++20", "-O2"]).run().clean();
    assert_eq!(ended.count("9999"), 4, "{}", ended.stdout);
}

#[test]
fn a_codelet_that_fails_to_start_is_named() {
    let app = format!(
        "name: reader
components:
- {{name: in, type: \"nvidia::gxf::DoubleBufferReceiver\"}}
- {{name: file, type: \"sample::test::File\", parameters: {{Some Parameter: in}}}}
- {{type: \"nvidia::gxf::CountSchedulingTerm\", parameters: {{count: 1}}}}
{}",
        gxe_tests::SCHEDULER
    );
    let ended = with_extension("g++", "tutorial.cpp", &app, &["-std=c++17"]).run();
    assert_ne!(ended.status, Some(0));
    ended.complains("sample::test::File");
    ended.complains("reader");
}

/// What `surface.yaml` must log.
const SURFACE: &[&str] = &[
    "text=a b small=200 number=1.5 list=2 nested=12/3/ array=456 fixed=3 word=abcde",
    "receivers=1 color=green table=2 absent=not there path=/dev/null flags=2",
    "array[1]=5 default=1.5 texts=2",
    "sequence=3 last=5 video=4x2/RGB/256 payloads=6 first=tensor stamped=yes",
    "serialized 12 bytes, read back `tick`",
    "metric=3 components=9 entity=sink peer=nvidia::gxf::surface::CountingAllocator \
     type=nvidia::gxf::surface::Sink",
    "switcher tick 1, first 1, event 0 to 3",
    "switcher tick 3, first 0, event 3 to 3",
    "counting receiver took 3 messages",
    "counting allocator has 0 blocks out",
    "monitor saw executions: yes",
];

/// `surface.yaml`, which runs under the extension's own scheduler.
fn surface_app() -> String {
    std::fs::read_to_string(sources().join("surface.yaml")).expect("the app")
}

#[track_caller]
fn run_surface_app(compiler: &str, app: &str, options: &[&str], environment: &[(&str, &str)]) {
    let mut gxe = with_extension(compiler, "surface.cpp", app, options);
    for (name, value) in environment {
        gxe = gxe.env(name, value);
    }
    let ended = gxe.run().clean();
    for text in SURFACE {
        assert!(ended.count(text) > 0, "{compiler}: `{text}` is not in\n{}", ended.stdout);
    }
}

#[test]
fn every_base_can_be_derived_from() {
    for compiler in compilers() {
        run_surface_app(compiler, &surface_app(), &["-std=c++17", "-Werror"], &[]);
    }
}

#[test]
fn the_host_s_schedulers_run_it_too() {
    for app in &sanitizers::surface_apps()[1..] {
        run_surface_app("g++", app, &["-std=c++17", "-Werror"], &[]);
    }
}

/// `sizes.cpp` logs what is not as it expects.
#[test]
fn no_size_overflows_and_what_refuses_leaves_no_false_description() {
    let app = format!(
        "name: sizes
components:
- {{name: pool, type: \"nvidia::gxf::UnboundedAllocator\"}}
- name: block
  type: \"nvidia::gxf::BlockMemoryPool\"
  parameters: {{storage_type: 2, block_size: 64, num_blocks: 2}}
- {{name: codelet, type: \"sizes::Sizes\", parameters: {{pool: pool, block: block}}}}
- {{type: \"nvidia::gxf::CountSchedulingTerm\", parameters: {{count: 1}}}}
{}",
        gxe_tests::SCHEDULER
    );
    let ended = with_extension("g++", "sizes.cpp", &app, &["-std=c++17", "-Werror"]).run();
    assert_eq!(ended.count("all checked"), 1, "{}", ended.stdout);
    assert!(!ended.stderr.contains("is false"), "{}", ended.stderr);
    ended.complains(
        "a tensor of shape [65536, 65536, 65536, 65536] with elements of 4 bytes is larger than any \
         memory",
    );
}

#[test]
fn an_exception_becomes_an_error_that_names_codelet_and_stage() {
    for stage in ["initialize", "start", "tick"] {
        let app = format!(
            "name: kitchen
components:
- {{name: cook, type: \"nvidia::gxf::surface::Thrower\", parameters: {{stage: {stage}}}}}
- {{type: \"nvidia::gxf::CountSchedulingTerm\", parameters: {{count: 1}}}}
{}",
            gxe_tests::SCHEDULER
        );
        let ended = with_extension("g++", "surface.cpp", &app, &["-std=c++17", "-Werror"]).run();
        assert_ne!(ended.status, Some(0), "{stage}");
        ended.complains("out of cheese");
        ended.complains("cook");
        ended.complains(stage);
    }
}

#[test]
#[ignore = "make test-thorough"]
fn codelets_hold_components_of_the_host() {
    let app = std::fs::read_to_string(sources().join("handles.yaml")).expect("the app");
    for name in ["Greedy", "MultiThread", "EventBased"] {
        let app = app.replace("SCHEDULER", &format!("nvidia::gxf::{name}Scheduler"));
        let ended = with_extension("g++", "handles.cpp", &app, &["-std=c++17"]).run().clean();
        for text in [
            "camera stopped, crops=2 top=7",
            "combiner has 2 terms, says Ready",
            "recorded 3 messages, last=35, file complete, read all, end 1",
        ] {
            assert_eq!(ended.count(text), 1, "{name}: `{text}`\n{}", ended.stdout);
        }
    }
}

/// All files below the headers' folder, by the name they are included under.
fn all_files() -> Vec<String> {
    let root = headers();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the headers") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).expect("below the root");
                found.push(name.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found.sort();
    found
}
