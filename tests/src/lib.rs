//! How end-to-end tests run the real `gxe` with the real extension libraries.
//!
//! A map:
//!
//! - this file: [`Gxe`], one run in a folder of its own; [`Ended`], what it printed;
//! - [`build`]: builds the binary and the libraries, once per test program, because `cargo test`
//!   does not build libraries of other packages;
//! - [`certificates`]: an authority, and folders with what it certifies;
//! - [`cuda`]: runs with a driver that needs no GPU;
//! - [`differential`]: random graphs, run by the engine in this process and by a model of it;
//! - [`browser`]: a headless browser, for the page of `gxe graph`;
//! - [`evil`]: libraries that do what they must not;
//! - [`flow`]: apps of stock components;
//! - [`graphs`]: documents of apps that many tests are made of; [`links`]: the same for links between
//!   processes;
//! - [`recording`]: writes recordings from the description of their format alone;
//!   [`recording_storm`]: kills recorders and damages recordings;
//! - [`storm`]: what can happen to a process, round after round;
//! - [`tools`]: programs that tests need;
//! - [`trace`]: a trace for tests; `src/perfetto.rs`: queries Perfetto itself;
//! - `tests/*.rs`: the tests, one file per subject; `errors/`, `seeds/`: their YAML.
//!
//! Tests never measure time, and a slow machine only makes them take longer: [`eventually`] waits
//! for a condition, and [`PATIENCE`] only keeps a hanging program from blocking the tests.

pub mod book;
pub mod browser;
pub mod build;
pub mod cases;
pub mod certificates;
pub mod cuda;
pub mod differential;
pub mod evil;
pub mod flow;
pub mod graphs;
pub mod links;
mod log;
pub mod perfetto;
pub mod random;
pub mod recording;
pub mod recording_storm;
pub mod round_robin;
pub mod storm;
pub mod tools;
pub mod trace;

pub use log::{Line, lines_of};

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// After this time a program is killed, and its test fails.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Whether `make test-thorough` asks for all of what tests otherwise take samples of.
#[must_use]
pub fn is_thorough() -> bool {
    std::env::var_os("GXE_THOROUGH").is_some()
}

/// Waits until a condition holds.
///
/// # Panics
/// If it does not hold within [`PATIENCE`].
#[track_caller]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it did not come true that {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The manifest with all extensions of the workspace that tests use.
pub const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_test.so
- libgxf_lifecycle_probe.so
";

/// A manifest with every extension in the repository's manifests, and those of the tests, but
/// without extensions that have a Makefile, which may not be built.
///
/// # Panics
/// If the manifests cannot be read.
/// When the manifests cannot be read.
#[must_use]
pub fn manifest_of_all() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests");
    let mut entries: Vec<String> = MANIFEST.lines().skip(1).map(str::to_owned).collect();
    entries.push("- libgxf_actor.so".to_owned());
    for file in std::fs::read_dir(folder).expect("the manifests") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("readable");
        let own = text.lines().filter(|line| line.starts_with("- ") && !line.contains("c_counter"));
        entries.extend(own.map(str::to_owned));
    }
    entries.sort();
    entries.dedup();
    format!("extensions:\n{}\n", entries.join("\n"))
}

/// App documents with a greedy scheduler on a manual clock, so that a run is repeatable and takes
/// no time. Append them to others.
pub const SCHEDULER: &str = "\
---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::ManualClock
- name: greedy
  type: nvidia::gxf::GreedyScheduler
  parameters:
    clock: clock
";

/// A run of `gxe` in preparation.
pub struct Gxe {
    command: Command,
    folder: Option<tempfile::TempDir>,
    patience: Duration,
}

