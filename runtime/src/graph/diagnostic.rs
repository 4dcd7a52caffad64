//! What was wrong with the user's input, where, and what would be right.

use super::check::RuleNumber;
pub use super::source::{Source, Span};
use crate::error::Error;
use gxf_plugin_abi::ResultCode;
use std::fmt;
use std::sync::Arc;

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The graph is not loaded.
    Error,
    /// The graph is loaded, but probably not as meant.
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

/// One finding about the input.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The result code that a C caller receives.
    pub code: ResultCode,
    /// The rule of [`crate::graph::check`] that found it; none for what a load finds.
    pub rule: Option<RuleNumber>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place that is underlined; none if the finding concerns no text.
    pub span: Option<Span>,
    /// Text beside the underlining; may be empty.
    pub label: Box<str>,
    /// What to do about it.
    pub help: Vec<String>,
    /// Other places that matter, such as "first defined here".
    pub notes: Vec<(Span, String)>,
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
            help: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A warning; its code is [`ResultCode::SUCCESS`].
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(ResultCode::SUCCESS, message) }
    }

    /// The same as a warning, for whoever can go on all the same.
    #[must_use]
    pub fn as_warning(self) -> Self {
        Self { severity: Severity::Warning, code: ResultCode::SUCCESS, ..self }
    }

    /// Underlines a place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Names the rule that found it.
    #[must_use]
    pub fn found_by(mut self, rule: RuleNumber) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Puts a text beside the underlining.
    #[must_use]
    pub fn label(mut self, label: impl Into<Box<str>>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a line about what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds the help line "did you mean …?" if there is a nearest name.
    #[must_use]
    pub fn suggest(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push((span, text.into()));
        self
    }
}

/// With the causes as help; the place has to be added unless the error has one.
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

/// The text with control characters written as escapes, so that it cannot steer a terminal.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// Characters that a terminal acts upon instead of showing them: controls and the marks that turn
/// the direction of writing.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Everything that was found in one load, in the order it was found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// How many errors, and how many warnings, are shown at most.
    pub const SHOWN: usize = 20;

    /// An empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Puts the findings into the order of their places: file by file in the order in which the
    /// files first occur, from top to bottom; those without a place come last.
    pub fn sort_by_place(&mut self) {
        let mut sources: Vec<*const Source> = Vec::new();
        let mut keys = Vec::with_capacity(self.0.len());
        for diagnostic in &self.0 {
            keys.push(diagnostic.span.as_ref().map_or((usize::MAX, 0), |span| {
                let source = Arc::as_ptr(&span.source);
                let known = sources.iter().position(|known| *known == source);
                let file = known.unwrap_or_else(|| {
                    sources.push(source);
                    sources.len() - 1
                });
                (file, span.start)
            }));
        }
        let mut keyed: Vec<_> = keys.into_iter().zip(std::mem::take(&mut self.0)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        self.0 = keyed.into_iter().map(|(_, diagnostic)| diagnostic).collect();
    }

    /// Whether the graph cannot be loaded.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Number of errors.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// Number of warnings.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    /// The findings in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// The code of the first error, which is what a C caller receives.
    #[must_use]
    pub fn code(&self) -> ResultCode {
        let mut errors = self.0.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.next().map_or(ResultCode::SUCCESS, |diagnostic| diagnostic.code)
    }

    /// The findings as text for a terminal: each with an underlined excerpt, at most
    /// [`Self::SHOWN`] errors and as many warnings.
    #[must_use]
    pub fn render(&self, styled: bool) -> String {
        super::render::render(self, styled)
    }

    fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        self.0.extend(diagnostics);
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        Self(diagnostics.into_iter().collect())
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
