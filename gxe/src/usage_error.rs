//! A mistake in a command line.

use gxf_runtime::graph::Diagnostics;

/// How to get what a build left out.
pub const LEFT_OUT: &str =
    "this gxe was built without it, as `make run` does; `make install` builds all of it";

/// One error with a hint, or findings in the text of `--param`.
#[derive(Debug)]
pub enum UsageError {
    /// A plain error.
    Text {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// Findings with places.
    Findings(Diagnostics),
}

impl UsageError {
    /// An error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Text { message: message.into(), hint: None }
    }

    /// The same with a line about what to do.
    pub fn hint(self, text: impl Into<String>) -> Self {
        match self {
            Self::Text { message, .. } => Self::Text { message, hint: Some(text.into()) },
            findings @ Self::Findings(_) => findings,
        }
    }
}

impl From<Diagnostics> for UsageError {
    fn from(findings: Diagnostics) -> Self {
        Self::Findings(findings)
    }
}
