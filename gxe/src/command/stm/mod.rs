//! `gxe stm`: static schedules of compute graphs.
//!
//! - `files.rs`: the graph's files and schedules, shared by all commands;
//! - `compile.rs`: a graph becomes a schedule; `measures.rs`: what `-k` writes about it;
//! - `check.rs`: a schedule is proven to keep every constraint of its graph;
//! - `graph.rs`: a drawing of the graph; `gantt.rs`: a page with the schedule's time lines;
//! - `analyze.rs`: tables of what a run did, from its log;
//! - `swap.rs`: another schedule for a run; `master.rs`: schedules that several processes execute.

mod analyze;
mod check;
pub(super) mod compile;
pub(super) mod files;
mod gantt;
mod graph;
mod master;
mod measures;
mod swap;

use super::error::CommandError;
use crate::arguments::help_flag;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use clap::Subcommand;

/// The word after `gxe stm`.
#[derive(Debug, Subcommand)]
#[command(arg = help_flag())]
pub enum Stm {
    /// Compile a graph to a schedule, with a proof of its length where there is one
    Compile(compile::Compile),
    /// Find mistakes in a graph, or prove that a schedule keeps its constraints
    Check(check::Check),
    /// Draw a graph as DOT, Mermaid or SVG
    Graph(graph::Graph),
    /// Draw a schedule as an interactive HTML page
    Gantt(gantt::Gantt),
    /// Count and measure what a run by a schedule did, from its log
    Analyze(analyze::Analyze),
    /// Change the schedule of a run while it goes on
    Swap(swap::Swap),
    /// Release the frames of schedules that several processes execute
    Master(master::Master),
}

impl Stm {
    /// Executes the command.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        match self {
            Self::Compile(command) => command.execute(console),
            Self::Check(command) => command.execute(console),
            Self::Graph(command) => command.execute(console),
            Self::Gantt(command) => command.execute(),
            Self::Analyze(command) => command.execute(),
            Self::Swap(command) => command.execute(),
            Self::Master(command) => command.execute(console),
        }
    }
}
