//! `gxe stm swap`: another schedule for a run, over its control socket.

use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::control::client::Client;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use anyhow::{Context as _, anyhow};
use clap::Args;
use gxf_runtime::graph::escape;
use serde_json::json;
use std::ffi::OsString;
use std::path::{PathBuf, absolute};
use std::time::Duration;

/// Time-out of the answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run and its next schedule.
#[derive(Args, Debug)]
pub struct Swap {
    /// Control socket or process id of the run
    #[arg(value_name = "SOCKET|PID")]
    target: OsString,

    /// The new schedule's file
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,

    /// Let each hyperepoch change by itself behind its cycle, instead of all together
    #[arg(long)]
    roll_over: bool,

    /// Refuse if another schedule than the one with this identifier runs
    #[arg(long, value_name = "IDENTIFIER")]
    stop: Option<u16>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Swap {
    /// Asks the run to change.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let failed = |status| move |error| CommandError::from(Failure::new(status, error));
        let mut client = Client::connect(&self.target).map_err(failed(ExitStatus::Load))?;
        // The run may have another working directory.
        let schedule = absolute(&self.schedule)
            .with_context(|| format!("no path leads to '{}'", self.schedule.display()));
        let request = json!({
            "command": "swap_schedule",
            "schedule": schedule.map_err(failed(ExitStatus::Load))?,
            "stop": self.stop,
            "roll_over": self.roll_over,
        });
        let answer = client
            .set_patience(PATIENCE)
            .map_err(anyhow::Error::from)
            .and_then(|()| client.ask(&request))
            .and_then(|answer| answer.context("the run has ended"))
            .map_err(failed(ExitStatus::Run))?;
        if answer["ok"] == true {
            return Ok(ExitStatus::Success);
        }
        let why = escape::lines(answer["error"].as_str().unwrap_or("no reason was given"));
        let code = answer["stm_error"].as_u64();
        let code = code.map_or(String::new(), |code| format!(" (STM's error {code})"));
        Err(failed(ExitStatus::Run)(anyhow!("the schedule is not changed: {why}{code}")))
    }
}
