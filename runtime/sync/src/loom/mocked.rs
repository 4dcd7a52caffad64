//! Loom's models, with parking_lot's signatures.

use std::ops::{Deref, DerefMut};
use std::time::Instant;

pub(crate) mod atomic {
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering, fence,
    };
}

pub(crate) mod thread {
    pub(crate) use loom::thread::{Thread, current, park, yield_now};
}

pub(crate) mod hint {
    /// Shows loom that another thread must run first.
    pub(crate) fn spin_loop() {
        loom::thread::yield_now();
    }
}

/// Loom has no `membarrier`; two full fences give the same order as its two halves.
pub(crate) mod barrier {
    use loom::sync::atomic::{Ordering, fence};

    pub(crate) fn light() {
        fence(Ordering::SeqCst);
    }

    pub(crate) fn heavy() {
        fence(Ordering::SeqCst);
    }

    pub(crate) fn is_offered() -> bool {
        true
    }
}

/// Loom has no time, so none passes.
pub(crate) mod time {
    use std::time::Duration;

    #[derive(Clone, Copy)]
    pub(crate) struct Instant;

    impl Instant {
        pub(crate) fn now() -> Self {
            Self
        }

        pub(crate) fn elapsed(self) -> Duration {
            Duration::ZERO
        }
    }
}

/// Sleeping until a word changes.
pub(crate) mod futex {
    use super::atomic::{AtomicU32, Ordering};
    use loom::sync::{Condvar, Mutex};
    use std::time::Duration;

    loom::lazy_static! {
        /// One queue for all words: whoever is woken looks again.
        static ref SLEEPERS: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());
    }

    pub(crate) fn wait(word: &AtomicU32, expected: u32, _longest: Option<Duration>) {
        let sleepers = SLEEPERS.0.lock().expect("no model panics under a lock");
        if word.load(Ordering::Relaxed) == expected {
            drop(SLEEPERS.1.wait(sleepers).expect("no model panics under a lock"));
        }
    }

    pub(crate) fn wake_all(_word: &AtomicU32) {
        let _sleepers = SLEEPERS.0.lock().expect("no model panics under a lock");
        SLEEPERS.1.notify_all();
    }
}

#[derive(Default)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

/// Empty only while [`Condvar::wait`] holds the content.
pub(crate) struct MutexGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    pub(crate) fn new(content: T) -> Self {
        Self(loom::sync::Mutex::new(content))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().expect("no model panics under a lock")))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("no wait is under way")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("no wait is under way")
    }
}

pub(crate) struct Condvar(loom::sync::Condvar);

/// Loom has no time, so nothing times out.
pub(crate) struct NeverTimedOut;

impl NeverTimedOut {
    pub(crate) fn timed_out(&self) -> bool {
        false
    }
}

impl Condvar {
    pub(crate) fn new() -> Self {
        Self(loom::sync::Condvar::new())
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }

    pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let inner = guard.0.take().expect("no wait is under way");
        guard.0 = Some(self.0.wait(inner).expect("no model panics under a lock"));
    }

    pub(crate) fn wait_until<T>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        _deadline: Instant,
    ) -> NeverTimedOut {
        self.wait(guard);
        NeverTimedOut
    }
}

macro_rules! thread_local_cell {
    ($name:ident: $kind:ty = $initial:expr) => {
        loom::thread_local! {
            static $name: std::cell::Cell<$kind> = std::cell::Cell::new($initial);
        }
    };
}

/// Loom's atomics cannot be created in constants.
macro_rules! const_fn {
    ($(#[$meta:meta])* pub const fn $name:ident() -> $result:ty $body:block) => {
        $(#[$meta])*
        pub fn $name() -> $result $body
    };
}

pub(crate) use {const_fn, thread_local_cell};
