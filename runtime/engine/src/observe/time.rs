//! The time base of statistics and traces.

use rustix::time::{ClockId, clock_gettime};

/// The moment from which statistics and traces count times.
#[derive(Clone, Copy)]
pub struct Origin(i64);

impl Origin {
    /// This moment.
    pub fn now() -> Self {
        Self(monotonic_now())
    }

    /// The moment as nanoseconds of `CLOCK_MONOTONIC`.
    pub fn monotonic(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }

    /// Nanoseconds from here to a time of [`monotonic_now`]; 0 if that was earlier.
    #[inline]
    pub fn until(self, time: i64) -> u64 {
        u64::try_from(time.saturating_sub(self.0)).unwrap_or(0)
    }
}

/// Nanoseconds of real time since then.
#[inline]
pub(super) fn nanoseconds_since(origin: Origin) -> u64 {
    origin.until(monotonic_now())
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
#[inline]
pub fn monotonic_now() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Nanoseconds by which `CLOCK_REALTIME` is ahead of `CLOCK_MONOTONIC`.
pub(super) fn realtime_ahead() -> u64 {
    let now = clock_gettime(ClockId::Realtime);
    let now = now.tv_sec * 1_000_000_000 + now.tv_nsec;
    u64::try_from(now.saturating_sub(monotonic_now())).unwrap_or(0)
}

/// Names the clock that [`monotonic_now`] reads: two processes with the same name read the same
/// clock.
pub(super) fn clock_name() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/time").unwrap_or_default();
    format!("{} {}", boot.trim(), namespace.display())
}
