//! The text of an error, which accompanies its code: stored for the thread, read by the caller.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use gxf_app::error::{Error, Result};
use gxf_plugin_abi::{ResultCode, Text};
use std::cell::{Cell, RefCell};

/// Text of a thread's last failure.
#[derive(Default)]
struct LastError {
    /// A text that was not read yet.
    fresh: Option<Left>,
    /// The latest text that `last_error` returned; its caller may still read it.
    shown: String,
}

/// A text that a failure left.
struct Left {
    /// The call into an extension during which it was stored.
    call: u64,
    /// The code that a function of the host returned with it; `None` if the extension reported it.
    code: Option<ResultCode>,
    text: String,
}

thread_local! {
    /// Gone when the thread ends, while code of extensions may still run on it: their destructors.
    /// Their callers do not read errors.
    static LAST_ERROR: RefCell<LastError> = RefCell::default();
    /// Number of this thread's current call into an extension.
    static CALL: Cell<u64> = const { Cell::new(0) };
}

/// Starts a call into an extension: earlier texts do not belong to it.
#[inline]
pub fn begin_call() {
    CALL.set(CALL.get() + 1);
}

fn leave(code: Option<ResultCode>, text: String) {
    let left = Left { call: CALL.get(), code, text };
    _ = LAST_ERROR.try_with(|last| last.borrow_mut().fresh = Some(left));
}

/// The text that was stored in this thread's latest call into an extension, which returned `code`. A function
/// of the host that failed with another code may have nothing to do with that, so the text says so.
pub fn take_reported(code: ResultCode) -> Option<String> {
    let left = LAST_ERROR.try_with(|last| last.borrow_mut().fresh.take()).ok().flatten();
    let Left { code: of, text, .. } =
        left.filter(|left| left.call == CALL.get() && !left.text.is_empty())?;
    Some(match of {
        Some(of) if of != code => format!("a call in it had failed: {text}"),
        _ => text,
    })
}

/// The code of a result; stores an error's text for the caller.
pub fn finish(result: Result<()>) -> ResultCode {
    match result {
        Ok(()) => ResultCode::SUCCESS,
        Err(error) => {
            let error = gxf::Error::from(error);
            leave(Some(error.code()), error.message().to_owned());
            error.code()
        }
    }
}

/// The code of `body`'s result; stores an error's text for the caller.
pub fn answer(body: impl FnOnce() -> Result<()>) -> ResultCode {
    finish(body())
}

/// A text from an extension.
///
/// # Errors
/// `ARGUMENT_INVALID` if it is not UTF-8.
///
/// # Safety
/// `text` must be null or readable for its length.
pub unsafe fn text<'a>(text: Text) -> Result<&'a str> {
    // SAFETY: `text` is null or readable for its length.
    unsafe { gxf::text_to_str(text) }
        .ok_or_else(|| Error::new(ResultCode::ARGUMENT_INVALID, "a text is not UTF-8"))
}

/// `report_error` of the host table: the text belongs to the thread's current call.
///
/// # Safety
/// `reported` must be null or readable for its length.
pub unsafe extern "C" fn report_error(reported: Text) {
    // SAFETY: `reported` is null or readable for its length.
    leave(None, unsafe { gxf::text_lossy(reported) }.into_owned());
}

/// `last_error` of the host table: the text of this thread's last failure, valid until the thread
/// calls this function again.
///
/// # Safety
/// No requirements.
pub unsafe extern "C" fn last_error() -> Text {
    let shown = LAST_ERROR.try_with(|last| {
        let mut last = last.borrow_mut();
        last.shown = last.fresh.take().map(|left| left.text).unwrap_or_default();
        gxf::text_of(&last.shown)
    });
    shown.unwrap_or(gxf::text_of(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_another_failure_is_told_as_such() {
        let fail = || {
            begin_call();
            finish(Err(Error::new(ResultCode::FACTORY_UNKNOWN_CLASS_NAME, "no such type")))
        };
        assert_eq!(take_reported(fail()).as_deref(), Some("no such type"));
        fail();
        let told = take_reported(ResultCode::FAILURE);
        assert_eq!(told.as_deref(), Some("a call in it had failed: no such type"));
        fail();
        begin_call();
        assert_eq!(take_reported(ResultCode::FAILURE), None);
    }
}
