//! `gxe help` and `gxe version`: the flags of the same names as words.

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::help;
use crate::usage_error::{LEFT_OUT, UsageError};
use clap::Args;

/// The help text of gxe or of a command.
#[derive(Args, Debug)]
pub struct Help {
    /// Command, such as `check` or `new app`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Help {
    /// Prints what `--help` of the command prints.
    pub fn execute(
        self,
        console: Console,
        line: clap::Command,
    ) -> Result<ExitStatus, CommandError> {
        let mut found = &line;
        for word in &self.command {
            let next = found.find_subcommand(word);
            found = next.ok_or_else(|| unknown(word, found))?;
        }
        let words = [&["gxe".to_owned()], &*self.command, &["--help".to_owned()]].concat();
        Ok(match line.try_get_matches_from(words) {
            // Clap returns the text as an error.
            Err(text) => console.clap_message(&text),
            Ok(_) => ExitStatus::Success,
        })
    }
}

/// The version.
#[derive(Args, Debug)]
pub struct Version {
    #[command(flatten)]
    common: CommonArguments,
}

impl Version {
    /// Prints what `--version` prints.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        Console::print(&format!("gxe {}\n", *help::VERSION))?;
        Ok(ExitStatus::Success)
    }
}

/// Words that people try, and the commands they want.
const MEANT: &[(&[&str], &[&str])] = &[
    (&["plugins", "plugin", "extensions", "components", "types", "codelets"], &["list", "inspect"]),
    (&["ls", "installed"], &["list"]),
    (&["show", "info", "describe", "search", "find"], &["inspect"]),
    (&["validate", "lint", "verify", "test"], &["check"]),
    (&["start", "exec", "execute", "launch"], &["run"]),
    (&["draw", "plot", "dot", "svg", "viz", "visualize", "visualise"], &["graph"]),
    (&["init", "create", "generate", "scaffold"], &["new"]),
    (&["monitor", "watch", "ps", "htop", "status"], &["top"]),
    (&["record", "replay", "play"], &["recording"]),
    (&["diagnose", "env", "environment"], &["doctor"]),
    (&["complete", "completion"], &["completions"]),
    (&["manual", "docs", "doc"], &["man", "help"]),
    (&["id", "guid"], &["uuid"]),
    (&["language-server", "languageserver"], &["lsp"]),
];

/// Commands that a build may leave out, and whether this one has them.
const OPTIONAL: &[(&str, bool)] = &[
    ("completions", cfg!(feature = "shell")),
    ("lsp", cfg!(feature = "lsp")),
    ("man", cfg!(feature = "shell")),
    ("schedule", cfg!(feature = "stm")),
    ("stm", cfg!(feature = "stm")),
    ("top", cfg!(feature = "top")),
];

/// An error for a command that this build leaves out.
pub fn left_out(word: &str) -> Option<UsageError> {
    let is_left_out = OPTIONAL.contains(&(word, false));
    is_left_out.then(|| UsageError::new(format!("there is no command `{word}`")).hint(LEFT_OUT))
}

/// An error for a word that is no command, with what it may mean.
pub fn unknown(word: &str, line: &clap::Command) -> UsageError {
    let names = line.get_subcommands().map(clap::Command::get_name);
    if line.find_subcommand(word).is_some() {
        let error = UsageError::new(format!("the command `{word}` comes after flags of a run"));
        return error.hint(format!("write it first:  gxe {word} --help"));
    }
    if let Some(error) = left_out(word) {
        return error;
    }
    let error = UsageError::new(format!("there is no command `{word}`"));
    let lower = word.to_lowercase();
    let meant = MEANT.iter().find(|(words, _)| words.contains(&&*lower));
    let meant: Vec<&str> = match meant {
        Some((_, meant)) => names.filter(|name| meant.contains(name)).collect(),
        None => gxf_runtime::graph::suggest::nearest(word, names).into_iter().collect(),
    };
    let meant: Vec<_> = meant.iter().map(|name| format!("`{name}`")).collect();
    match meant.as_slice() {
        [] => error.hint("`gxe help` lists the commands; an app is a file: gxe APP.yaml"),
        meant => error.hint(format!("did you mean {}?", meant.join(" or "))),
    }
}
