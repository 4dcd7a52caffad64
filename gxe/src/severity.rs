//! Severities of the log, with GXF's numbers and names.

use std::fmt;
use tracing_subscriber::filter::LevelFilter;

/// The least important lines that are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing.
    None = 0,
    /// Failures.
    Error = 1,
    /// Suspicious things.
    Warning = 2,
    /// Progress, for users.
    Info = 3,
    /// Details, for developers.
    Debug = 4,
    /// Everything.
    Verbose = 5,
}

impl Severity {
    const ALL: [(Self, &'static str); 6] = [
        (Self::None, "NONE"),
        (Self::Error, "ERROR"),
        (Self::Warning, "WARNING"),
        (Self::Info, "INFO"),
        (Self::Debug, "DEBUG"),
        (Self::Verbose, "VERBOSE"),
    ];

    /// A name in any case, or the number 0 to 5.
    pub fn from_text(text: &str) -> Result<Self, UnknownSeverity> {
        let text = text.trim();
        // GXF also calls its lowest level PANIC.
        let text = if text.eq_ignore_ascii_case("PANIC") { "NONE" } else { text };
        let known = Self::ALL.iter().find(|(severity, name)| {
            name.eq_ignore_ascii_case(text) || (*severity as u8).to_string() == text
        });
        known.map(|&(severity, _)| severity).ok_or(UnknownSeverity)
    }

    /// The same for `tracing`.
    pub fn filter(self) -> LevelFilter {
        match self {
            Self::None => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warning => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Verbose => LevelFilter::TRACE,
        }
    }
}

/// The error for an unknown severity. Displays the known ones.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownSeverity;

impl fmt::Display for UnknownSeverity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Severity::ALL.map(|(_, name)| name).join(", ");
        write!(formatter, "expected {names} in any case, or 0 to 5")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_case_and_numbers() {
        for (text, severity) in [
            ("0", Severity::None),
            ("none", Severity::None),
            ("Panic", Severity::None),
            ("1", Severity::Error),
            ("warning", Severity::Warning),
            ("INFO", Severity::Info),
            (" debug ", Severity::Debug),
            ("5", Severity::Verbose),
        ] {
            assert_eq!(Severity::from_text(text), Ok(severity), "{text}");
        }
        for text in ["", "6", "-1", "loud", "00"] {
            assert_eq!(Severity::from_text(text), Err(UnknownSeverity), "{text}");
        }
    }
}
