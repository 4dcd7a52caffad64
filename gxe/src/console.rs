//! Messages to the user on standard error, apart from the log. Nothing here fails: if nobody can
//! read an error, only the exit status remains.

use crate::color::Colors;
use crate::exit_status::ExitStatus;
use crate::help::STYLES;
use crate::patient::Patient;
use crate::usage_error::UsageError;
use clap::builder::styling::Style;
use gxf_runtime::graph::escape::lines;
use gxf_runtime::graph::{Diagnostics, Span};
use std::io::{self, Write};

/// The two output streams.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// The streams that show colours.
    pub colors: Colors,
}

impl Console {
    /// A remark, such as why the program stops.
    pub fn note(self, text: &str) {
        Self::write(&format!("gxe: {}\n", lines(text)));
    }

    /// An error: the word `error` or another, then what is wrong, then its causes.
    pub fn error(self, word: &str, text: &str) {
        let error = self.style(STYLES.get_error());
        Self::write(&format!("{error}{word}:{error:#} {}\n", lines(text)));
    }

    /// Findings with their places underlined.
    pub fn findings(self, findings: &Diagnostics) {
        Self::write(&format!("{}\n\n", findings.render(self.colors.stderr).trim_end()));
    }

    /// A remark about a place in a file, with the underlined place.
    pub fn place(self, text: &str, place: &Span) {
        Self::write(&format!("{}\n", place.render(text, self.colors.stderr)));
    }

    /// A mistake in the command line or the environment.
    pub fn usage_error(self, error: &UsageError) -> ExitStatus {
        match error {
            UsageError::Text { message, hint } => {
                self.error("error", message);
                if let Some(hint) = hint {
                    Self::write(&format!("\n  {}\n", lines(hint)));
                }
            }
            UsageError::Findings(findings) => {
                Self::write(&format!("{}\n", findings.render(self.colors.stderr).trim_end()));
            }
        }
        Self::write("\nFor more information, try 'gxe --help'.\n");
        ExitStatus::Usage
    }

    /// Help, version, and errors that clap found.
    pub fn clap_message(self, error: &clap::Error) -> ExitStatus {
        let text = error.render();
        let styled = if error.use_stderr() { self.colors.stderr } else { self.colors.stdout };
        let text = if styled { text.ansi().to_string() } else { lines(&text.to_string()) };
        if !error.use_stderr() {
            return match Self::print(&text) {
                Ok(()) => ExitStatus::Success,
                Err(error) => self.output_error(&error),
            };
        }
        Self::write(&text);
        ExitStatus::Usage
    }

    /// Writes the result of a command to standard output.
    ///
    /// # Errors
    /// Standard output has no reader, or cannot be written.
    pub fn print(text: &str) -> io::Result<()> {
        Patient(io::stdout().lock()).write_all(text.as_bytes())
    }

    /// Reports that standard output cannot be written, unless its reader went away.
    pub fn output_error(self, error: &io::Error) -> ExitStatus {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return ExitStatus::BrokenPipe;
        }
        self.error("error", &format!("cannot write to standard output: {error}"));
        ExitStatus::Run
    }

    fn write(text: &str) {
        _ = Patient(io::stderr().lock()).write_all(text.as_bytes());
    }

    fn style(self, style: &Style) -> Style {
        if self.colors.stderr { *style } else { Style::new() }
    }
}
