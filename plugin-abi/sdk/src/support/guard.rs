//! Keeps panics from crossing the ABI boundary: panics become errors, errors become code and text.

use crate::host::report;
use crate::{Error, Result, ResultCode, abi};
use core::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Text and place of the latest panic on this thread, until a callback takes it.
    static PANIC: RefCell<Panic> = const { RefCell::new(Panic(None)) };
}

/// Shows an uncaught panic of an extension's own thread when that thread ends.
struct Panic(Option<String>);

impl Drop for Panic {
    fn drop(&mut self) {
        if let Some(text) = &self.0 {
            eprintln!("a thread of an extension {text}");
        }
    }
}

/// Makes panics inside callbacks end as errors instead of lines on standard error. Entering a
/// callback costs nothing: the hook stores the text, and the handler that catches the panic takes
/// it.
pub fn install_panic_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line()));
            let text = info.payload_as_str().unwrap_or("a panic without a text");
            let text = format!("panicked{}: {text}", place.unwrap_or_default());
            // A second panic while the first unwinds: the thread is lost, and so is the text.
            let _ = PANIC.try_with(|slot| drop(slot.replace(Panic(Some(text)))));
        }));
    });
}

#[cold]
fn panicked(payload: &(dyn core::any::Any + Send)) -> Error {
    // Destructors of a thread that ends may run callbacks after the thread's slot is gone.
    let left = PANIC.try_with(|slot| slot.borrow_mut().0.take()).ok().flatten();
    let text = left.unwrap_or_else(|| {
        let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        format!("panicked: {}", text.as_deref().unwrap_or("a panic without a text"))
    });
    Error::failure(text)
}

#[inline]
fn caught<R>(body: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

/// Runs the body of a callback and converts panics and errors.
#[inline]
pub fn guard(body: impl FnOnce() -> Result<()>) -> ResultCode {
    // The code is made inside, so that success is decided once.
    let ended = catch_unwind(AssertUnwindSafe(|| match body() {
        Ok(()) => ResultCode::SUCCESS,
        Err(error) => report(&error),
    }));
    ended.unwrap_or_else(|payload| report(&panicked(&*payload)))
}

/// Return value of a callback that cannot report errors.
pub trait Fallback {
    /// The value.
    fn fallback() -> Self;
}

macro_rules! fallbacks {
    ($($type:ty = $value:expr;)*) => {
        $(impl Fallback for $type { fn fallback() -> Self { $value } })*
    };
}

fallbacks! {
    bool = false;
    i32 = -1;
    i64 = 0;
    u64 = 0;
    usize = 0;
    *const u8 = core::ptr::null();
    *mut core::ffi::c_void = core::ptr::null_mut();
    abi::StorageType = abi::StorageType::SYSTEM;
    abi::AllocatorStatistics = abi::AllocatorStatistics::default();
    abi::ControllerStatus = abi::ControllerStatus { behavior: 4, execution: 3 };
    abi::LinkState = abi::LinkState::ENDED;
    abi::AsynchronousEventState = abi::AsynchronousEventState::EVENT_NEVER;
}

/// Like [`guard`], for callbacks that return a plain value: logs errors.
#[inline]
pub fn guard_value<R: Fallback>(body: impl FnOnce() -> Result<R>) -> R {
    caught(body).unwrap_or_else(|error| {
        crate::error!("{error}");
        R::fallback()
    })
}
