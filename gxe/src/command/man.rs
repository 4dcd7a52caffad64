//! `gxe man`: manual pages.

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::help;
use crate::usage_error::UsageError;
use clap::Args;
use std::path::PathBuf;

/// The manual pages of gxe and its commands.
#[derive(Args, Debug)]
pub struct Man {
    /// Write all commands' pages, such as gxe-check.1, to DIR; created if missing
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Man {
    /// Prints the page of this command line or writes those of all its commands.
    pub fn execute(self, line: clap::Command) -> Result<ExitStatus, CommandError> {
        // Without styles: a page has its own.
        let command = line
            .styles(clap::builder::Styles::plain())
            .about("runs compute graphs and shows what is in them")
            .long_about(help::ABOUT);
        let Some(folder) = self.dir else {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            Console::print(&String::from_utf8_lossy(&page))?;
            return Ok(ExitStatus::Success);
        };
        std::fs::create_dir_all(&folder)
            .and_then(|()| clap_mangen::generate_to(command, &folder))
            .map_err(|error| {
                let folder = folder.display();
                UsageError::new(format!("cannot write manual pages to '{folder}': {error}"))
            })?;
        Ok(ExitStatus::Success)
    }
}
