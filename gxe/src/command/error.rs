//! Why a command failed, and how its user is told.

use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::{Failure, Failures};
use crate::usage_error::UsageError;
use std::io;

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
    /// Shows it, and says what the program ends with.
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
