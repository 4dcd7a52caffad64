//! Whose code was called when the process is ended from within: by a fatal signal, as after a wrong
//! pointer or `abort`, or by somebody who calls `exit`.
//!
//! Each thread knows which call of an extension's code it makes: calls outside of a run leave a note
//! on their stack, and within a run the thread knows the runner it executes. The signal handler
//! writes one line from that, with nothing but reads of memory and `write`, and lets the signal take
//! its course: the process ends as it would have.

use crate::entity::runner::Runner;
use crate::extension::TypeInfo;
use crate::graph::diagnostic::is_hidden;
use libc::{c_int, c_void};
use std::cell::Cell;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The code that a call leads to.
#[derive(Clone, Copy)]
pub(crate) enum Callee<'a> {
    /// A library that is opened, or another file that is read.
    File(&'a Path),
    /// A component; empty names are left out.
    Component { entity: &'a str, name: &'a str, type_info: &'a TypeInfo },
}

/// A call that has not returned.
struct Note<'a> {
    callee: Callee<'a>,
    function: &'static str,
    /// The runner that the thread executed when the call began: while it is another one, that is
    /// within the call.
    runner: *const Runner,
}

thread_local! {
    static INNERMOST: Cell<*const Note<'static>> = const { Cell::new(null()) };
}

/// Makes a call of the calling thread known as long as it lasts.
pub(crate) fn noted<R>(callee: Callee<'_>, function: &'static str, call: impl FnOnce() -> R) -> R {
    /// Also when the call panics.
    struct Restore(*const Note<'static>);
    impl Drop for Restore {
        fn drop(&mut self) {
            INNERMOST.set(self.0);
        }
    }
    let note = Note { callee, function, runner: Runner::executing() };
    let _outer = Restore(INNERMOST.replace((&raw const note).cast()));
    call()
}

/// Signals that end a process because of what its code did.
const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGABRT, "SIGABRT"),
];

/// Who handled each of [`SIGNALS`] before: Rust itself tells an overflow of the stack.
static BEFORE: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; 5];

/// Something was told; what comes after is a consequence.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Nobody watches any more: the program ends of its own.
static ENDS: AtomicBool = AtomicBool::new(true);

/// The exit status of a process that somebody ends with status 0.
static FAILED: AtomicI32 = AtomicI32::new(1);

/// As long as it lives, the end of the process from within is told.
#[must_use]
pub struct FatalWatch(());

/// Says in a line on standard error which library was being loaded, or which component's function
/// was being called, when the process is ended by a fatal signal or by `exit`. A signal still ends
/// it; an `exit` with status 0, which claims success, ends with `failed`.
///
/// For programs that own their process, once.
pub fn watch_for_fatal_ends(failed: u8) -> FatalWatch {
    FAILED.store(failed.into(), Ordering::Relaxed);
    ENDS.store(false, Ordering::Relaxed);
    for ((signal, _), before) in SIGNALS.iter().zip(&BEFORE) {
        // SAFETY: a zeroed `sigaction` has no flags and an empty mask; the handler has the form that
        // SA_SIGINFO asks for and does only what a signal handler may. Without it the process ends
        // as before, so a refusal does not matter.
        unsafe {
            let mut ours: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
            ours.sa_sigaction = handler as usize;
            // On a stack of its own: that of the thread may be used up.
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            let mut theirs: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(*signal, &raw const ours, &raw mut theirs) == 0 {
                _ = before.set(theirs);
            }
        }
    }
    #[cfg(target_env = "gnu")]
    // SAFETY: the function has the form that is asked for and needs no argument.
    unsafe {
        on_exit(exits, null_mut());
    }
    FatalWatch(())
}

impl Drop for FatalWatch {
    fn drop(&mut self) {
        ENDS.store(true, Ordering::Relaxed);
    }
}

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    /// As `atexit`, with the exit status.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let known = SIGNALS.iter().position(|(known, _)| *known == signal).unwrap_or_default();
    if !TOLD.swap(true, Ordering::Relaxed) {
        let mut line = Line::begin("killed by ");
        line.text(SIGNALS[known].1);
        line.place();
        line.write();
    }
    // SAFETY: what the system handed out when ours was set; all three functions are safe to call in
    // a signal handler, and `info` is the system's.
    unsafe {
        let before = BEFORE[known].get().map_or(null(), std::ptr::from_ref);
        libc::sigaction(signal, before, null_mut());
        // An instruction that failed fails again. What somebody sent has to be sent again.
        if (*info).si_code <= 0 {
            libc::raise(signal);
        }
    }
}

