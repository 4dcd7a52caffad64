//! The interpreter's lock on threads that Python did not start.
//!
//! Python makes a thread state when such a thread first takes the lock, and frees it when the
//! thread gives it back, which costs more than a tick. So each thread of the engine keeps its own
//! until it ends.

#![expect(unsafe_code, reason = "keeps thread states by Python's C API")]

use parking_lot::{Mutex, MutexGuard};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The interpreter ends, or this is a forked child: no thread of the engine may take the lock.
static CLOSED: AtomicBool = AtomicBool::new(false);
/// Process that may use the engine, 0 before the first use: its threads do not exist in children.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// The program ends: no run begins any more.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Threads of the engine that call Python or give up their thread states, and threads that go back to Python.
/// Python ends, or stops, a thread that waits for the lock of an interpreter that ends, and cannot do so
/// within functions of Rust. So the interpreter must not end before they are done.
static TAKING: AtomicI32 = AtomicI32::new(0);
/// Calls of Python threads that let go of the lock.
static AWAY: AtomicI32 = AtomicI32::new(0);
/// How long the end of the interpreter waits for each of them at most.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why nothing is executed any more.
const ENDS: &str = "the interpreter ends, and gxe with it";

/// A thread state that is kept.
struct Kept(*mut ffi::PyThreadState);

thread_local! {
    static KEPT: Option<Kept> = keep();
    /// Whether this thread ends the interpreter, and so can take the lock until that is done.
    static ENDS_INTERPRETER: Cell<bool> = const { Cell::new(false) };
}

/// Makes the thread state of a thread without one.
fn keep() -> Option<Kept> {
    // SAFETY: the interpreter runs, because `attached` checks that. A thread with a state belongs
    // to Python or to another library, and keeps its own.
    unsafe {
        if !ffi::PyGILState_GetThisThreadState().is_null() {
            return None;
        }
        ffi::PyGILState_Ensure();
        Some(Kept(ffi::PyEval_SaveThread()))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(_taking) = Taking::begin() {
            // SAFETY: the interpreter runs until this thread has left, and the state is that of this
            // thread, which holds no lock.
            unsafe {
                ffi::PyEval_RestoreThread(self.0);
                ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_UNLOCKED);
            }
        }
    }
}

/// One of `TAKING`.
struct Taking(());

impl Taking {
    /// `None` once the interpreter ends: `close` sees this thread, or this thread sees that it is closed.
    #[inline]
    fn begin() -> Option<Self> {
        TAKING.fetch_add(1, Ordering::SeqCst);
        let taking = Self(());
        (!CLOSED.load(Ordering::SeqCst)).then_some(taking)
    }
}

impl Drop for Taking {
    #[inline]
    fn drop(&mut self) {
        TAKING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether Python can no longer be called.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Acquire)
}

/// Calls `f` with the interpreter's lock; `None` once the interpreter ends.
#[inline]
pub fn attached<R>(f: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    let _taking = Taking::begin()?;
    // A thread that is ending has no thread-locals left, and makes a state for this call alone.
    _ = KEPT.try_with(|_| ());
    Python::try_attach(f)
}

/// Takes the lock of an object that Python threads share. A thread that waits for it lets Python go on,
/// because the one that holds it may call Python meanwhile.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    let wait = || Python::attach(|py| mutex.lock_py_attached(py));
    mutex.try_lock().unwrap_or_else(wait)
}

/// A call of a Python thread for which the end of the interpreter waits.
pub struct Away(());

impl Away {
    pub fn begin() -> Self {
        AWAY.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        AWAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls `f` without the interpreter's lock. Does not return if the interpreter has ended meanwhile.
pub fn detached<R: Send>(py: Python<'_>, f: impl FnOnce() -> R + Send) -> R {
    let _away = Away::begin();
    let (result, _taking) = py.detach(|| {
        let result = f();
        let taking = Taking::begin();
        // A thread that is ending has no thread-locals left, and does not end the interpreter.
        let ends_interpreter = ENDS_INTERPRETER.try_with(Cell::get).unwrap_or(false);
        while taking.is_none() && !ends_interpreter && !is_foreign_process() {
            std::thread::park();
        }
        (result, taking)
    });
    result
}

fn wait_until_none(count: &AtomicI32) {
    let until = Instant::now() + PATIENCE;
    while count.load(Ordering::SeqCst) > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Refuses new runs from now on; called before the interpreter ends.
#[pyfunction]
pub fn refuse_runs() {
    ENDING.store(true, Ordering::Relaxed);
}

/// Ends all calls into Python; called when the interpreter ends, after all runs.
#[pyfunction]
pub fn close(py: Python<'_>) {
    ENDS_INTERPRETER.set(true);
    py.detach(|| {
        wait_until_none(&AWAY);
        CLOSED.store(true, Ordering::SeqCst);
        wait_until_none(&TAKING);
    });
}

/// Called in a forked child, where the engine's threads do not exist.
#[pyfunction]
pub fn forked() {
    if PROCESS.load(Ordering::Relaxed) != 0 {
        CLOSED.store(true, Ordering::Release);
    }
    // Those threads were the parent's.
    AWAY.store(0, Ordering::Relaxed);
    TAKING.store(0, Ordering::Relaxed);
}

/// As `enter`, for a call that leads to a run.
///
/// # Errors
/// As `enter`, and already when the program begins to end.
pub fn enter_run() -> Result<(), &'static str> {
    if ENDING.load(Ordering::Relaxed) && !is_foreign_process() {
        return Err(ENDS);
    }
    enter()
}

/// Notes that this process uses the engine.
///
/// # Errors
/// This process was forked from one that does, or the interpreter ends.
pub fn enter() -> Result<(), &'static str> {
    if is_closed() {
        if !is_foreign_process() {
            return Err(ENDS);
        }
        return Err("a process that was forked from one with a gxe context cannot use gxe; \
                    start it with the method `spawn` of multiprocessing");
    }
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    Ok(())
}

/// Whether this is the interpreter of the program, and none within it: the threads of the engine call that
/// one only.
pub fn is_main(_: Python<'_>) -> bool {
    // SAFETY: the interpreter's lock is held.
    unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) == 0 }
}

/// Whether this process was forked from the one that owns the engine.
pub fn is_foreign_process() -> bool {
    let owner = PROCESS.load(Ordering::Relaxed);
    owner != 0 && owner != std::process::id()
}
