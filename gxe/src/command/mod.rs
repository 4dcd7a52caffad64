//! Commands: what `gxe` does besides running a graph, one file each.
//!
//! A command is a clap `Args` struct with a function `execute` that prints to standard output
//! through [`Console::print`] and answers with an exit status. To add one: its file, a variant of
//! [`Command`], an arm of [`Command::execute`].

mod check;
mod completions;
mod graph;
mod inspect;
mod man;
mod new;
mod recording;
mod schema;
mod top;
mod trace;
mod uuid;

use crate::arguments::Arguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::{Failure, Failures};
use crate::usage_error::UsageError;
use clap::Subcommand;
use std::io;

/// The word after `gxe`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a graph; the same as `gxe` without a command
    #[command(override_usage = "gxe run --app FILE[,FILE…] [--manifest FILE[,FILE…]] [OPTIONS]")]
    Run(Box<Arguments>),
    /// Look for mistakes in a graph without running it
    Check(check::Check),
    /// Show extensions, component types and their parameters
    Inspect(inspect::Inspect),
    /// Print a JSON Schema of app files, for editors
    Schema(schema::Schema),
    /// Make an extension, an app or a codelet to begin with
    New(new::New),
    /// Look at a graph that runs with --control, and pause or stop it
    Top(top::Top),
    /// Make a trace of what a flight recorder left behind
    #[command(subcommand, disable_help_subcommand = true)]
    Trace(trace::TraceCommand),
    /// Draw a graph as DOT, Mermaid, SVG or a page to look around in
    #[command(override_usage = "gxe graph --app FILE[,FILE…] [--manifest FILE[,FILE…]] [OPTIONS]")]
    Graph(Box<graph::Graph>),
    /// Look at recordings, cut and repair them, make them of pictures and back
    #[command(subcommand, disable_help_subcommand = true)]
    Recording(recording::Recording),
    /// Print fresh random ids for extensions and components
    Uuid(uuid::Uuid),
    /// Print a script that completes gxe's commands and flags in a shell
    Completions(completions::Completions),
    /// Print gxe's manual page, or write those of all commands
    Man(man::Man),
}

impl Command {
    /// Does what the command says. Whatever fails is shown here.
    pub fn execute(self, console: Console) -> ExitStatus {
        let ended = match self {
            Self::Run(arguments) => return crate::run(*arguments, console),
            Self::Check(command) => command.execute(console),
            Self::Inspect(command) => command.execute(console),
            Self::Schema(command) => command.execute(),
            Self::New(command) => command.execute(),
            Self::Top(command) => command.execute(),
            Self::Trace(command) => command.execute(console),
            Self::Graph(command) => command.execute(console),
            Self::Recording(command) => command.execute(console),
            Self::Uuid(command) => command.execute(),
            Self::Completions(command) => command.execute(),
            Self::Man(command) => command.execute(),
        };
        ended.unwrap_or_else(|error| error.show(console))
    }
}

/// Why a command did not come to its end.
#[derive(Debug)]
pub enum CommandError {
    /// Its words are wrong.
    Usage(UsageError),
    /// A stage failed.
    Failed(Failure),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl CommandError {
    fn show(self, console: Console) -> ExitStatus {
        match self {
            Self::Usage(error) => console.usage_error(&error),
            Self::Failed(failure) => {
                let mut failures = Failures::new(console, false);
                failures.report(failure);
                failures.status().unwrap_or(ExitStatus::Run)
            }
            Self::Output(error) => console.output_error(&error),
        }
    }
}

impl From<UsageError> for CommandError {
    fn from(error: UsageError) -> Self {
        Self::Usage(error)
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
