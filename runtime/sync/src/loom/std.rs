//! The real primitives.

pub(crate) use parking_lot::{Condvar, Mutex, MutexGuard};

pub(crate) mod atomic {
    pub(crate) use std::sync::atomic::{
        AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering, fence,
    };
}

pub(crate) mod thread {
    pub(crate) use std::thread::{Thread, current, park, yield_now};
}

pub(crate) mod hint {
    pub(crate) use std::hint::spin_loop;
}

pub(crate) mod time {
    use rustix::time::{ClockId, clock_gettime};
    use std::num::NonZeroU32;
    use std::time::Duration;

    /// A moment of the last 49 days, to a millisecond, in four bytes: each queue has one.
    #[derive(Clone, Copy)]
    pub(crate) struct Instant(NonZeroU32);

    impl Instant {
        pub(crate) fn now() -> Self {
            let now = clock_gettime(ClockId::Monotonic);
            let milliseconds = now.tv_sec * 1000 + now.tv_nsec / 1_000_000;
            Self(NonZeroU32::new(milliseconds as u32).unwrap_or(NonZeroU32::MIN))
        }

        pub(crate) fn elapsed(self) -> Duration {
            let milliseconds = Self::now().0.get().wrapping_sub(self.0.get());
            Duration::from_millis(milliseconds.into())
        }
    }
}

/// Sleeping until a word changes, in any process.
pub(crate) mod futex {
    use super::atomic::AtomicU32;
    use std::time::Duration;

    /// Sleeps, if `longest` is given for at most that, less than a second, unless the word is another
    /// one than expected. Returns early for no reason, too.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(crate) fn wait(word: &AtomicU32, expected: u32, longest: Option<Duration>) {
        use rustix::thread::futex::{Flags, Timespec, wait};
        let time = longest
            .map(|longest| Timespec { tv_sec: 0, tv_nsec: i64::from(longest.subsec_nanos()) });
        // Woken, changed, interrupted or over: the caller looks again.
        let _ = wait(word, Flags::empty(), expected, time.as_ref());
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    pub(crate) fn wake_all(word: &AtomicU32) {
        use rustix::thread::futex::{Flags, wake};
        let _ = wake(word, Flags::empty(), u32::MAX >> 1);
    }

    #[cfg(any(miri, not(target_os = "linux")))]
    pub(crate) fn wait(_: &AtomicU32, _: u32, longest: Option<Duration>) {
        const LONGEST: Duration = Duration::from_millis(1);
        std::thread::sleep(longest.map_or(LONGEST, |longest| longest.min(LONGEST)));
    }

    #[cfg(any(miri, not(target_os = "linux")))]
    pub(crate) fn wake_all(_: &AtomicU32) {}
}

/// A memory barrier with one half that costs nothing.
pub(crate) mod barrier {
    /// The frequent half: orders the compiler's code; [`heavy`] orders the processor.
    #[inline(always)]
    pub(crate) fn light() {
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    }

    /// The rare half: every running thread of the process executes a memory barrier.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(crate) fn heavy() {
        use rustix::thread::{MembarrierCommand, membarrier};
        while membarrier(MembarrierCommand::PrivateExpedited).is_err() {
            // A forked process does not inherit the registration.
            let _ = membarrier(MembarrierCommand::RegisterPrivateExpedited);
            if membarrier(MembarrierCommand::Global).is_ok() {
                return;
            }
        }
    }

    /// Whether [`heavy`] works on this system.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(crate) fn is_offered() -> bool {
        use rustix::thread::{MembarrierCommand, membarrier};
        static OFFERED: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
            membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
                && membarrier(MembarrierCommand::PrivateExpedited).is_ok()
        });
        *OFFERED
    }

    #[cfg(any(miri, not(target_os = "linux")))]
    pub(crate) fn heavy() {}

    #[cfg(any(miri, not(target_os = "linux")))]
    pub(crate) fn is_offered() -> bool {
        false
    }
}

/// Declares a thread-local `Cell` with a constant initial value.
macro_rules! thread_local_cell {
    ($name:ident: $kind:ty = $initial:expr) => {
        std::thread_local! {
            static $name: std::cell::Cell<$kind> = const { std::cell::Cell::new($initial) };
        }
    };
}

/// Defines a function that is `const` where the primitives allow it.
macro_rules! const_fn {
    ($(#[$meta:meta])* pub const fn $name:ident() -> $result:ty $body:block) => {
        $(#[$meta])*
        pub const fn $name() -> $result $body
    };
}

pub(crate) use {const_fn, thread_local_cell};
