//! Signals that ask the program to end: Ctrl-C and SIGTERM.
//!
//! The handler sets one word and wakes the thread that waits for it. It uses no descriptor, which
//! an extension could close.

use libc::c_int;
use rustix::thread::futex;
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// The first signal; 0 for none.
static ARRIVED: AtomicU32 = AtomicU32::new(0);
/// When it came, in nanoseconds of the monotonic clock; 0 until that is noted.
static ARRIVED_AT: AtomicI64 = AtomicI64::new(0);

/// A signal that comes so soon after the first, in nanoseconds, is the same request: who signals a group
/// of processes often signals one of them by itself, too.
const SAME_REQUEST: i64 = 100_000_000;

/// Watches the signals that ask the program to end.
pub struct EndSignals(());

impl EndSignals {
    /// Starts to watch. [`Self::wait`] returns the first signal; the second one, if it comes a tenth of a
    /// second later or after that, ends the process at once, with the status that shells report for a
    /// process killed by this signal.
    ///
    /// For programs that own their process, once.
    ///
    /// # Errors
    /// The system refuses.
    pub fn watch() -> io::Result<Self> {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            // SAFETY: a zeroed `sigaction` has no flags and an empty mask; the handler has the form
            // that a `sigaction` without SA_SIGINFO has, and does only what a signal handler may.
            let refused = unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let handler: extern "C" fn(c_int) = on_signal;
                action.sa_sigaction = handler as usize;
                // System calls that the signal interrupts continue.
                action.sa_flags = libc::SA_RESTART;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut()) != 0
            };
            if refused {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(Self(()))
    }

    /// Waits for the first signal, whenever it came: SIGINT or SIGTERM.
    #[must_use]
    pub fn wait(&self) -> i32 {
        loop {
            match ARRIVED.load(Ordering::Relaxed) {
                // Returns at once if a signal came in the meantime; may also wake up spuriously.
                0 => _ = futex::wait(&ARRIVED, futex::Flags::PRIVATE, 0, None),
                signal => return signal.cast_signed(),
            }
        }
    }
}

extern "C" fn on_signal(signal: c_int) {
    if ARRIVED
        .compare_exchange(0, signal.cast_unsigned(), Ordering::Relaxed, Ordering::Relaxed)
        .is_err()
    {
        let first = ARRIVED_AT.load(Ordering::Relaxed);
        if first != 0 && now() - first >= SAME_REQUEST {
            super::fatal::leave(128 + signal);
        }
        return;
    }
    ARRIVED_AT.store(now(), Ordering::Relaxed);
    // SAFETY: the thread's own error number, which the interrupted code may be about to read.
    let error = unsafe { &mut *libc::__errno_location() };
    let before = *error;
    _ = futex::wake(&ARRIVED, futex::Flags::PRIVATE, 1);
    *error = before;
}

/// Nanoseconds of the monotonic clock. Handlers of signals may ask it.
fn now() -> i64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
