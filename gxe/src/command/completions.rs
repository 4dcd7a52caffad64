//! `gxe completions`: shell completions.

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use clap::Args;
use clap_complete::Shell;

/// A script for a shell.
#[derive(Args, Debug)]
#[command(after_help = "\
For bash:  gxe completions bash > ~/.local/share/bash-completion/completions/gxe
For zsh:   gxe completions zsh > DIR/_gxe, where DIR is one of $fpath
For fish:  gxe completions fish > ~/.config/fish/completions/gxe.fish")]
pub struct Completions {
    /// Shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,

    #[command(flatten)]
    common: CommonArguments,
}

impl Completions {
    /// Prints the script for this command line.
    pub fn execute(self, mut line: clap::Command) -> Result<ExitStatus, CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut line, "gxe", &mut script);
        Console::print(&String::from_utf8_lossy(&script))?;
        Ok(ExitStatus::Success)
    }
}
