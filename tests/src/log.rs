//! The lines of `gxe`'s output.

/// One line of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line of the log: `2026-01-31 12:00:00.000 WARN  file.rs@1: text`.
    Log {
        /// `INFO`, `WARN`, ….
        level: &'a str,
        /// What was logged.
        text: &'a str,
    },
    /// A continuation line, or a line that is not part of the log.
    Other(&'a str),
}

impl<'a> Line<'a> {
    /// The text of a log line.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Log { text, .. } => Some(text),
            Self::Other(_) => None,
        }
    }
}

/// Parses output.
pub fn lines_of(output: &str) -> impl Iterator<Item = Line<'_>> {
    output.lines().map(|line| read(line).unwrap_or(Line::Other(line)))
}

fn read(line: &str) -> Option<Line<'_>> {
    let (date, rest) = line.split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    if (date.len(), digits(date), time.len(), digits(time)) != (10, 8, 12, 9) {
        return None;
    }
    let (level, rest) = rest.split_once(' ')?;
    let (_place, text) = rest.split_once(": ")?;
    Some(Line::Log { level, text })
}
