//! On this machine: a driver, and a worker for each segment.

use super::{CommandError, Job};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::remote::free_port;
use anyhow::Context as _;
use std::process::{Child, Command};

/// Starts the processes, and waits for them.
pub fn run(job: &Job, print: bool, console: Console) -> Result<ExitStatus, CommandError> {
    let failed = |error| Failure::new(ExitStatus::Load, error);
    let address = format!("--address=127.0.0.1:{}", free_port().map_err(failed)?);
    let mut lines = vec![job.words(&["--driver".to_owned(), address.clone()])];
    for segment in &job.segments {
        let part = ["--worker".to_owned(), format!("--fragments={segment}"), address.clone()];
        lines.push(job.words(&part));
    }
    for line in &lines {
        console.note(&format!("starting: gxe {}", line.join(" ")));
    }
    if print {
        return Ok(ExitStatus::Success);
    }
    let program = std::env::current_exe().context("this program is not found");
    let program = program.map_err(|error| Failure::new(ExitStatus::Run, error))?;
    let mut children: Vec<Child> = Vec::new();
    for line in &lines {
        match Command::new(&program).args(line).spawn() {
            Ok(child) => children.push(child),
            Err(error) => {
                for child in &mut children {
                    _ = child.kill();
                }
                let error = anyhow::Error::new(error).context("a process does not start");
                return Err(Failure::new(ExitStatus::Run, error).into());
            }
        }
    }
    // A driver ends its workers, and Ctrl-C reaches all processes of the terminal.
    let mut worst = ExitStatus::Success;
    for child in &mut children {
        let succeeded = child.wait().is_ok_and(|status| status.success());
        if !succeeded {
            worst = ExitStatus::Run;
        }
    }
    Ok(worst)
}
