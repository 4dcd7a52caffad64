//! The text of an error, which accompanies its code: stored for the thread, read by the caller.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use gxf_app::error::{Error, Result};
use gxf_plugin_abi::{ResultCode, Text};
use std::cell::{Cell, RefCell};

/// Text of a thread's last failure.
#[derive(Default)]
struct LastError {
    /// A text that was not read yet, and the call that stored it.
    fresh: Option<(u64, String)>,
    /// The latest text that `last_error` returned; its caller may still read it.
    shown: String,
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

fn leave(text: String) {
    _ = LAST_ERROR.try_with(|last| last.borrow_mut().fresh = Some((CALL.get(), text)));
}

/// The text that the extension stored in this thread's latest call, if any.
pub fn take_reported() -> Option<String> {
    let left = LAST_ERROR.try_with(|last| last.borrow_mut().fresh.take()).ok().flatten();
    left.filter(|(call, text)| *call == CALL.get() && !text.is_empty()).map(|(_, text)| text)
}

/// The code of a result; stores an error's text for the caller.
pub fn finish(result: Result<()>) -> ResultCode {
    match result {
        Ok(()) => ResultCode::SUCCESS,
        Err(error) => {
            let error = gxf::Error::from(error);
            leave(error.message().to_owned());
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
    leave(unsafe { gxf::text_lossy(reported) }.into_owned());
}

/// `last_error` of the host table: the text of this thread's last failure, valid until the thread
/// calls this function again.
///
/// # Safety
/// No requirements.
pub unsafe extern "C" fn last_error() -> Text {
    let shown = LAST_ERROR.try_with(|last| {
        let mut last = last.borrow_mut();
        last.shown = last.fresh.take().map(|(_, text)| text).unwrap_or_default();
        gxf::text_of(&last.shown)
    });
    shown.unwrap_or(gxf::text_of(""))
}
