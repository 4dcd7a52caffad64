//! The failure of a command, and how to show it.

use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::{Failure, Failures};
use crate::usage_error::UsageError;
use std::io;

/// The reason a command failed.
#[derive(Debug)]
pub enum CommandError {
    /// The command line is wrong.
    Usage(UsageError),
    /// A stage failed.
    Failed(Failure),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl CommandError {
    /// Shows the error and returns the exit status.
    pub fn show(self, console: Console) -> ExitStatus {
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
