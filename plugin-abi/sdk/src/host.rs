//! The host's function table as this library knows it.
//!
//! Each library that contains this crate (every extension, and the host itself) has one pointer to
//! the one table of the process; the factory symbol or the host's start-up sets it.

use crate::abi::{HostTable, Text};
use crate::{Error, Result, ResultCode, text_of, text_to_str};
use core::sync::atomic::{AtomicPtr, Ordering};

static HOST: AtomicPtr<HostTable> = AtomicPtr::new(core::ptr::null_mut());

/// Tells this library where the host's table is.
pub fn set_host(table: &'static HostTable) {
    HOST.store(core::ptr::from_ref(table).cast_mut(), Ordering::Release);
}

/// The host's table.
///
/// # Panics
/// When no host loaded this library (a unit test of an extension, say).
#[inline]
#[must_use]
pub fn host() -> &'static HostTable {
    // Relaxed would do on every machine we know: the table is constant and was there before the
    // library was loaded. Acquire pairs with the Release of `set_host` and costs nothing on x86.
    let table = HOST.load(Ordering::Acquire);
    // SAFETY: only `set_host` writes the pointer, and it takes a `'static` reference.
    unsafe { table.as_ref() }.expect("this library is not loaded by a gxe host")
}

/// Turns the code of a host call into a result, with the text the host left for it.
#[inline]
pub fn check(code: ResultCode) -> Result<()> {
    if code.is_success() { Ok(()) } else { Err(failed(code)) }
}

#[cold]
fn failed(code: ResultCode) -> Error {
    // SAFETY: `last_error` may be called at any time; its text is valid until the next host call
    // of this thread, and it is copied at once.
    let text = unsafe { text_to_str((host().last_error)()) };
    Error::new(code, text.unwrap_or_default())
}

/// Hands an error to the host and returns its code, for functions called by the host.
#[cold]
#[must_use]
pub fn report(error: &Error) -> ResultCode {
    let text: Text = text_of(error.message());
    // An empty text too: it takes the place of an older one.
    // SAFETY: the host copies the text during the call.
    unsafe { (host().report_error)(text) };
    error.code()
}
