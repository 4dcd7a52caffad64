//! The text of an error, which travels beside its code: left on the thread, read by whoever called.

use super::text;
use crate::error::Result;
use gxf_plugin_abi::{ResultCode, Text};
use std::cell::{Cell, RefCell};

/// Text of the last failure on a thread.
#[derive(Default)]
struct LastError {
    /// Not asked for yet, and the call it was left in.
    fresh: Option<(u64, String)>,
    /// What `last_error` handed out last; the border's caller may still look at it.
    shown: String,
}

thread_local! {
    static LAST_ERROR: RefCell<LastError> = RefCell::default();
    /// Number of the call into an extension this thread is in.
    static CALL: Cell<u64> = const { Cell::new(0) };
}

/// A call into an extension begins: texts left before do not belong to it.
#[inline]
pub(crate) fn begin_call() {
    CALL.set(CALL.get() + 1);
}

fn leave(text: String) {
    LAST_ERROR.with_borrow_mut(|last| last.fresh = Some((CALL.get(), text)));
}

/// The text the extension left in the call that began last on this thread, if any.
pub(crate) fn take_reported() -> Option<String> {
    let left = LAST_ERROR.with_borrow_mut(|last| last.fresh.take());
    left.filter(|(call, text)| *call == CALL.get() && !text.is_empty()).map(|(_, text)| text)
}

/// The code of a result; an error is left for the caller to read.
pub(super) fn finish(result: Result<()>) -> ResultCode {
    match result {
        Ok(()) => ResultCode::SUCCESS,
        Err(error) => {
            let error = gxf::Error::from(error);
            leave(error.message().to_owned());
            error.code()
        }
    }
}

/// The code of what `body` comes to; its error is left for the caller to read.
pub(super) fn answer(body: impl FnOnce() -> Result<()>) -> ResultCode {
    finish(body())
}

pub(super) unsafe extern "C" fn report_error(reported: Text) {
    // SAFETY: the extension's promise.
    leave(unsafe { text(reported) }.unwrap_or("(the error text is not UTF-8)").to_owned());
}

pub(super) unsafe extern "C" fn last_error() -> Text {
    LAST_ERROR.with_borrow_mut(|last| {
        last.shown = last.fresh.take().map(|(_, text)| text).unwrap_or_default();
        gxf::text_of(&last.shown)
    })
}
