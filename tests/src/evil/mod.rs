//! Storms: files and libraries that break every rule. `gxe` names who did it and ends, in bounded
//! time and memory.
//!
//! - [`libraries`]: one library in C (`evil/evil.c`) that misbehaves in one place at a time.

pub mod libraries;

use crate::{Ended, PATIENCE, build};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Address space a program may have here, in KiB; most of it is reserved and never used.
const MEMORY: u32 = 4 << 20;

/// Most bytes that a program may say. Each of the library's four components may fail, with a text that
/// the log cuts at 64 KiB.
const LONGEST: usize = 300_000;

/// Runs `gxe` with bounded memory and time; one that had to be killed ended by SIGKILL.
///
/// # Panics
/// When there is no shell.
#[must_use]
pub fn run(folder: &Path, line: &str, environment: &[(&str, &str)]) -> Ended {
    let patience = PATIENCE.as_secs().to_string();
    limited(&["-s", "KILL", &patience], folder, line, environment)
}

/// Like [`run`], but sends SIGTERM after a second.
///
/// # Panics
/// When there is no shell.
#[must_use]
pub fn run_briefly(folder: &Path, line: &str) -> Ended {
    let patience = PATIENCE.as_secs().to_string();
    limited(&["--preserve-status", "-k", &patience, "1"], folder, line, &[])
}

fn limited(timeout: &[&str], folder: &Path, line: &str, environment: &[(&str, &str)]) -> Ended {
    let limits = format!("ulimit -v {MEMORY}; ulimit -c 0; exec \"$0\" \"$@\"");
    let mut command = Command::new("timeout");
    command.args(timeout).args(["bash", "-c", &limits]);
    command.arg(build::gxe()).args(line.split_whitespace());
    command.current_dir(folder).env("GXF_LOG_LEVEL", "warning").stdin(Stdio::null());
    let output = command.envs(environment.iter().copied()).output().expect("a shell");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_else(|bytes| bytes.to_string());
    Ended {
        status: output.status.code(),
        signal: output.status.signal(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// What no run may do, whatever it is given; none if it did not.
#[must_use]
pub fn misbehaviour(ended: &Ended) -> Option<&'static str> {
    const SIGKILL: i32 = 9;
    let said = [&ended.stdout, &ended.stderr];
    let raw = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if ended.signal == Some(SIGKILL) || ended.status == Some(128 + SIGKILL) {
        Some("it did not end")
    } else if said.iter().any(|text| text.contains("panicked at")) {
        Some("it panicked")
    } else if said.iter().any(|text| text.len() > LONGEST) {
        Some("it said too much")
    } else if said.iter().any(|text| text.contains(raw)) {
        Some("control characters reached the output")
    } else {
        None
    }
}
