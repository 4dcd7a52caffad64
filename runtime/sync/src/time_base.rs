//! The straight line that a real-time clock follows. Many threads read it all the time; few change
//! it, rarely.
//!
//! Readers take no lock: they read a version, the line, and the version again. A writer makes the
//! version odd while it changes the line (a sequence lock).

use crate::loom::atomic::{AtomicI64, AtomicU64, Ordering, fence};
use crate::loom::hint;

use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Nanoseconds of the computer's monotonic clock.
#[inline]
pub fn monotonic() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Offset plus scale times the time since the start.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeBase {
    /// Monotonic time of the start, in nanoseconds.
    pub start: i64,
    /// Time of the clock at the start, in nanoseconds.
    pub offset: i64,
    /// Speed of the clock.
    pub scale: f64,
}

impl TimeBase {
    /// Time of the clock at a monotonic time, both in nanoseconds.
    #[inline]
    pub fn time_at(&self, monotonic: i64) -> i64 {
        let elapsed = (monotonic - self.start).max(0);
        if self.scale == 1.0 {
            self.offset.saturating_add(elapsed)
        } else {
            self.offset.saturating_add((elapsed as f64 * self.scale) as i64)
        }
    }

    /// Real time from a monotonic time until the clock shows `target`; 0 if it already does.
    pub fn real_time_until(&self, target: i64, monotonic: i64) -> Duration {
        let remaining = target.saturating_sub(self.time_at(monotonic)).max(0);
        if self.scale == 1.0 {
            Duration::from_nanos(remaining.unsigned_abs())
        } else {
            // A slow clock may take longer than nanoseconds can tell: then all that they can.
            let longest = i64::MAX.unsigned_abs();
            Duration::from_nanos(((remaining as f64 / self.scale).ceil() as u64).min(longest))
        }
    }
}

/// A [`TimeBase`] with many readers and few writers.
#[derive(Default)]
pub struct SharedTimeBase {
    /// 0 before the first line; odd during a change.
    version: AtomicU64,
    start: AtomicI64,
    offset: AtomicI64,
    /// The bits of an `f64`.
    scale: AtomicU64,
    writers: Mutex<()>,
}

impl SharedTimeBase {
    /// The line; `None` before the first.
    #[inline]
    pub fn get(&self) -> Option<TimeBase> {
        loop {
            // Acquire: reads nothing older than what the writer of this version stored.
            let before = self.version.load(Ordering::Acquire);
            let line = TimeBase {
                start: self.start.load(Ordering::Relaxed),
                offset: self.offset.load(Ordering::Relaxed),
                scale: f64::from_bits(self.scale.load(Ordering::Relaxed)),
            };
            // A reader that saw a part of a later line sees that writer's odd version, or a later
            // one.
            fence(Ordering::Acquire);
            if before == self.version.load(Ordering::Relaxed) && before.is_multiple_of(2) {
                return (before != 0).then_some(line);
            }
            hint::spin_loop();
        }
    }

    /// Replaces the line, or sets the first one.
    pub fn change(&self, next: impl FnOnce(Option<TimeBase>) -> TimeBase) -> TimeBase {
        let _alone = self.writers.lock();
        let line = next(self.get());
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.start.store(line.start, Ordering::Relaxed);
        self.offset.store(line.offset, Ordering::Relaxed);
        self.scale.store(line.scale.to_bits(), Ordering::Relaxed);
        self.version.store(version + 2, Ordering::Release);
        line
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn time_follows_the_line() {
        let double = TimeBase { start: 1_000, offset: 100, scale: 2.0 };
        assert_eq!(double.time_at(1_050), 200);
        assert_eq!(double.time_at(900), 100);
        assert_eq!(double.real_time_until(300, 1_000), Duration::from_nanos(100));
        assert_eq!(double.real_time_until(50, 1_000), Duration::ZERO);
        let real = TimeBase { start: 0, offset: i64::MAX - 1, scale: 1.0 };
        assert_eq!(real.time_at(5), i64::MAX);
        let slow = TimeBase { start: 0, offset: 0, scale: 1e-300 };
        let longest = Duration::from_nanos(i64::MAX.unsigned_abs());
        assert_eq!(slow.real_time_until(1, 0), longest);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    /// A reader sees one of the lines, never a mixture.
    #[test]
    fn no_line_is_torn() {
        loom::model(|| {
            let shared = Arc::new(SharedTimeBase::default());
            let line =
                |number: i64| TimeBase { start: number, offset: number, scale: number as f64 };
            shared.change(|_| line(1));
            let writer = {
                let shared = shared.clone();
                loom::thread::spawn(move || shared.change(|_| line(2)))
            };
            let seen = shared.get().unwrap();
            assert!(seen == line(1) || seen == line(2), "{seen:?}");
            writer.join().unwrap();
            assert_eq!(shared.get(), Some(line(2)));
        });
    }
}
