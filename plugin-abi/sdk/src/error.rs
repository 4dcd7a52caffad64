//! The error type of extensions.

use crate::ResultCode;
use core::num::NonZeroI32;

/// An error: a result code for programs and a text for people.
///
/// It is two words long, and a code without a text needs no heap memory: the path of every message
/// passes errors.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    /// Never 0, so `Ok` fits into a `Result<()>` of the same size.
    code: NonZeroI32,
    #[expect(clippy::box_collection, reason = "one word instead of three, see above")]
    message: Option<Box<String>>,
}

/// Result with [`Error`].
pub type Result<T> = core::result::Result<T, Error>;

const FAILURE: NonZeroI32 = NonZeroI32::new(ResultCode::FAILURE.0).expect("GXF_FAILURE is 1");

impl Error {
    /// An error with a code and a text, which should say what happened and with which values.
    #[must_use]
    pub fn new(code: ResultCode, message: impl Into<String>) -> Self {
        let message = Some(message.into()).filter(|text| !text.is_empty()).map(Box::new);
        Self { message, ..Self::from(code) }
    }

    /// An error with code `GXF_FAILURE`.
    #[must_use]
    pub fn failure(message: impl Into<String>) -> Self {
        Self::new(ResultCode::FAILURE, message)
    }

    /// The result code.
    #[must_use]
    pub fn code(&self) -> ResultCode {
        ResultCode(self.code.get())
    }

    /// The text; may be empty.
    #[must_use]
    pub fn message(&self) -> &str {
        self.message.as_ref().map_or("", |text| text.as_str())
    }

    /// Prefixes the text with `context: `.
    #[must_use]
    pub fn context(self, context: impl core::fmt::Display) -> Self {
        Self::new(self.code(), format!("{context}: {self}"))
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.message() {
            "" => write!(formatter, "{}", self.code()),
            text => formatter.write_str(text),
        }
    }
}

impl core::fmt::Debug for Error {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{}: {}", self.code(), self.message())
    }
}

impl std::error::Error for Error {}

impl From<ResultCode> for Error {
    fn from(code: ResultCode) -> Self {
        // The code 0 (success) makes no sense in an error; it becomes a failure.
        let code = NonZeroI32::new(code.0).unwrap_or(FAILURE);
        Self { code, message: None }
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

impl From<crate::units::UnitError> for Error {
    fn from(error: crate::units::UnitError) -> Self {
        Self::new(ResultCode::ARGUMENT_INVALID, error.to_string())
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
