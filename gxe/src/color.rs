//! When to use colours.

use std::ffi::OsString;
use std::io::{IsTerminal, stderr, stdout};

/// The value of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is "dumb"
    #[default]
    Auto,
    /// Everywhere but in a log file
    Always,
    /// Nowhere
    Never,
}

/// The output streams that show colours.
#[derive(Clone, Copy, Debug)]
pub struct Colors {
    /// Standard output.
    pub stdout: bool,
    /// Standard error.
    pub stderr: bool,
}

impl Colors {
    /// Reads `--color` from the words of the command line, before they are parsed: parse errors are
    /// coloured, too.
    pub fn of_words(words: &[OsString]) -> Self {
        let mut choice = ColorChoice::Auto;
        for (index, word) in words.iter().enumerate() {
            let value = match word.to_str() {
                Some("--color") => words.get(index + 1).and_then(|value| value.to_str()),
                Some(word) => word.strip_prefix("--color="),
                None => None,
            };
            choice = match value {
                Some("always") => ColorChoice::Always,
                Some("never") => ColorChoice::Never,
                Some("auto") => ColorChoice::Auto,
                _ => choice,
            };
        }
        Self::of_choice(choice)
    }

    fn of_choice(choice: ColorChoice) -> Self {
        let everywhere = |on| Self { stdout: on, stderr: on };
        match choice {
            ColorChoice::Always => everywhere(true),
            ColorChoice::Never => everywhere(false),
            ColorChoice::Auto => {
                let set = |name| std::env::var_os(name).unwrap_or_default();
                if !set("NO_COLOR").is_empty() || set("TERM") == "dumb" {
                    return everywhere(false);
                }
                Self { stdout: stdout().is_terminal(), stderr: stderr().is_terminal() }
            }
        }
    }
}