#[cfg(target_env = "gnu")]
extern "C" fn exits(status: c_int, _: *mut c_void) {
    if ENDS.load(Ordering::Relaxed) || TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut line = Line::begin("ended by a call of exit()");
    line.place();
    line.write();
    if status == 0 {
        // SAFETY: what C's streams hold is written, as `exit` would do, and the process ends.
        unsafe {
            libc::fflush(null_mut());
            libc::_exit(FAILED.load(Ordering::Relaxed));
        }
    }
}

/// A line without memory from the heap.
struct Line {
    bytes: [u8; 1024],
    length: usize,
}

impl Line {
    fn begin(text: &str) -> Self {
        let mut line = Self { bytes: [0; 1024], length: 0 };
        line.text("gxe: ");
        line.text(text);
        line
    }

    /// Adds a text, up to the end of the line.
    fn text(&mut self, text: &str) {
        for character in text.chars() {
            let shown = if is_hidden(character) { '?' } else { character };
            // The last byte is for the line break.
            let free = self.bytes.len() - 1 - self.length;
            if shown.len_utf8() > free {
                return;
            }
            self.length += shown.encode_utf8(&mut self.bytes[self.length..]).len();
        }
    }

    /// Adds what the calling thread was doing.
    fn place(&mut self) {
        let executing = Runner::executing();
        // SAFETY: a note lives until the thread's innermost call is another one again.
        let note = unsafe { INNERMOST.get().as_ref() };
        match note {
            Some(note) if note.runner == executing => self.call(note.callee, note.function),
            // SAFETY: a thread that executes a runner keeps it alive.
            _ => match unsafe { executing.as_ref() } {
                Some(runner) => self.execution(runner),
                None => self.thread(),
            },
        }
    }

    fn call(&mut self, callee: Callee<'_>, function: &str) {
        match callee {
            Callee::File(path) => {
                self.text(" while '");
                self.text(path.to_str().unwrap_or("a file"));
                self.text("' was being loaded");
            }
            Callee::Component { entity, name, type_info } => {
                self.component(function, name, type_info, entity);
            }
        }
    }

    fn execution(&mut self, runner: &Runner) {
        let entity = runner.entity.name();
        match runner.activity() {
            Some((codelet, function)) => {
                self.component(function, &codelet.name, &codelet.type_info, entity);
            }
            None => {
                self.text(" in the execution of entity '");
                self.text(entity);
                self.text("', outside of its codelets");
            }
        }
    }

    fn component(&mut self, function: &str, name: &str, type_info: &TypeInfo, entity: &str) {
        self.text(" in ");
        self.text(function);
        self.text(" of component ");
        if !name.is_empty() {
            self.text("'");
            self.text(name);
            self.text("' ");
        }
        self.text("of type ");
        self.text(&type_info.name);
        self.text(" (extension ");
        self.text(&type_info.extension);
        self.text(")");
        if !entity.is_empty() {
            self.text(" in entity '");
            self.text(entity);
            self.text("'");
        }
    }

    fn thread(&mut self) {
        // Longer than any name of a thread.
        let mut name = [0_u8; 32];
        // SAFETY: the system writes 16 bytes at most.
        unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
        let name = std::ffi::CStr::from_bytes_until_nul(&name).ok();
        self.text(" on the thread '");
        self.text(name.and_then(|name| name.to_str().ok()).unwrap_or_default());
        self.text("', which calls no component: it may be an extension's own");
    }

    fn write(&mut self) {
        self.bytes[self.length] = b'\n';
        // SAFETY: so many bytes are there. Nobody is left to tell that they cannot be written.
        unsafe { libc::write(libc::STDERR_FILENO, self.bytes.as_ptr().cast(), self.length + 1) };
    }
}
