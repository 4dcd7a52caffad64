//! On this machine: a driver, and a worker for each segment.

use super::{CommandError, Job};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::remote::free_port;
use crate::shell_words;
use anyhow::Context as _;
use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
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
    let shown = lines.iter().map(|line| format!("gxe {}", shell_words::line(line)));
    if print {
        Console::print(&shown.map(|line| format!("{line}\n")).collect::<String>())?;
        return Ok(ExitStatus::Success);
    }
    shown.for_each(|line| console.note(&format!("starting: {line}")));
    let program = std::env::current_exe().context("this program is not found");
    let program = program.map_err(|error| Failure::new(ExitStatus::Run, error))?;
    let unwatched = |error| {
        let error = anyhow::Error::new(error).context("signals cannot be watched");
        Failure::new(ExitStatus::Run, error)
    };
    let mut signals = Signals::new([SIGCHLD, SIGHUP, SIGINT, SIGTERM]).map_err(unwatched)?;
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
    Ok(attend(children, &mut signals))
}

/// Waits for the processes, and passes signals on to them. A driver ends its workers, but not before
/// it knows them.
fn attend(mut children: Vec<Child>, signals: &mut Signals) -> ExitStatus {
    let mut worst = ExitStatus::Success;
    let mut stopped = None;
    for signal in signals.forever() {
        children.retain_mut(|child| match child.try_wait() {
            Ok(None) => true,
            Ok(Some(status)) if status.success() => false,
            Ok(Some(_)) | Err(_) => {
                worst = ExitStatus::Run;
                false
            }
        });
        if children.is_empty() {
            break;
        }
        let status = match signal {
            SIGCHLD => continue,
            SIGINT => ExitStatus::Interrupted,
            _ => ExitStatus::Terminated,
        };
        stopped.get_or_insert(status);
        // Ctrl-C reaches all processes of the terminal, and a second one would end them at once.
        if signal == SIGINT && is_in_foreground() {
            continue;
        }
        let Some(signal) = Signal::from_named_raw(signal) else { continue };
        for child in &children {
            // Nobody else waits for it, so the number is still its own.
            _ = kill_process(Pid::from_child(child), signal);
        }
    }
    stopped.unwrap_or(worst)
}

/// Whether the keys of a terminal reach this process.
fn is_in_foreground() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp()))
}
