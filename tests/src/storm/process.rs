//! A `gxe` that something is done to.

use crate::{MANIFEST, PATIENCE, build};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run in a folder with an app that never ends by itself, unless `ticks` says when.
pub struct Process {
    folder: tempfile::TempDir,
    command: Command,
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit status.
    pub status: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// What it wrote to standard output, if that was a file.
    pub stdout: String,
    /// The same for standard error.
    pub stderr: String,
}

impl Process {
    /// A run under a scheduler. `limits` are commands of a shell that come before it.
    pub fn new(scheduler: &str, ticks: Option<u32>, limits: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(text)?;
        let count = ticks.map_or_else(String::new, |ticks| {
            format!(
                "- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}\n"
            )
        });
        let app = format!(
            "name: tx
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::PingTx, parameters: {{signal: out, clock: clock/clock}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 1ms}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out, min_size: 1}}}}
{count}---
name: rx
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::PingRx, parameters: {{signal: in}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in, min_size: 1}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/out, target: rx/in}}}}
---
name: clock
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: 'nvidia::gxf::{scheduler}', parameters: {{clock: clock}}}}
"
        );
        write(folder.path(), "app.yaml", &app)?;
        write(folder.path(), "manifest.yaml", MANIFEST)?;
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limits} exec \"$0\" \"$@\"")]).arg(build::gxe());
        command.args(["--app", "app.yaml", "--manifest", "manifest.yaml"]);
        command.current_dir(folder.path()).env("TZ", "UTC").stdin(Stdio::null());
        command.env_remove("GXF_LOG_LEVEL").env_remove("GXE_EXTENSION_PATH");
        Ok(Self { folder, command })
    }

    /// Adds arguments, separated by blanks.
    pub fn args(&mut self, line: &str) {
        self.command.args(line.split_whitespace());
    }

    /// Starts it; streams that are not given are files.
    pub fn start(
        mut self,
        stdout: Option<Stdio>,
        stderr: Option<Stdio>,
    ) -> Result<Running, String> {
        let file = |name: &str| std::fs::File::create(self.folder.path().join(name)).map_err(text);
        let stdout = stdout.map_or_else(|| file("stdout").map(Stdio::from), Ok)?;
        let stderr = stderr.map_or_else(|| file("stderr").map(Stdio::from), Ok)?;
        let child = self.command.stdout(stdout).stderr(stderr).spawn().map_err(text)?;
        Ok(Running { folder: self.folder, child, deadline: Instant::now() + PATIENCE })
    }
}

/// One that was started; killed when it is dropped.
pub struct Running {
    folder: tempfile::TempDir,
    child: Child,
    deadline: Instant,
}

impl Running {
    /// Waits until standard output, a file, has a text.
    pub fn wait_for(&mut self, wanted: &str) -> Result<(), String> {
        while !self.read("stdout").contains(wanted) {
            self.is_in_time(wanted)?;
        }
        Ok(())
    }

    /// Waits for some time, or until the end, and says whether that has come.
    pub fn wait(&mut self, time: Duration) -> Result<bool, String> {
        let until = Instant::now() + time;
        loop {
            let is_over = self.child.try_wait().map_err(text)?.is_some();
            let left = until.saturating_duration_since(Instant::now());
            if is_over || left.is_zero() {
                return Ok(is_over);
            }
            std::thread::sleep(left.min(Duration::from_millis(1)));
        }
    }

    /// Sends a signal, unless it ended already.
    pub fn signal(&mut self, signal: Signal) -> Result<(), String> {
        // A process that ended remains until its status is collected.
        match self.child.try_wait().map_err(text)? {
            Some(_) => Ok(()),
            None => kill_process(Pid::from_child(&self.child), signal).map_err(text),
        }
    }

    /// Waits for the end.
    pub fn end(mut self) -> Result<Ended, String> {
        loop {
            if let Some(status) = self.child.try_wait().map_err(text)? {
                let (stdout, stderr) = (self.read("stdout"), self.read("stderr"));
                let (status, signal) = (status.code(), status.signal());
                return Ok(Ended { status, signal, stdout, stderr });
            }
            self.is_in_time("its end")?;
        }
    }

    fn is_in_time(&self, wanted: &str) -> Result<(), String> {
        if Instant::now() > self.deadline {
            let (stdout, stderr) = (self.read("stdout"), self.read("stderr"));
            return Err(format!("waited in vain for {wanted}\n{stdout}\n{stderr}"));
        }
        std::thread::sleep(Duration::from_millis(1));
        Ok(())
    }

    fn read(&self, name: &str) -> String {
        let bytes = std::fs::read(self.folder.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it has ended and was waited for.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Ended {
    /// Fails unless it ended with one of these statuses and without a bug in gxe.
    pub fn check(&self, statuses: &[i32]) -> Result<(), String> {
        let broken = ["panicked", "killed by", "ended by a call"];
        let is_broken = broken.iter().any(|text| self.stderr.contains(text));
        match self.status {
            Some(status) if statuses.contains(&status) && !is_broken => Ok(()),
            _ => Err(format!("expected a status of {statuses:?}: {self:#?}")),
        }
    }
}

fn write(folder: &Path, name: &str, contents: &str) -> Result<(), String> {
    std::fs::write(folder.join(name), contents).map_err(text)
}

/// An error as a text.
pub fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
