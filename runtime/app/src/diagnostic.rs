//! Mistakes in the user's input, with their places and remedies.

use super::escape::one_line;
pub use super::source::{Source, Span};
use crate::error::Error;
use gxf_plugin_abi::ResultCode;
use std::fmt;
use std::sync::Arc;

/// Severity of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The graph does not load.
    Error,
    /// The graph loads, but probably not as intended.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One finding about the input. It is returned as an error, so it is kept small: lists are boxed
/// slices.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// The result code that a C caller receives.
    pub code: ResultCode,
    /// Name of the check rule that found it; `None` for findings of a load.
    pub rule: Option<&'static str>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place to underline; `None` if the finding concerns no text.
    pub span: Option<Span>,
    /// Text next to the underline; may be empty.
    pub label: Box<str>,
    /// Remedies.
    pub help: Box<[String]>,
    /// Other relevant places, such as "first defined here".
    pub notes: Box<[(Span, String)]>,
}

impl Diagnostic {
    /// An error that a C caller sees as `code`.
    #[must_use]
    pub fn error(code: ResultCode, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            rule: None,
            message: message.into(),
            span: None,
            label: Box::default(),
            help: Box::default(),
            notes: Box::default(),
        }
    }

    /// A warning; its code is [`ResultCode::SUCCESS`].
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(ResultCode::SUCCESS, message) }
    }

    /// Turns the finding into a warning, for callers that can continue.
    #[must_use]
    pub fn as_warning(self) -> Self {
        Self { severity: Severity::Warning, code: ResultCode::SUCCESS, ..self }
    }

    /// Sets the place to underline.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the rule that found it.
    #[must_use]
    pub fn found_by(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Sets the text next to the underline.
    #[must_use]
    pub fn label(mut self, label: impl Into<Box<str>>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        push(&mut self.help, help.into());
        self
    }

    /// Adds the help line "did you mean …?" if a candidate is close enough.
    #[must_use]
    pub fn suggest(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Adds another relevant place.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        push(&mut self.notes, (span, text.into()));
        self
    }
}

fn push<T>(list: &mut Box<[T]>, item: T) {
    let mut items = std::mem::take(list).into_vec();
    items.push(item);
    *list = items.into_boxed_slice();
}

/// Has the causes as help. It has a place only if the error has one.
impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        use std::error::Error as _;
        let mut diagnostic = Self::error(error.code(), error.to_string());
        diagnostic.span = error.place().cloned();
        let mut source = error.source();
        while let Some(cause) = source {
            diagnostic = diagnostic.help(format!("cause: {cause}"));
            source = cause.source();
        }
        diagnostic
    }
}

/// One line: `file:line:column: error: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(span) = &self.span {
            let (line, column) = span.line_column();
            write!(formatter, "{}:{line}:{column}: ", one_line(&span.source.name))?;
        }
        write!(formatter, "{}: {}", self.severity, one_line(&self.message))
    }
}

impl std::error::Error for Diagnostic {}

/// All findings of a load, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    findings: Vec<Diagnostic>,
    /// Those of them that are errors. Counted, because loading asks at each mistake.
    errors: usize,
}

impl Diagnostics {
    /// Highest number of errors, and of warnings, to show.
    pub const SHOWN: usize = 20;

    /// An empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.findings.push(diagnostic);
    }

    /// Sorts the findings by place: files in the order in which they first occur, each from top to
    /// bottom; findings without a place come last.
    pub fn sort_by_place(&mut self) {
        let mut sources: Vec<*const Source> = Vec::new();
        let mut keys = Vec::with_capacity(self.findings.len());
        for diagnostic in &self.findings {
            keys.push(diagnostic.span.as_ref().map_or((usize::MAX, 0), |span| {
                let source = Arc::as_ptr(&span.source);
                let known = sources.iter().position(|known| *known == source);
                let file = known.unwrap_or_else(|| {
                    sources.push(source);
                    sources.len() - 1
                });
                (file, span.start())
            }));
        }
        let mut keyed: Vec<_> = keys.into_iter().zip(std::mem::take(&mut self.findings)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        self.findings = keyed.into_iter().map(|(_, diagnostic)| diagnostic).collect();
    }

    /// Whether there are errors, so that the graph cannot load.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Number of errors.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Number of warnings.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.findings.len() - self.errors
    }

    /// The findings in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.findings.iter()
    }

    /// The code of the first error, which a C caller receives.
    #[must_use]
    pub fn code(&self) -> ResultCode {
        let mut errors =
            self.findings.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.next().map_or(ResultCode::SUCCESS, |diagnostic| diagnostic.code)
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::from_iter([diagnostic])
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        let mut all = Self::new();
        all.extend(diagnostics);
        all
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.findings.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
