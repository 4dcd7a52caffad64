//! What stands for MCAP in a build without it.

use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::usage_error::{LEFT_OUT, UsageError};
use clap::Args;
use std::ffi::OsString;

/// The command, with any words.
#[derive(Args, Debug)]
pub struct Convert {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

impl Convert {
    pub fn execute(self, _console: Console) -> Result<ExitStatus, CommandError> {
        Err(UsageError::new("there is no `gxe recording convert`").hint(LEFT_OUT).into())
    }
}
