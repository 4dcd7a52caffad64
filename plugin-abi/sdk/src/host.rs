//! The host's function table.
//!
//! Each library that contains this crate (every extension, and the host itself) has its own pointer
//! to the process's one table. The factory symbol or the host's start-up sets it.

use crate::abi::{HostTable, Text};
use crate::{Error, Result, ResultCode, text_lossy, text_of};
use core::sync::atomic::{AtomicPtr, Ordering};

static HOST: AtomicPtr<HostTable> = AtomicPtr::new(core::ptr::null_mut());

/// Sets this library's pointer to the host's table.
pub fn set_host(table: &'static HostTable) {
    HOST.store(core::ptr::from_ref(table).cast_mut(), Ordering::Release);
}

/// The host's table.
///
/// # Panics
/// If no host loaded this library, as in a unit test of an extension.
#[inline]
#[must_use]
pub fn host() -> &'static HostTable {
    // Relaxed would work on all known machines, because the constant table exists before the
    // library is loaded. Acquire pairs with the Release of `set_host` and costs nothing on x86.
    let table = HOST.load(Ordering::Acquire);
    // SAFETY: only `set_host` writes the pointer, and it takes a `'static` reference.
    unsafe { table.as_ref() }.expect("this library is not loaded by a gxe host")
}

/// A function of a library's table. As it is declared for C, Rust assumes that it throws nothing, and
/// leaves out what must run if it does all the same: the host would lose its note about the call, and
/// could name nobody.
pub trait MayThrow {
    /// The same function, of which the caller assumes nothing.
    type Unwinding;

    /// The same function.
    fn unwinding(self) -> Self::Unwinding;
}

macro_rules! may_throw {
    ($($($argument:ident)*;)*) => { $(
        impl<R, $($argument),*> MayThrow for unsafe extern "C" fn($($argument),*) -> R {
            type Unwinding = unsafe extern "C-unwind" fn($($argument),*) -> R;

            #[inline(always)]
            fn unwinding(self) -> Self::Unwinding {
                // SAFETY: the two differ only in what the caller assumes.
                unsafe { core::mem::transmute(self) }
            }
        }
    )* };
}

may_throw! { A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

/// Converts the code of a host call into a result, with the host's text for it.
#[inline]
pub fn check(code: ResultCode) -> Result<()> {
    if code.is_success() { Ok(()) } else { Err(failed(code)) }
}

#[cold]
fn failed(code: ResultCode) -> Error {
    // SAFETY: `last_error` may be called at any time; its text is valid until this thread's next
    // host call, and is copied before that.
    let text = unsafe { text_lossy((host().last_error)()) };
    Error::new(code, text)
}

/// Reports an error to the host and returns its code, for functions that the host calls.
#[cold]
#[must_use]
pub fn report(error: &Error) -> ResultCode {
    let text: Text = text_of(error.message());
    // An empty text is reported too, to replace an older one.
    // SAFETY: the host copies the text during the call.
    unsafe { (host().report_error)(text) };
    error.code()
}
