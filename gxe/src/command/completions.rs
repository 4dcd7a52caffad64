//! `gxe completions`: shell completions. What shells complete themselves is in `complete.rs`.

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::usage_error::UsageError;
use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;

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
    /// Prints the script, which asks gxe itself for what fits.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell.to_string()).ok_or_else(|| {
            UsageError::new(format!("there are no completions for {}", self.shell))
        })?;
        shell.write_registration("COMPLETE", "gxe", "gxe", "gxe", &mut script)?;
        Console::print(&String::from_utf8_lossy(&script))?;
        Ok(ExitStatus::Success)
    }
}
