//! The text of the latest error of a thread, for programs whose users should read more than a code.

use gxf_runtime::Error;
use std::cell::RefCell;
use std::ffi::{CString, c_char};

#[derive(Default)]
struct Latest {
    error: Option<Error>,
    /// What the thread was given.
    text: CString,
}

thread_local! {
    /// Gone when the thread ends, while destructors of other libraries may still call the API.
    static LATEST: RefCell<Latest> = RefCell::default();
}

/// Keeps an error until the next one. Its text is made when somebody asks for it.
pub(crate) fn keep(error: Error) {
    _ = LATEST.try_with(|latest| {
        if let Ok(mut latest) = latest.try_borrow_mut() {
            latest.error = Some(error);
        }
    });
}

#[unsafe(no_mangle)]
extern "C" fn GxfLatestErrorText() -> *const c_char {
    let text = LATEST.try_with(|latest| {
        let mut latest = latest.borrow_mut();
        let text = latest.error.as_ref().map(|error| format!("{error:?}")).unwrap_or_default();
        latest.text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        latest.text.as_ptr()
    });
    text.unwrap_or(c"".as_ptr())
}
