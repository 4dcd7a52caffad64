//! A folder to compile extensions in and to run the real `gxe` in.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The header extensions are compiled against today.
pub const CURRENT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../plugin-abi/include/gxf/plugin_abi.h");
/// The header of ABI 1.0.
pub const FROZEN_1_0: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/abi/plugin_abi_1_0.h");

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/abi/extension.c");
const APP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/abi/app.yaml");

/// A folder of its own for a test.
pub struct Lab {
    _folder: tempfile::TempDir,
    /// Its path, without links.
    pub path: PathBuf,
}

/// How a run of `gxe` ended, with `DIR` for the lab's folder and `EXE` for the program's.
pub struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Lab {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = std::fs::canonicalize(folder.path()).expect("its path");
        Self { _folder: folder, path }
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path.join(name), content).expect("a file can be written");
    }

    /// Runs a compiler in the folder.
    #[track_caller]
    pub fn compile(&self, variable: &str, default: &str, arguments: &[&str]) {
        let compiler = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
        let output = Command::new(&compiler)
            .args(arguments)
            .current_dir(&self.path)
            .output()
            .unwrap_or_else(|error| {
                panic!(
                    "these tests compile small extensions and need the compiler `{compiler}` \
                     (install it, or name another one in ${variable}): {error}"
                )
            });
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler} {}\n{said}", arguments.join(" "));
    }

    /// Compiles self-contained C code to a library.
    #[track_caller]
    pub fn library(&self, name: &str, code: &str, arguments: &[&str]) {
        self.write("code.c", code);
        let all = [&["-shared", "-fPIC", "code.c", "-o", name], arguments].concat();
        self.compile("CC", "cc", &all);
    }

    /// Compiles the extension of `extension.c`, with other texts in some places.
    #[track_caller]
    pub fn extension(&self, name: &str, places: &[(&str, &str)]) -> &Self {
        self.extension_for(CURRENT, name, places)
    }

    /// As [`Lab::extension`], against a certain header.
    #[track_caller]
    pub fn extension_for(&self, header: &str, name: &str, places: &[(&str, &str)]) -> &Self {
        let mut arguments: Vec<String> =
            places.iter().map(|(place, text)| format!("-D{place}={text}")).collect();
        arguments.push(format!("-DABI_HEADER=\"{header}\""));
        let fixed = ["-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", SOURCE, "-o", name];
        let all: Vec<&str> =
            fixed.into_iter().chain(arguments.iter().map(String::as_str)).collect();
        self.compile("CC", "cc", &all);
        self
    }

    /// Runs the app with a manifest that lists these libraries.
    pub fn run(&self, libraries: &[&str]) -> Ended {
        let list: String = libraries.iter().map(|library| format!("- {library}\n")).collect();
        self.write("manifest.yaml", format!("extensions:\n{list}"));
        self.gxe(&["--app", "app.yaml", "--manifest", "manifest.yaml"])
    }

    /// Runs `gxe` with these arguments in the folder, which has the app of these tests.
    pub fn gxe(&self, arguments: &[&str]) -> Ended {
        self.write("app.yaml", std::fs::read(APP).expect("the app of these tests"));
        let program = Path::new(env!("CARGO_BIN_EXE_gxe"));
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.path);
        for variable in ["GXF_LOG_LEVEL", "GXE_EXTENSION_PATH", "LD_LIBRARY_PATH", "COLUMNS"] {
            command.env_remove(variable);
        }
        // The system's texts are part of the messages.
        let output = command.env("LC_ALL", "C").stdin(Stdio::null()).output().expect("gxe starts");
        let text = |bytes| {
            let text = String::from_utf8(bytes).expect("gxe writes UTF-8");
            let text = text.replace(self.path.to_str().expect("a path in UTF-8"), "DIR");
            let folder = program.parent().and_then(Path::to_str).expect("a path in UTF-8");
            text.replace(folder, "EXE")
        };
        Ended {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ended {
    /// The run succeeded and said nothing but log lines. Those of a source file, without time.
    #[track_caller]
    pub fn succeeded(&self, file: &str) -> Vec<&str> {
        assert_eq!((self.status, &*self.stderr), (Some(0), ""), "{}", self.stdout);
        let lines = self.stdout.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(place, _)| place.contains(file)).map(|(_, text)| text).collect()
    }

    /// The run succeeded and printed a text.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        assert_eq!((self.status, &*self.stderr), (Some(0), ""), "{}", self.stdout);
        assert!(self.stdout.contains(text), "{}", self.stdout);
    }

    /// The run ended with this status and said exactly this.
    #[track_caller]
    pub fn failed(&self, status: i32, stderr: &str) {
        assert_eq!(self.stderr, stderr, "standard output was:\n{}", self.stdout);
        assert_eq!(self.status, Some(status), "standard output was:\n{}", self.stdout);
    }
}
