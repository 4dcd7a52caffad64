//! The commands of `gxe` other than a run, one file each.
//!
//! A command is a clap `Args` struct with a function `execute` that prints to standard output
//! through [`Console::print`] and returns an exit status. To add one, write its file, a variant of
//! [`Command`], and an arm of [`Command::execute`].

mod check;
#[cfg(feature = "shell")]
mod completions;
mod doctor;
mod error;
mod graph;
mod help;
mod inspect;
mod launch;
mod list;
#[cfg(feature = "lsp")]
mod lsp;
#[cfg(feature = "shell")]
mod man;
mod new;
mod plan;
mod recording;
#[cfg(feature = "stm")]
mod schedule;
mod schema;
mod sdk;
#[cfg(feature = "stm")]
mod stm;
#[cfg(feature = "top")]
mod top;
mod trace;
mod uuid;

#[cfg(feature = "serve")]
pub use graph::{live_page, title_of};
pub use help::{left_out, unknown};

use crate::console::Console;
use crate::exit_status::ExitStatus;
use clap::Subcommand;

/// The word after `gxe`, unless it is `run` or `serve`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find mistakes in a graph without running it
    Check(check::Check),
    /// List installed extensions and their types
    List(list::List),
    /// Show extensions, component types and their parameters
    Inspect(inspect::Inspect),
    /// Print a JSON Schema of app files for editors
    Schema(schema::Schema),
    /// Create an extension, an app or a codelet from a template
    New(new::New),
    /// Print where the headers, crates and manifests of the SDK are
    Sdk(sdk::SdkCommand),
    /// Start a graph in several processes
    #[command(override_usage = "gxe launch APP [--with WHERE] [OPTIONS]")]
    Launch(Box<launch::Launch>),
    /// Monitor a graph that runs with --control; tune, pause or stop it
    #[cfg(feature = "top")]
    Top(top::Top),
    /// Convert what a flight recorder left behind, and join traces of several processes
    #[command(subcommand, disable_help_subcommand = true)]
    Trace(trace::TraceCommand),
    /// Draw a graph as DOT, Mermaid, SVG or an interactive HTML page
    #[command(override_usage = "gxe graph APP… [--manifest FILE[,FILE…]] [OPTIONS]")]
    Graph(Box<graph::Graph>),
    /// Inspect, cut, repair, import and export recordings
    #[command(subcommand, disable_help_subcommand = true)]
    Recording(recording::Recording),
    /// Make a static schedule of an app from the times that a run measured
    #[cfg(feature = "stm")]
    Schedule(Box<schedule::Schedule>),
    /// Plan a compute graph ahead: compile, check and draw static schedules
    #[cfg(feature = "stm")]
    #[command(subcommand, disable_help_subcommand = true)]
    Stm(stm::Stm),
    /// Plan the threads and registers of a graph for the actor scheduler
    #[command(override_usage = "gxe plan APP… [--manifest FILE[,FILE…]] [OPTIONS]")]
    Plan(Box<plan::Plan>),
    /// Generate random ids for extensions and components
    Uuid(uuid::Uuid),
    /// Show what is installed, and what is missing for what
    Doctor(doctor::Doctor),
    /// Serve editors: completion, documentation and findings as you type
    #[cfg(feature = "lsp")]
    Lsp(lsp::Lsp),
    /// Generate shell completions
    #[cfg(feature = "shell")]
    Completions(completions::Completions),
    /// Print the manual page, or write those of all commands
    #[cfg(feature = "shell")]
    Man(man::Man),
    /// Print the help text of a command
    Help(help::Help),
    /// Print the version
    Version(help::Version),
}

impl Command {
    /// Executes the command and shows errors. `line` is the whole command line, for commands that
    /// describe it.
    pub fn execute(self, console: Console, line: clap::Command) -> ExitStatus {
        let ended = match self {
            Self::Check(command) => command.execute(console),
            Self::List(command) => command.execute(console),
            Self::Inspect(command) => command.execute(console),
            #[cfg(feature = "lsp")]
            Self::Lsp(command) => command.execute(),
            Self::Doctor(command) => command.execute(),
            Self::Help(command) => command.execute(console, line),
            Self::Version(command) => command.execute(),
            Self::Schema(command) => command.execute(),
            Self::New(command) => command.execute(),
            Self::Sdk(command) => command.execute(),
            Self::Launch(command) => command.execute(console),
            #[cfg(feature = "top")]
            Self::Top(command) => command.execute(),
            Self::Trace(command) => command.execute(console),
            Self::Graph(command) => command.execute(console),
            Self::Recording(command) => command.execute(console),
            #[cfg(feature = "stm")]
            Self::Schedule(command) => command.execute(console),
            #[cfg(feature = "stm")]
            Self::Stm(command) => command.execute(console),
            Self::Plan(command) => command.execute(console),
            Self::Uuid(command) => command.execute(),
            #[cfg(feature = "shell")]
            Self::Completions(command) => command.execute(),
            #[cfg(feature = "shell")]
            Self::Man(command) => command.execute(line),
        };
        ended.unwrap_or_else(|error| error.show(console))
    }
}
