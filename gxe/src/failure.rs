//! A stage that failed, and how to show it.

use crate::console::Console;
use crate::exit_status::ExitStatus;
#[cfg(feature = "serve")]
use crate::log::tail;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Span};
use std::fmt::{Display, Write};

/// What failed, and the resulting exit status.
#[derive(Debug)]
pub struct Failure {
    status: ExitStatus,
    error: anyhow::Error,
}

impl Failure {
    /// A failure; `error` names the stage.
    pub fn new(status: ExitStatus, error: anyhow::Error) -> Self {
        Self { status, error }
    }

    /// Where a file asks for what failed. Text that gxe has made itself helps nobody.
    fn place(&self) -> Option<&Span> {
        let place = self.error.downcast_ref::<gxf_runtime::Error>()?.place()?;
        Some(place).filter(|place| !place.source.name.starts_with('<'))
    }

    /// The findings with their places, if there are any.
    pub fn findings(&self) -> Option<&Diagnostics> {
        let runtime = self.error.downcast_ref::<gxf_runtime::Error>();
        runtime?.diagnostics().filter(|findings| findings.errors() > 0)
    }

    /// Merges two failures, with those findings of the other that `keep` accepts; drops the other
    /// if there are none.
    pub fn and(self, other: Self, keep: impl Fn(&Diagnostic) -> bool) -> Self {
        let others = other.findings().into_iter().flatten().filter(|found| keep(found));
        let others: Vec<_> = others.cloned().collect();
        if others.is_empty() {
            return self;
        }
        let mut findings = self.findings().cloned().unwrap_or_default();
        findings.extend(others);
        let what = format!("{}; {}", self.error, other.error);
        let error = gxf_runtime::Error::from_diagnostics(what, findings);
        Self { status: self.status, error: anyhow::Error::new(error) }
    }
}

/// The failures of one run. The first one counts.
#[derive(Debug)]
pub struct Failures {
    console: Console,
    /// Whether failures are also logged, because the log goes elsewhere.
    log: bool,
    first: Option<ExitStatus>,
}

impl Failures {
    /// No failures yet. `log`: whether they are logged, too.
    pub fn new(console: Console, log: bool) -> Self {
        Self { console, log, first: None }
    }

    /// Shows a failure at once, so that it is seen even if the next stage hangs.
    pub fn report(&mut self, failure: Failure) {
        let error = &failure.error;
        let text = match failure.findings() {
            Some(findings) => {
                self.console.findings(findings);
                if self.log {
                    tracing::error!("{}", findings.render(false).trim_end());
                }
                format!("{error}: {}", counted(findings))
            }
            None => with_causes(error),
        };
        self.console.error(if self.first.is_none() { "error" } else { "also" }, &text);
        if self.log {
            tracing::error!("{text}");
        }
        #[cfg(feature = "serve")]
        if !self.log {
            tail::add_error(&text);
        }
        if let Some(place) = failure.place() {
            const WHAT: &str = "the component that failed";
            self.console.place(WHAT, place);
            if self.log {
                tracing::error!("{}", place.render(WHAT, false));
            }
        }
        self.first.get_or_insert(failure.status);
    }

    /// The exit status of the first failure.
    pub fn status(&self) -> Option<ExitStatus> {
        self.first
    }
}

/// `2 errors, 1 warning`.
pub fn counted(findings: &Diagnostics) -> String {
    let count = |number, what| match number {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{number} {what}s")),
    };
    let counts = [count(findings.errors(), "error"), count(findings.warnings(), "warning")];
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The error and its causes, each indented one step more.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for (depth, cause) in error.chain().enumerate() {
        let indent = "  ".repeat(depth);
        for (index, line) in lines(cause).enumerate() {
            // Writing to a `String` does not fail.
            _ = match (depth, index) {
                (0, 0) => write!(text, "{line}"),
                (_, 0) => write!(text, "\n{indent}because: {line}"),
                _ => write!(text, "\n{indent}  {line}"),
            };
        }
    }
    text
}

fn lines(cause: &dyn Display) -> impl Iterator<Item = String> {
    cause.to_string().lines().map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_indented() {
        let error =
            anyhow::anyhow!("disk full\nfree 3 KiB").context("entity 'tx'").context("no run");
        assert_eq!(
            with_causes(&error),
            "no run\n  because: entity 'tx'\n    because: disk full\n      free 3 KiB"
        );
    }
}
