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
