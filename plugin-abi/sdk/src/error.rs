//! The error type of extensions.

use crate::ResultCode;

/// What went wrong: a result code for programs, a text for people.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    code: ResultCode,
    message: String,
}

/// Result with [`Error`].
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// An error with a code and a text that says what happened and with which values.
    #[must_use]
    pub fn new(code: ResultCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// An error with code `GXF_FAILURE`.
    #[must_use]
    pub fn failure(message: impl Into<String>) -> Self {
        Self::new(ResultCode::FAILURE, message)
    }

    /// The result code.
    #[must_use]
    pub fn code(&self) -> ResultCode {
        self.code
    }

    /// The text; may be empty.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Puts `context: ` before the text.
    #[must_use]
    pub fn context(mut self, context: impl core::fmt::Display) -> Self {
        self.message = if self.message.is_empty() {
            format!("{context}: {}", self.code)
        } else {
            format!("{context}: {}", self.message)
        };
        self
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.message.is_empty() {
            write!(formatter, "{}", self.code)
        } else {
            formatter.write_str(&self.message)
        }
    }
}

impl core::fmt::Debug for Error {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

impl From<ResultCode> for Error {
    fn from(code: ResultCode) -> Self {
        Self::new(code, "")
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => ResultCode::FILE_NOT_FOUND,
            std::io::ErrorKind::OutOfMemory => ResultCode::OUT_OF_MEMORY,
            _ => ResultCode::FAILURE,
        };
        Self::new(code, error.to_string())
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::failure(message)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::failure(message)
    }
}
