//! The end of a program by a fatal signal, as GXF's Python module prints it.

#![expect(unsafe_code, reason = "installs signal handlers")]

use libc::c_int;
use pyo3::prelude::*;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

const SIGNALS: [(c_int, &str); 2] = [
    (libc::SIGSEGV, "Caught signal 11 (SIGSEGV)\n"),
    (libc::SIGABRT, "Caught signal 6 (SIGABRT)\n"),
];

/// The handlers before `announce`.
static BEFORE: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; 2];

/// Ends the program at SIGSEGV and SIGABRT with the status 1, after a banner and the places of all Python
/// threads.
#[pyfunction]
pub fn report_crashes(py: Python<'_>) -> PyResult<()> {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    if IS_DONE.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let faulthandler = py.import("faulthandler")?;
    // Its handlers hand over to those before them. A program that enabled it chose how it ends.
    if !faulthandler.call_method0("is_enabled")?.is_truthy()? {
        for (signal, _) in SIGNALS {
            install(signal, end);
        }
        faulthandler.call_method1("enable", (libc::STDERR_FILENO,))?;
    }
    for ((signal, _), before) in SIGNALS.iter().zip(&BEFORE) {
        if let Some(known) = install(*signal, announce) {
            _ = before.set(known);
        }
    }
    Ok(())
}

/// Returns the previous handler.
fn install(signal: c_int, handler: extern "C" fn(c_int)) -> Option<libc::sigaction> {
    // SAFETY: a zeroed `sigaction` has no flags and an empty mask; the handlers have the form of one
    // without SA_SIGINFO and do only what a signal handler may.
    unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = handler as usize;
        // On a separate stack, if the thread has one: its own may be exhausted.
        ours.sa_flags = libc::SA_ONSTACK;
        let mut theirs: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(signal, &raw const ours, &raw mut theirs) == 0).then_some(theirs)
    }
}

/// Writes the banner, and lets the previous handler go on.
extern "C" fn announce(signal: c_int) {
    let at = SIGNALS.iter().position(|(known, _)| *known == signal).unwrap_or_default();
    write("==== GXF Python Crash Handler ====\n");
    write(SIGNALS[at].1);
    write("==== Crash Handler Backtrace ====\n");
    let Some(before) = BEFORE[at].get() else { return end(signal) };
    // SAFETY: the handler is as the system returned it; both functions are safe to call here. The signal
    // comes again once this function has returned.
    unsafe {
        libc::sigaction(signal, before, null_mut());
        libc::raise(signal);
    }
}

extern "C" fn end(_: c_int) {
    // SAFETY: ends the process at once, which is safe in a signal handler.
    unsafe { libc::_exit(1) }
}

fn write(text: &str) {
    // SAFETY: the text is valid; `write` is safe to call in a signal handler.
    _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}
