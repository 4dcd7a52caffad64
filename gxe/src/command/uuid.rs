//! `gxe uuid`: ids for extensions and components.

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::usage_error::UsageError;
use clap::Args;
use std::fmt::Write;

/// Prints ids as the `id:` of a factory wants them.
#[derive(Args, Debug)]
pub struct Uuid {
    /// Number of ids
    #[arg(value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    count: u16,

    #[command(flatten)]
    common: CommonArguments,
}

impl Uuid {
    /// One id a line.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let mut text = String::new();
        for _ in 0..self.count {
            // Writing to a `String` does not fail.
            _ = writeln!(text, "{}", random_id()?);
        }
        Console::print(&text)?;
        Ok(ExitStatus::Success)
    }
}

/// A random 128-bit id as two numbers, such as `0xd8629d822909316d, 0xa9ee7410c8c1a7b6`.
///
/// # Errors
/// The system has no random numbers.
pub fn random_id() -> Result<String, UsageError> {
    let half =
        || getrandom::u64().map_err(|error| UsageError::new(format!("no random numbers: {error}")));
    Ok(format!("{:#018x}, {:#018x}", half()?, half()?))
}
