//! Compiles programs and runs them against the built library, each in its own folder.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the project.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A folder for one test.
pub struct Lab {
    folder: tempfile::TempDir,
}

/// A built program.
pub struct Program<'a> {
    path: PathBuf,
    lab: &'a Lab,
}

/// The folder of this test run's `libgxf_core.so`.
pub fn library_folder() -> PathBuf {
    let program = std::env::current_exe().expect("a test knows where it is");
    program.parent().expect("test programs stand in a folder").to_owned()
}

/// The folder of the headers.
pub fn include() -> PathBuf {
    Path::new(ROOT).join("plugin-abi/include")
}

impl Lab {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("a file of a test can be written");
        path
    }

    /// Runs a compiler in the folder. The environment `variable` overrides it, with options, as in
    /// make.
    #[track_caller]
    pub fn compile(&self, variable: &str, compiler: &str, arguments: &[&str]) {
        let compiler = std::env::var(variable).unwrap_or_else(|_| compiler.to_owned());
        let mut words = compiler.split_whitespace();
        let output = Command::new(words.next().unwrap_or_default())
            .args(words)
            .args(arguments)
            .current_dir(self.path())
            .output();
        let output = output.unwrap_or_else(|error| panic!("`{compiler}` is needed: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Builds a C program and links it with the library.
    #[track_caller]
    pub fn program(&self, source: &Path) -> Program<'_> {
        self.linked("CC", "cc", "-std=gnu11", source)
    }

    /// Builds a C++ program and links it with the library.
    #[track_caller]
    pub fn cpp_program(&self, source: &Path) -> Program<'_> {
        self.linked("CXX", "c++", "-std=c++17", source)
    }

    #[track_caller]
    fn linked(&self, variable: &str, compiler: &str, standard: &str, source: &Path) -> Program<'_> {
        let libraries = library_folder();
        let libraries = libraries.to_str().expect("a path in UTF-8");
        self.compile(
            variable,
            compiler,
            &[
                standard,
                "-g",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-I",
                include().to_str().expect("a path in UTF-8"),
                source.to_str().expect("a path in UTF-8"),
                "-o",
                "program",
                "-L",
                libraries,
                "-lgxf_core",
                "-lm",
                "-lpthread",
                &format!("-Wl,-rpath,{libraries}"),
            ],
        );
        Program { path: self.path().join("program"), lab: self }
    }

    /// Builds a file of the conformance suite.
    #[track_caller]
    pub fn conformance(&self, name: &str) -> Program<'_> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
        self.program(&folder.join(name).with_extension("c"))
    }

    /// Arguments for a program of the suite.
    pub fn arguments(&self, name: &str) -> Vec<String> {
        if name != "extensions" {
            return Vec::new();
        }
        let library = self.path().join("libgxf_c_counter.so");
        let text = library.to_str().expect("a path in UTF-8").to_owned();
        self.counter(&text);
        // A library that is no extension.
        self.write("nothing.c", "int nothing;\n");
        self.compile("CC", "cc", &["-shared", "-fPIC", "nothing.c", "-o", "libc.so.6.copy"]);
        vec![text, "c_counter::CounterSource".to_owned()]
    }

    /// Builds the example extension in C.
    #[track_caller]
    pub fn counter(&self, library: &str) {
        let source = format!("{ROOT}/extensions/c_counter/counter.c");
        let include = include();
        let include = include.to_str().expect("a path in UTF-8");
        let arguments = ["-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-I", include];
        self.compile("CC", "cc", &[&arguments[..], &[&source, "-o", library]].concat());
    }
}

impl Program<'_> {
    /// Runs the program and expects success.
    #[track_caller]
    pub fn succeeds(&self, arguments: &[String]) -> String {
        ended_well(&self.output(arguments))
    }

    /// Runs the program and expects a failure. Returns all its output.
    #[track_caller]
    pub fn fails(&self, arguments: &[String]) -> String {
        let Output { status, stdout, stderr } = self.output(arguments);
        let said = String::from_utf8_lossy(&[stderr, stdout].concat()).into_owned();
        assert!(status.code().is_some_and(|code| code != 0), "{status}\n{said}");
        said
    }

    #[track_caller]
    fn output(&self, arguments: &[String]) -> Output {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(self.lab.path()).env_remove("GXF_LOG_LEVEL");
        // Cargo's path may contain folders with an older library.
        command.env_remove("LD_LIBRARY_PATH");
        command.output().expect("a program that was just built starts")
    }
}

/// The standard output of a successful program.
#[track_caller]
pub fn ended_well(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{stderr}\n{stdout}", output.status);
    stdout
}
