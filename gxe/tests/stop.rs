//! Stopping the real binary with signals before the graph runs; `tests/tests/run.rs` stops it while
//! it runs, which takes an extension.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; a test that takes this long has failed.
const LIMIT: Duration = Duration::from_secs(120);

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

    /// Exit status and what was still written to standard output and standard error, there without
    /// what is said when the end takes longer than a second, as it may on a machine that is busy.
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
        let is_report = |line: &str| {
            line.starts_with("gxe: still not stopped after ") || line.starts_with("  ")
        };
        let stderr = stderr.split_inclusive('\n').filter(|line| !is_report(line)).collect();
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

/// `gxe` while it loads: it reads an app from an empty pipe.
fn loading(folder: &Path) -> Gxe {
    let pipe = folder.join("app.yaml");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let mut gxe = Gxe::start(folder, &["--app", "app.yaml"]);
    gxe.wait_for("Loading app: 'app.yaml'");
    gxe
}

#[test]
fn a_signal_ends_a_load_that_waits() {
    for (signal, status, again) in [("INT", 130, "press Ctrl-C again"), ("TERM", 143, "repeat it")]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut gxe = loading(folder.path());
        gxe.signal(signal);
        assert_eq!(
            gxe.next_error(),
            format!("gxe: SIG{signal}: ending after the current stage; {again} to end at once\n")
        );
        let (ended, stdout, stderr) = gxe.end();
        assert_eq!(ended, Some(status));
        assert_eq!(stderr, format!("gxe: stopped by SIG{signal} before the graph ran\n"));
        assert!(!stdout.contains("Running..."), "{stdout}");
        assert!(stdout.ends_with(": Context destroyed.\n"), "{stdout}");
    }
}
