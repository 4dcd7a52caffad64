//! `gxe man`: manual pages.

use super::CommandError;
use crate::arguments::{CommandLine, CommonArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::help;
use crate::usage_error::UsageError;
use clap::{Args, CommandFactory};
use std::path::PathBuf;

/// The manual pages of gxe and its commands.
#[derive(Args, Debug)]
pub struct Man {
    /// Write all pages, gxe.1, gxe-check.1, …, to this folder [default: print gxe's page]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Man {
    /// Prints one page or writes them all.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        // Without styles: a page has its own.
        let command = CommandLine::command()
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
