//! `gxe trace`: converts the file of a flight recorder, and joins traces (`merge.rs`).

mod clocks;
mod merge;

use super::error::CommandError;
use crate::arguments::{CommonArguments, help_flag};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::outputs::keep_apart;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use gxf_runtime::Trace;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The word after `gxe trace`.
#[derive(Debug, Subcommand)]
#[command(arg = help_flag())]
pub enum TraceCommand {
    /// Convert a flight recording to a trace for ui.perfetto.dev
    Convert(Convert),
    /// Join the traces of several processes, also of several hosts, in one
    Merge(merge::Merge),
}

/// Makes a trace of a recording.
#[derive(Args, Debug)]
pub struct Convert {
    /// FILE.recording, as `--flight-recorder` left it
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// Trace to write
    #[arg(value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    common: CommonArguments,
}

impl TraceCommand {
    /// Executes the subcommand.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        match self {
            Self::Convert(command) => command.execute(console),
            Self::Merge(command) => command.execute(console),
        }
    }
}

impl Convert {
    fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { recording, output, common: _ } = self;
        keep_apart([&recording], [&output])?;
        let trace = Trace::read(&recording)
            .context("the recording cannot be converted")
            .map_err(|error| Failure::new(ExitStatus::Load, error))?;
        let written = File::create(&output).and_then(|file| {
            let mut file = BufWriter::new(file);
            trace.write_json(&mut file)?;
            file.flush()
        });
        written
            .with_context(|| format!("cannot write '{}'", output.display()))
            .map_err(|error| Failure::new(ExitStatus::Usage, error))?;
        if trace.has_lost_names() {
            console.note(
                "the recording had no room for more names: entities without one go by numbers",
            );
        }
        Ok(ExitStatus::Success)
    }
}
