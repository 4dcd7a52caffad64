//! `gxe stm`: static schedules of compute graphs.
//!
//! - `files.rs`: the graph's files, shared by all commands;
//! - `check.rs`: a graph, or a schedule of it, is proven to keep every constraint.

mod check;
mod files;

use super::error::CommandError;
use crate::arguments::help_flag;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use clap::Subcommand;

/// The word after `gxe stm`.
#[derive(Debug, Subcommand)]
#[command(arg = help_flag())]
pub enum Stm {
    /// Find mistakes in a graph, or prove that a schedule keeps its constraints
    Check(check::Check),
}

impl Stm {
    /// Executes the command.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        match self {
            Self::Check(command) => command.execute(console),
        }
    }
}
