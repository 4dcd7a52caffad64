//! The time base of statistics and traces.

use std::time::Instant;

/// Nanoseconds of real time since then.
#[inline]
pub(super) fn nanoseconds_since(origin: Instant) -> u64 {
    let passed = origin.elapsed();
    passed.as_secs() * 1_000_000_000 + u64::from(passed.subsec_nanos())
}
