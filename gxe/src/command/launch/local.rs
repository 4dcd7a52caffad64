//! On this machine: a driver, and a worker for each segment.

use super::{CommandError, Job, shared};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::shell_words;
use anyhow::Context as _;
use rustix::process::{
    Pid, Signal, getpgrp, getpid, kill_process, set_parent_process_death_signal,
};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// After the first failure, the driver has this long to end the others, and once more when it was
/// told to. It may not know of the failure, or be the one that failed.
const GRACE: Duration = Duration::from_secs(2);

/// After a worker was killed, which says nothing any more, the driver has this long: it misses the
/// worker's signs of life, and names it to the others.
const GRACE_FOR_KILLED: Duration = Duration::from_secs(8);

/// After it was told to end, a process has this long.
const LAST_GRACE: Duration = Duration::from_secs(10);

/// Name of the process that ends the others.
const DRIVER: &str = "the driver";

/// A process, by the name of its segment.
struct Process {
    name: String,
    child: Child,
}

/// Starts the processes, the driver at `port`, and waits for them.
pub fn run(
    job: &Job,
    port: u16,
    print: bool,
    console: Console,
) -> Result<ExitStatus, CommandError> {
    let address = format!("--address=127.0.0.1:{port}");
    let driver = job.words(shared::DRIVER, &["--driver".to_owned(), address.clone()]);
    let mut lines = vec![(DRIVER.to_owned(), driver)];
    for segment in &job.segments {
        let part = ["--worker".to_owned(), format!("--fragments={segment}"), address.clone()];
        lines.push((format!("the worker of segment `{segment}`"), job.words(segment, &part)));
    }
    let shown = lines.iter().map(|(_, line)| format!("gxe {}", shell_words::line(line)));
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
    let mut signals =
        Signals::new([SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGTERM]).map_err(unwatched)?;
    let mut processes: Vec<Process> = Vec::new();
    for (name, line) in lines {
        match ends_with_this(Command::new(&program).args(line)).spawn() {
            Ok(child) => processes.push(Process { name, child }),
            Err(error) => {
                for process in &mut processes {
                    _ = process.child.kill();
                }
                let error = anyhow::Error::new(error).context("a process does not start");
                return Err(Failure::new(ExitStatus::Run, error).into());
            }
        }
    }
    Ok(attend(processes, &mut signals, console))
}

/// Has a process get SIGTERM when this thread, which is the main one, is gone: killed, for example.
#[expect(unsafe_code, reason = "the system has to be told between fork and exec")]
fn ends_with_this(command: &mut Command) -> &mut Command {
    let ask = || Ok(set_parent_process_death_signal(Some(Signal::TERM))?);
    // SAFETY: the call makes one system call, and allocates and locks nothing.
    unsafe { command.pre_exec(ask) }
}

/// Waits for the processes, and passes signals on to them. If one fails and the others do not end by
/// themselves, ends them, and kills those that do not end then either.
fn attend(mut processes: Vec<Process>, signals: &mut Signals, console: Console) -> ExitStatus {
    let (mut failed, mut stopped, mut has_said, mut kill_at) = (None, None, false, None);
    for signal in signals.forever() {
        processes.retain_mut(|Process { name, child }| {
            let status = match child.try_wait() {
                Ok(None) => return true,
                Ok(Some(status)) if status.success() => return false,
                Ok(Some(status)) => status,
                Err(_) => return false,
            };
            if failed.is_none() && stopped.is_none() {
                let code =
                    ExitStatus::ALL.into_iter().find(|one| status.code() == Some(*one as i32));
                failed = Some((
                    code.unwrap_or(ExitStatus::Run),
                    format!("{name} has failed ({status})"),
                ));
                let is_silent = status.signal().is_some() && name.as_str() != DRIVER;
                alarm(if is_silent { GRACE_FOR_KILLED } else { GRACE });
            }
            false
        });
        if processes.is_empty() {
            break;
        }
        let mut whom = &processes[..];
        let signal = match (signal, &failed) {
            (SIGCHLD, _) => continue,
            (SIGALRM, _) if kill_at.is_some_and(|at| at <= Instant::now()) => {
                for Process { name, child } in &mut processes {
                    let seconds = LAST_GRACE.as_secs();
                    console.note(&format!("{name} has not ended in {seconds} s; killing it"));
                    _ = child.kill();
                }
                continue;
            }
            (SIGALRM, Some((_, text))) if stopped.is_none() && kill_at.is_none() => {
                if !std::mem::replace(&mut has_said, true) {
                    console.note(&format!("{text}; ending the others"));
                    if whom[0].name == DRIVER {
                        // A worker that is stopped itself would tell the driver that it is the one
                        // that failed.
                        whom = &whom[..1];
                        alarm(GRACE);
                    }
                }
                SIGTERM
            }
            (SIGALRM, _) => continue,
            (SIGINT, _) => {
                stopped.get_or_insert(ExitStatus::Interrupted);
                SIGINT
            }
            (signal, _) => {
                stopped.get_or_insert(ExitStatus::Terminated);
                signal
            }
        };
        // After Ctrl-C, they have as long as they need; a second one ends them at once.
        if signal != SIGINT && whom.len() == processes.len() && kill_at.is_none() {
            kill_at = Some(Instant::now() + LAST_GRACE);
            alarm(LAST_GRACE);
        }
        // Ctrl-C reaches all processes of the terminal, and a second one would end them at once.
        if signal == SIGINT && is_in_foreground() {
            continue;
        }
        let Some(signal) = Signal::from_named_raw(signal) else { continue };
        // Nobody else waits for them, so the numbers are still their own.
        for process in whom {
            _ = kill_process(Pid::from_child(&process.child), signal);
        }
        // One that is stopped can end then.
        for process in &processes {
            _ = kill_process(Pid::from_child(&process.child), Signal::CONT);
        }
    }
    stopped.or(failed.map(|(status, _)| status)).unwrap_or(ExitStatus::Success)
}

/// Sends SIGALRM to this process after some time.
fn alarm(time: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        _ = kill_process(getpid(), Signal::ALARM);
    });
}

/// Whether the keys of a terminal reach this process.
fn is_in_foreground() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp()))
}
