//! Names the code that was running when the process ends from within: by a fatal signal, as after
//! an invalid pointer or `abort`, or by a call of `exit`.
//!
//! Each thread knows which call of an extension it is in: calls outside a run leave a note on the
//! stack, and within a run the thread knows the runner it executes. From that, the signal handler
//! writes one line, using only memory reads and `write`, and lets the signal take effect: the
//! process ends as it would have.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use gxf_app::escape::is_hidden;
use gxf_engine::entity::runner::Runner;
use gxf_plugin::TypeInfo;
use gxf_plugin::call_note::{Callee, Doing, Note, execution, with_doing};
use libc::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Signals that end a process because of what its code did.
const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGABRT, "SIGABRT"),
];

/// The previous handlers of [`SIGNALS`]: Rust itself reports a stack overflow.
static BEFORE: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; 5];

/// Whether a line was written; what follows is a consequence.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Whether the program ends regularly, so that nothing is reported.
static ENDS: AtomicBool = AtomicBool::new(true);

/// The watched process: child processes of extensions are not watched.
static WATCHED: AtomicI32 = AtomicI32::new(0);

/// The exit status of a process that an extension ends with status 0.
static FAILED: AtomicI32 = AtomicI32::new(1);

/// Reports a fatal end of the process while it exists.
#[must_use]
pub struct FatalWatch(());

/// When a fatal signal, `exit` or `quick_exit` ends the process, writes a line to standard error
/// that names the library being loaded or the component being called. A signal still ends the
/// process; an `exit` with status 0, which claims success, and any `quick_exit`, whose status is
/// unknown, end it with `failed`. For `_exit` see [`end_at_once`].
///
/// For programs that own their process, once.
pub fn watch_for_fatal_ends(failed: u8) -> FatalWatch {
    FAILED.store(failed.into(), Ordering::Relaxed);
    WATCHED.store(std::process::id().cast_signed(), Ordering::Relaxed);
    ENDS.store(false, Ordering::Relaxed);
    for ((signal, _), before) in SIGNALS.iter().zip(&BEFORE) {
        // SAFETY: a zeroed `sigaction` has no flags and an empty mask; the handler has the form
        // that SA_SIGINFO requires and does only what a signal handler may. If the call fails, the
        // process ends as before.
        unsafe {
            let mut ours: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
            ours.sa_sigaction = handler as usize;
            // On a separate stack, because the thread's own may be exhausted.
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            let mut theirs: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(*signal, &raw const ours, &raw mut theirs) == 0 {
                _ = before.set(theirs);
            }
        }
    }
    #[cfg(target_env = "gnu")]
    // SAFETY: the functions have the required signatures and no arguments.
    unsafe {
        on_exit(exits, null_mut());
        at_quick_exit(quick_exits);
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
    /// Like `atexit`, with the exit status.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    /// As `atexit`, for `quick_exit`.
    fn at_quick_exit(function: extern "C" fn()) -> c_int;
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let known = SIGNALS.iter().position(|(known, _)| *known == signal).unwrap_or_default();
    if !TOLD.swap(true, Ordering::Relaxed) {
        let mut line = Line::begin("killed by ");
        line.text(SIGNALS[known].1);
        line.place();
        line.write();
    }
    // SAFETY: the previous handler, as the system returned it; all functions are safe to call in a
    // signal handler, and `info` is the system's.
    unsafe {
        // A failed instruction fails again. A signal that a process sent must be sent again, and not
        // to Rust's handler, which relies on the instruction.
        if (*info).si_code <= 0 {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        } else {
            let before = BEFORE[known].get().map_or(null(), std::ptr::from_ref);
            libc::sigaction(signal, before, null_mut());
        }
    }
}

#[cfg(target_env = "gnu")]
extern "C" fn exits(status: c_int, _: *mut c_void) {
    if tell("exit") && status == 0 {
        // SAFETY: what C's streams hold is written, as `exit` would do.
        unsafe { libc::fflush(null_mut()) };
        leave(FAILED.load(Ordering::Relaxed));
    }
}

#[cfg(target_env = "gnu")]
extern "C" fn quick_exits() {
    if tell("quick_exit") {
        leave(FAILED.load(Ordering::Relaxed));
    }
}

/// Ends the process as `_exit`, after the line that [`watch_for_fatal_ends`] describes and with its
/// status. A program that exports `_exit` and `_Exit` hands the calls of extensions to it.
pub fn end_at_once(status: i32) -> ! {
    let failed = FAILED.load(Ordering::Relaxed);
    leave(if tell("_exit") && status == 0 { failed } else { status })
}

/// Reports that this function ends the process. False if that was reported already, if the process
/// is not watched, and in a child process.
fn tell(function: &str) -> bool {
    let is_watched = WATCHED.load(Ordering::Relaxed) == std::process::id().cast_signed()
        && !ENDS.load(Ordering::Relaxed);
    if !is_watched || TOLD.swap(true, Ordering::Relaxed) {
        return false;
    }
    let mut line = Line::begin("ended by a call of ");
    line.text(function);
    line.text("()");
    line.place();
    line.write();
    true
}

/// Ends the process here and now. The function of C's library may be the program's own.
pub(super) fn leave(status: c_int) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::syscall(libc::SYS_exit_group, status) };
    unreachable!("the process has ended")
}

/// How long the line waits for a reader, in milliseconds.
const PATIENCE: c_int = 500;

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

    /// Appends a text, up to the end of the line.
    fn text(&mut self, text: &str) {
        for character in text.chars() {
            let shown = if is_hidden(character) { '?' } else { character };
            // Keeps the last byte for the line break.
            let free = self.bytes.len() - 1 - self.length;
            if shown.len_utf8() > free {
                return;
            }
            self.length += shown.encode_utf8(&mut self.bytes[self.length..]).len();
        }
    }

    /// Appends what the calling thread was doing.
    fn place(&mut self) {
        with_doing(|doing| match doing {
            Doing::Call(note) => self.call(note),
            // SAFETY: the engine notes runners, and a thread that executes one keeps it alive.
            Doing::Execution(runner) => self.execution(unsafe { &*runner.cast::<Runner>() }),
            Doing::Nothing => self.thread(),
        });
    }

    fn call(&mut self, note: &Note<'_>) {
        match note.callee {
            Callee::File(path) => {
                self.text(" while '");
                self.text(path.to_str().unwrap_or("a file"));
                self.text("' was being loaded");
            }
            Callee::Component { eid, name, type_info, .. } => {
                // SAFETY: the engine notes runners, and a thread that executes one keeps it alive.
                let runner = unsafe { execution().cast::<Runner>().as_ref() };
                let entity = match (note.entity(), runner) {
                    ("", Some(runner)) if runner.entity.eid() == eid => runner.entity.name(),
                    (known, _) => known,
                };
                self.component(note.function, name, type_info, entity);
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
        let mut stderr =
            libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
        // SAFETY: one description of a descriptor, and as many bytes as there are. A pipe without a
        // reader must not keep the process from ending; with any room it takes a whole line. A line
        // that cannot be written is lost.
        unsafe {
            if libc::poll(&raw mut stderr, 1, PATIENCE) != 0 {
                let bytes = self.bytes.as_ptr().cast();
                libc::write(libc::STDERR_FILENO, bytes, self.length + 1);
            }
        }
    }
}
