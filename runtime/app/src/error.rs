//! The error type of the runtime: a result code for programs, a text for people, a chain of causes,
//! and, for errors in files, the diagnostics.

use crate::{Diagnostics, Span};
use gxf_plugin_abi::{ResultCode, Uid};
use std::sync::Arc;

/// Reports an error.
#[derive(Clone)]
pub struct Error(Box<Content>);

/// Boxed, because the result of every execution may hold an error.
#[derive(Clone)]
struct Content {
    code: ResultCode,
    message: String,
    diagnostics: Option<Box<Diagnostics>>,
    /// The failed component, until its place is known.
    component: Option<Uid>,
    /// What the component was doing.
    stage: Option<Box<str>>,
    place: Option<Span>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// Result with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with a code and a text.
    #[must_use]
    pub fn new(code: ResultCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Content {
            code,
            message,
            diagnostics: None,
            component: None,
            stage: None,
            place: None,
            source: None,
        }))
    }

    /// Adds a cause.
    #[must_use]
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// An error from findings in files; its code is that of the first one.
    #[must_use]
    pub fn from_diagnostics(message: impl Into<String>, diagnostics: Diagnostics) -> Self {
        let code = diagnostics
            .iter()
            .find(|found| found.severity == crate::Severity::Error)
            .map_or(ResultCode::FAILURE, |found| found.code);
        let mut error = Self::new(code, message);
        error.0.diagnostics = Some(Box::new(diagnostics));
        error
    }

    /// Sets the failed component.
    #[must_use]
    pub fn of_component(mut self, cid: Uid) -> Self {
        self.0.component = Some(cid);
        self
    }

    /// Sets what the failed component was doing, `tick` for example.
    #[must_use]
    pub fn in_stage(mut self, stage: &str) -> Self {
        self.0.stage = Some(stage.into());
        self
    }

    /// Adds the place in a file that creates the failed component, if any; `place_of` knows it.
    #[must_use]
    pub fn with_place(mut self, place_of: impl FnOnce(Uid) -> Option<Span>) -> Self {
        self.0.place = self.0.component.and_then(place_of);
        self
    }

    /// The result code, one of GXF's.
    #[must_use]
    pub fn code(&self) -> ResultCode {
        self.0.code
    }

    /// The place in a file that creates the failed component. `None` if no component failed, or if
    /// a program created it.
    #[must_use]
    pub fn place(&self) -> Option<&Span> {
        self.0.place.as_ref()
    }

    /// The failed component, if one failed.
    #[must_use]
    pub fn component(&self) -> Option<Uid> {
        self.0.component
    }

    /// What the failed component was doing: `initialize`, `start`, `tick`, …
    #[must_use]
    pub fn stage(&self) -> Option<&str> {
        self.0.stage.as_deref()
    }

    /// The findings in files that make up the error, if any.
    #[must_use]
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        self.0.diagnostics.as_deref()
    }

    /// What is wrong, in one line: the messages of its findings or, without any, its own.
    #[must_use]
    pub fn what_is_wrong(&self) -> String {
        let findings = self.diagnostics().into_iter().flatten();
        let texts: Vec<_> = findings.map(|finding| finding.message.as_str()).collect();
        if texts.is_empty() { self.to_string() } else { texts.join("; ") }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0.message)
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.0.code, self.0.message)?;
        if let Some(diagnostics) = &self.0.diagnostics {
            write!(formatter, "\n{}", diagnostics.render(false))?;
        }
        if let Some(source) = &self.0.source {
            write!(formatter, "\ncaused by: {source}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<gxf::Error> for Error {
    fn from(error: gxf::Error) -> Self {
        let message = error.to_string();
        Self::new(error.code(), message)
    }
}

impl From<Error> for gxf::Error {
    fn from(error: Error) -> Self {
        use std::error::Error as _;
        let mut message = match error.place() {
            Some(place) => format!("{place}: {error}"),
            None => error.to_string(),
        };
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        if let Some(diagnostics) = error.diagnostics() {
            message.push('\n');
            message.push_str(&diagnostics.render(false));
        }
        Self::new(error.code(), message)
    }
}
