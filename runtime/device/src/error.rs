//! The driver's errors.

use crate::driver::{driver, is_sticky, remedy};
use crate::watch::was_synchronous;
use gxf::{Error, Result, ResultCode};
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Answers that are no errors, or that callers look for.
pub(crate) const SUCCESS: u32 = 0;
/// The driver has shut down because the process ends, and freed everything.
pub(crate) const DEINITIALIZED: u32 = 4;
pub(crate) const NOT_READY: u32 = 600;

/// Whether an answer says nothing of the work, only that somebody captures at the moment.
pub(crate) fn is_of_capture(answer: u32) -> bool {
    matches!(answer, 900 | 901)
}

/// The first error after which the driver refuses all work of this process.
static BROKEN: OnceLock<String> = OnceLock::new();

/// Calls a function of the driver and turns its answer into a result.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::driver::driver().and_then(|driver| {
            $crate::error::check(
                stringify!($function),
                // SAFETY: the caller passes live handles and valid pointers, as each place states.
                unsafe { (driver.api.$function)($($argument),*) },
            )
        })
    };
}
pub(crate) use call;

/// Converts the driver's answer to a call.
pub(crate) fn check(function: &str, answer: u32) -> Result<()> {
    match answer {
        SUCCESS | DEINITIALIZED => Ok(()),
        answer => Err(failed(function, answer)),
    }
}

/// Converts the driver's answer to the question whether something is done.
pub(crate) fn check_done(function: &str, answer: u32) -> Result<bool> {
    match answer {
        NOT_READY => Ok(false),
        answer => check(function, answer).map(|()| true),
    }
}

/// The driver's name of an error.
fn name(number: u32) -> Option<String> {
    let mut name = std::ptr::null();
    // SAFETY: the pointer is valid; the driver's names are constants.
    let answer = unsafe { (driver().ok()?.api.cuGetErrorName)(number, &raw mut name) };
    // SAFETY: as above.
    (answer == SUCCESS && !name.is_null())
        .then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

#[cold]
fn failed(function: &str, number: u32) -> Error {
    // Versions of a function are no names that people know.
    let function = function.split("_v").next().unwrap_or(function);
    let name = name(number).unwrap_or_else(|| "an error without a name".to_owned());
    let mut text = format!("{function} answers {name} ({number})");
    if let Some(remedy) = remedy(number) {
        text += ": ";
        text += remedy;
    }
    if is_sticky(number) {
        let first = BROKEN.get_or_init(|| text.clone());
        let is_first = *first == text;
        // Work may have failed long before.
        if !was_synchronous() {
            text += "; with --cuda-sync, gxe names whose work failed";
        }
        if !is_first {
            text = format!("{text}; the first such error was: {first}");
        }
    }
    let code = match number {
        2 => ResultCode::OUT_OF_MEMORY,
        1 => ResultCode::ARGUMENT_INVALID,
        _ => ResultCode::FAILURE,
    };
    Error::new(code, text)
}

/// Whether a loss, such as that of memory, needs a text of its own: only the first one does after an error
/// that makes all calls fail.
pub(crate) fn is_news() -> bool {
    static TOLD: AtomicBool = AtomicBool::new(false);
    BROKEN.get().is_none() || !TOLD.swap(true, Ordering::Relaxed)
}
