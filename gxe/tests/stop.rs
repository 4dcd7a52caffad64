//! Stopping the real binary with signals, before and while the graph runs.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; a test that takes this long has failed.
const LIMIT: Duration = Duration::from_secs(20);

/// A running `gxe`, ended with the test.
struct Gxe {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

impl Gxe {
    fn start(folder: &Path, words: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gxe"));
        command.args(words).current_dir(folder).env_remove("GXF_LOG_LEVEL").stdin(Stdio::null());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gxe starts");
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stdout, stderr }
    }

    /// Reads the log up to a line with this text.
    fn wait_for(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            let length = self.stdout.read_line(&mut line).unwrap();
            assert_ne!(length, 0, "the log ended before '{text}'");
        }
    }

    fn signal(&self, name: &str) {
        let command = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    }

    fn next_error(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    /// Exit status and what was still written to standard output and standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        let begin = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status.code(),
                None => assert!(begin.elapsed() < LIMIT, "gxe hangs"),
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).unwrap();
        self.stderr.read_to_string(&mut stderr).unwrap();
        (status, stdout, stderr)
    }
}

impl Drop for Gxe {
    fn drop(&mut self) {
        // Fails when it has ended, which is what is wanted.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// `gxe` in the middle of its load: it reads an app from a pipe that nobody has written to.
fn loading(folder: &Path) -> Gxe {
    let pipe = folder.join("app.yaml");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let mut gxe = Gxe::start(folder, &["--app", "app.yaml"]);
    gxe.wait_for("Loading app: 'app.yaml'");
    gxe
}

#[test]
fn a_signal_before_the_run_is_noticed_after_the_stage() {
    for (signal, status, again) in [("INT", 130, "press Ctrl-C again"), ("TERM", 143, "repeat it")]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut gxe = loading(folder.path());
        gxe.signal(signal);
        assert_eq!(
            gxe.next_error(),
            format!("gxe: SIG{signal}: ending after the current stage; {again} to end at once\n")
        );
        std::fs::write(folder.path().join("app.yaml"), "").unwrap();
        let (ended, stdout, stderr) = gxe.end();
        assert_eq!(ended, Some(status));
        assert_eq!(stderr, format!("gxe: stopped by SIG{signal} before the graph ran\n"));
        assert!(!stdout.contains("Running..."), "{stdout}");
        assert!(stdout.ends_with(": Context destroyed.\n"), "{stdout}");
    }
}

#[test]
fn the_second_signal_ends_the_process_at_once() {
    for (second, status) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let mut gxe = loading(folder.path());
        gxe.signal("INT");
        gxe.next_error();
        gxe.signal(second);
        assert_eq!(gxe.end(), (Some(status), String::new(), String::new()));
    }
}

#[test]
fn a_signal_stops_the_running_graph_and_what_ran_is_told() {
    let library = Path::new(env!("CARGO_BIN_EXE_gxe")).with_file_name("libgxf_sample.so");
    assert!(library.exists(), "`make test` builds {} first", library.display());
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let manifest = format!("extensions: [{}]", library.display());
        std::fs::write(folder.path().join("manifest.yaml"), manifest).unwrap();
        std::fs::write(folder.path().join("app.yaml"), ENDLESS).unwrap();
        let words = ["--app", "app.yaml", "--manifest", "manifest.yaml"];
        let mut gxe = Gxe::start(folder.path(), &words);
        gxe.wait_for(": Hello world");
        gxe.signal(signal);
        let note = gxe.next_error();
        assert!(note.starts_with(&format!("gxe: SIG{signal}: stopping the graph; ")), "{note}");
        let (ended, stdout, stderr) = gxe.end();
        assert_eq!(ended, Some(status), "{stderr}");
        assert!(stderr.starts_with(&format!("gxe: stopped by SIG{signal}: ")), "{stderr}");
        assert!(stderr.contains(" in 1 entity, "), "{stderr}");
        assert!(stdout.contains(": What ran:\n  entity  "), "{stdout}");
        assert!(stdout.contains("\n  hello "), "{stdout}");
        assert!(stdout.ends_with(": Context destroyed.\n"), "{stdout}");
    }
}

/// Says hello until it is stopped.
const ENDLESS: &str = "
name: hello
components:
- type: nvidia::gxf::HelloWorld
- type: nvidia::gxf::PeriodicSchedulingTerm
  parameters:
    recess_period: 5ms
---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
- type: nvidia::gxf::GreedyScheduler
  parameters:
    clock: clock
";
