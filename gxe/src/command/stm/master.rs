//! `gxe stm master`: schedules that several processes execute.

use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::control::socket::PrivateSocket;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum, value_parser};
use gxf_runtime::graph::{escape, read_source};
use gxf_stm::status::Status;
use gxf_stm_processes::{default_socket, master};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What follows on a client that dies, fails or leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnExit {
    /// Everything ends
    End,
    /// The others go on, and its executions are passed over
    Continue,
}

/// Schedules and their clients.
#[derive(Args, Debug)]
pub struct Master {
    /// Schedule files; the first one runs, unless there is a schedule manager
    #[arg(short = 's', long = "schedule", value_name = "SCHEDULE", required = true, num_args = 1..)]
    schedules: Vec<PathBuf>,

    /// Socket for the clients [default: that of GXE_STM_MASTER, or gxe-stm.sock in XDG_RUNTIME_DIR]
    #[arg(long, value_name = "SOCKET")]
    socket: Option<PathBuf>,

    /// Let the schedule manager with this name start and stop schedules
    #[arg(short = 'N', long, value_name = "NAME")]
    manager: Option<String>,

    /// Start a frame that comes too late at once instead of skipping to the next multiple of the
    /// period
    #[arg(short = 'm', long)]
    no_skip_on_overrun: bool,

    /// Longest time from the start of a frame to its end; -1 for any
    #[arg(
        short = 't',
        long,
        value_name = "MICROSECONDS",
        default_value = "5000000",
        allow_negative_numbers = true,
        value_parser = fence_timeout
    )]
    fence_timeout: FenceTimeout,

    /// What follows on a client that dies, fails or leaves
    #[arg(long, value_enum, default_value = "end")]
    on_exit: OnExit,

    /// Log executions and frames to FILE, which `gxe stm analyze` reads
    #[arg(short = 'l', long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Executions that the log keeps for each worker, and frames for each hyperepoch; older ones are
    /// dropped and counted
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 100_000,
        value_parser = value_parser!(u32).range(1..=10_000_000)
    )]
    log_limit: u32,

    #[command(flatten)]
    common: CommonArguments,
}

/// The longest time of a frame; `None` for any.
#[derive(Clone, Copy, Debug)]
struct FenceTimeout(Option<Duration>);

fn fence_timeout(text: &str) -> Result<FenceTimeout, String> {
    match text.parse() {
        Ok(-1) => Ok(FenceTimeout(None)),
        Ok(number @ 1_i64..) => {
            Ok(FenceTimeout(Some(Duration::from_micros(number.unsigned_abs()))))
        }
        _ => Err("expected a number of microseconds from 1, or -1".to_owned()),
    }
}

impl Master {
    /// Serves clients until a signal.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let failed = |status| move |error| CommandError::from(Failure::new(status, error));
        let mut schedules = Vec::new();
        for path in &self.schedules {
            let source = read_source(path).map_err(|problem| anyhow!("{}", problem.message));
            let source = source.map_err(failed(ExitStatus::Load))?;
            schedules.push((path.display().to_string(), source.text().to_string()));
        }
        let [interrupted, terminated] = [SIGINT, SIGTERM].map(|signal| {
            let flag = Arc::new(AtomicBool::new(false));
            flag::register(signal, flag.clone()).map(|_| flag)
        });
        let no_signals = |error: std::io::Error| {
            failed(ExitStatus::Run)(anyhow!(error).context("signals cannot be watched"))
        };
        let (interrupted, terminated) =
            (interrupted.map_err(no_signals)?, terminated.map_err(no_signals)?);
        let path = self.socket.unwrap_or_else(default_socket);
        let socket = PrivateSocket::bind(&path).map_err(failed(ExitStatus::Load))?;
        let create = |path: PathBuf| {
            let file = File::create(&path)
                .with_context(|| format!("cannot write the log '{}'", path.display()))?;
            Ok((file, self.log_limit as usize))
        };
        let log = self.log.map(create).transpose();
        let options = master::Options {
            listener: socket.listener().map_err(failed(ExitStatus::Load))?,
            schedules,
            manager: self.manager,
            skips: !self.no_skip_on_overrun,
            fence_timeout: self.fence_timeout.0,
            goes_on: self.on_exit == OnExit::Continue,
            log: log.map_err(failed(ExitStatus::Usage))?,
        };
        let say = |text: &str| console.note(&escape::one_line(text));
        say(&format!("clients find the master at `{}`", path.display()));
        let stops = || interrupted.load(Ordering::Acquire) || terminated.load(Ordering::Acquire);
        let ended = master::run(options, &say, &stops);
        drop(socket);
        ended.map_err(|failure| {
            // What schedules are refused with, before anything runs.
            let status = match failure.status {
                Status::BadValue | Status::BadParameter | Status::ScheduleIdInvalid => {
                    ExitStatus::Load
                }
                _ => ExitStatus::Run,
            };
            let code = failure.status.code();
            let text = escape::lines(&failure.text);
            failed(status)(anyhow!("{text} (STM's error {code})").context("the master ends"))
        })?;
        Ok(match () {
            () if interrupted.load(Ordering::Acquire) => ExitStatus::Interrupted,
            () if terminated.load(Ordering::Acquire) => ExitStatus::Terminated,
            () => ExitStatus::Success,
        })
    }
}