impl Gxe {
    /// `gxe` without arguments in a given folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        let mut command = Command::new(build::gxe());
        command.current_dir(folder).env("TZ", "UTC");
        // Results are the same on a machine with a device.
        command.env("CUDA_VISIBLE_DEVICES", "");
        for variable in ["COLUMNS", "NO_COLOR", "GXF_LOG_LEVEL", "GXE_EXTENSION_PATH"] {
            command.env_remove(variable);
        }
        Self { command, folder: None, patience: PATIENCE }
    }

    /// `gxe` without arguments in a new folder; [`Self::file`] adds files.
    #[must_use]
    pub fn alone() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder: Some(folder), ..Self::in_folder(Path::new(".")) }.at_home()
    }

    /// `gxe` with an app of this text and the manifest of all extensions.
    #[must_use]
    pub fn app(text: &str) -> Self {
        Self::alone()
            .file("app.yaml", text)
            .file("manifest.yaml", MANIFEST)
            .args("--app app.yaml --manifest manifest.yaml")
    }

    /// Like [`Self::app`], with [`SCHEDULER`] appended.
    #[must_use]
    pub fn scheduled(text: &str) -> Self {
        Self::app(&format!("{text}{SCHEDULER}"))
    }

    fn at_home(mut self) -> Self {
        let folder = self.folder.as_ref().map(|folder| folder.path().to_owned());
        self.command.current_dir(folder.expect("a folder of its own"));
        self
    }

    /// The folder the program runs in.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.command.get_current_dir().expect("every run has a folder").to_owned()
    }

    /// Writes a file into the folder.
    #[must_use]
    pub fn file(self, name: &str, text: &str) -> Self {
        let path = self.folder().join(name);
        std::fs::create_dir_all(path.parent().expect("the path of a file")).expect("a folder");
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Adds arguments, separated by white space.
    #[must_use]
    pub fn args(mut self, line: &str) -> Self {
        self.command.args(line.split_whitespace());
        self
    }

    /// Adds one argument as it is.
    #[must_use]
    pub fn arg(mut self, argument: &str) -> Self {
        self.command.arg(argument);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Has another program start it: `ip netns exec NAME`, for example, which becomes `gxe`.
    #[must_use]
    pub fn started_by(mut self, line: &str) -> Self {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words).arg(self.command.get_program()).args(self.command.get_args());
        command.current_dir(self.folder());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.command = command;
        self
    }

    /// Runs to the end.
    #[must_use]
    pub fn run(self) -> Ended {
        self.spawn().end()
    }

    /// Lets the program run for longer than [`PATIENCE`].
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Starts the program.
    #[must_use]
    pub fn spawn(mut self) -> Running {
        let command =
            self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("gxe starts");
        let mut from = child.stderr.take().expect("piped");
        let errors = Arc::new(Mutex::new(Vec::new()));
        let heard = errors.clone();
        let reader = std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(length @ 1..) = from.read(&mut piece) {
                heard.lock().expect("no reader panics").extend_from_slice(&piece[..length]);
            }
        });
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let deadline = Instant::now() + self.patience;
        let stdout = String::new();
        let child = Leashed(child);
        Running { child, lines, stdout, errors, reader, deadline, _folder: self.folder }
    }
}

/// A run in progress.
pub struct Running {
    child: Leashed,
    lines: Receiver<String>,
    stdout: String,
    /// Standard error so far.
    errors: Arc<Mutex<Vec<u8>>>,
    reader: std::thread::JoinHandle<()>,
    deadline: Instant,
    _folder: Option<tempfile::TempDir>,
}

/// A program that does not outlive its test.
struct Leashed(Child);

impl Drop for Leashed {
    fn drop(&mut self) {
        // Fails if it has ended, as most have.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

impl Running {
    /// The next line of standard output, `None` at its end.
    fn next_line(&mut self) -> Option<String> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => {
                self.stdout.push_str(&line);
                self.stdout.push('\n');
                Some(line)
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                self.child.0.kill().expect("gxe can be killed");
                panic!("gxe does not come to an end; it said:\n{}", self.stdout);
            }
        }
    }

    /// Waits until a line of standard output contains a text.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        while let Some(line) = self.next_line() {
            if line.contains(text) {
                return;
            }
        }
        panic!("gxe ended without saying `{text}`:\n{}", self.stdout);
    }

    /// Waits for a line of standard output that contains a text, and returns it.
    #[track_caller]
    pub fn line_with(&mut self, text: &str) -> String {
        self.wait_for(text);
        self.stdout.lines().last().unwrap_or_default().to_owned()
    }

    /// Waits until standard error contains a text.
    ///
    /// # Panics
    /// If the program ends before, or takes too long.
    #[track_caller]
    pub fn wait_for_error(&mut self, text: &str) {
        loop {
            // The program may end before all its output was read.
            let is_over = self.reader.is_finished();
            let said = self.errors.lock().expect("the reader does not panic").clone();
            let said = String::from_utf8_lossy(&said);
            if said.contains(text) {
                return;
            }
            if is_over || Instant::now() > self.deadline {
                // Fails if it has already ended, which is fine.
                _ = self.child.0.kill();
                panic!("gxe did not say `{text}` but:\n{said}\n{}", self.stdout);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Standard error so far.
    ///
    /// # Panics
    /// Its reader has panicked.
    #[must_use]
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.errors.lock().expect("the reader does not panic"))
            .into_owned()
    }

    /// The number of the process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Sends a signal, such as `INT`.
    ///
    /// # Panics
    /// If the program has already ended by itself.
    #[track_caller]
    pub fn signal(&mut self, name: &str) {
        if let Some(status) = self.child.0.try_wait().expect("gxe can be asked") {
            panic!("gxe ended before {name} was sent: {status}\n{}", self.stdout);
        }
        let pid = self.child.0.id();
        let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {pid}")).status();
        assert!(sent.expect("a shell").success(), "the signal {name} reaches gxe");
    }

    /// Waits for the end.
    #[must_use]
    pub fn end(self) -> Ended {
        self.end_with(|| ()).0
    }

    /// Waits for the end, then inspects the program's folder before it is removed.
    #[must_use]
    pub fn end_with<T>(mut self, look: impl FnOnce() -> T) -> (Ended, T) {
        while self.next_line().is_some() {}
        let status = self.child.0.wait().expect("gxe ends");
        self.reader.join().expect("the reader does not panic");
        let stderr = std::mem::take(&mut *self.errors.lock().expect("the reader is done"));
        let ended = Ended {
            status: status.code(),
            signal: status.signal(),
            stdout: self.stdout,
            stderr: String::from_utf8(stderr).expect("standard error is UTF-8"),
        };
        (ended, look())
    }
}

/// How a run ended and what it printed.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Standard output: the log.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ended {
    /// Fails the test unless the run ended with this status.
    #[track_caller]
    #[must_use]
    pub fn with_status(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "\n{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails the test unless the run succeeded without warnings or errors.
    #[track_caller]
    #[must_use]
    pub fn clean(self) -> Self {
        let ended = self.with_status(0);
        assert_eq!(ended.stderr, "", "{}", ended.stdout);
        ended
    }

    /// The texts of the log, without time and location.
    #[must_use]
    pub fn log(&self) -> Vec<&str> {
        lines_of(&self.stdout).filter_map(Line::text).collect()
    }

    /// What the probes logged, without the word `probe`.
    #[must_use]
    pub fn probes(&self) -> Vec<&str> {
        self.log().iter().filter_map(|text| text.strip_prefix("probe ")).collect()
    }

    /// What one probe logged, without its name.
    #[must_use]
    pub fn probe(&self, name: &str) -> Vec<&str> {
        let probes = self.probes().into_iter();
        probes.filter_map(|text| text.strip_prefix(name)?.strip_prefix(' ')).collect()
    }

    /// Standard error without the notes of a `gxe` that takes longer than a second to stop, as it
    /// may on a busy machine.
    #[must_use]
    pub fn notes(&self) -> Vec<&str> {
        let lines = self.stderr.lines();
        let is_report = |line: &&str| {
            line.starts_with("gxe: still not stopped after ") || line.starts_with("  ")
        };
        lines.filter(|line| !is_report(line)).collect()
    }

    /// What one probe logged of each tick: the numbers it took, and the time if requested.
    #[must_use]
    pub fn ticks(&self, name: &str) -> Vec<String> {
        let calls = self.probe(name).into_iter();
        let ticks = calls.filter_map(|call| call.strip_prefix("tick"));
        ticks.map(|rest| rest.trim().to_owned()).collect()
    }

    /// Number of times that the log contains a text.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        self.log().iter().filter(|line| line.contains(text)).count()
    }

    /// Fails the test unless standard error contains a text.
    #[track_caller]
    pub fn complains(&self, text: &str) {
        assert!(self.stderr.contains(text), "`{text}` is not in\n{}", self.stderr);
    }
}
