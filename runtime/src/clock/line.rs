//! The straight line a realtime clock follows, for threads that read it all the time and one that
//! changes it now and then.
//!
//! A reader takes part in no lock: it reads a number, the line, and the number again; a writer
//! makes the number odd while it changes the line (a sequence lock).

#[cfg(loom)]
use loom::sync::atomic::{AtomicI64, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering, fence};

use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Nanoseconds of the computer's own clock, which never jumps and never goes back.
#[inline]
pub(super) fn monotonic() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Offset plus scale times what passed since the start.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Line {
    /// On the computer's own clock, in nanoseconds.
    pub start: i64,
    /// Time of the clock at the start, in nanoseconds.
    pub offset: i64,
    /// How fast time passes.
    pub scale: f64,
}

impl Line {
    /// Time of the clock, in nanoseconds, at a time of the computer's own.
    #[inline]
    pub fn time_at(&self, monotonic: i64) -> i64 {
        let elapsed = (monotonic - self.start).max(0);
        if self.scale == 1.0 {
            self.offset.saturating_add(elapsed)
        } else {
            self.offset.saturating_add((elapsed as f64 * self.scale) as i64)
        }
    }

    /// Real time from a time of the computer's own until the clock shows `target`; 0 when it does
    /// already.
    pub fn real_time_until(&self, target: i64, monotonic: i64) -> Duration {
        let remaining = target.saturating_sub(self.time_at(monotonic)).max(0);
        if self.scale == 1.0 {
            Duration::from_nanos(remaining.unsigned_abs())
        } else {
            Duration::from_nanos((remaining as f64 / self.scale).ceil() as u64)
        }
    }
}

/// A [`Line`] that many read and some change.
#[derive(Default)]
pub(super) struct SharedLine {
    /// 0 before the first line; odd while it changes.
    version: AtomicU64,
    start: AtomicI64,
    offset: AtomicI64,
    /// The bits of an `f64`.
    scale: AtomicU64,
    writers: Mutex<()>,
}

impl SharedLine {
    /// The line; `None` before the first.
    #[inline]
    pub fn get(&self) -> Option<Line> {
        loop {
            // Acquire: not older than what the writer of this version stored.
            let before = self.version.load(Ordering::Acquire);
            let line = Line {
                start: self.start.load(Ordering::Relaxed),
                offset: self.offset.load(Ordering::Relaxed),
                scale: f64::from_bits(self.scale.load(Ordering::Relaxed)),
            };
            // Whoever read a part of a later line sees that writer's odd version, or a later one.
            fence(Ordering::Acquire);
            if before == self.version.load(Ordering::Relaxed) && before.is_multiple_of(2) {
                return (before != 0).then_some(line);
            }
            #[cfg(loom)]
            loom::thread::yield_now();
            #[cfg(not(loom))]
            std::hint::spin_loop();
        }
    }

    /// Replaces the line, if there is one, by another.
    pub fn change(&self, next: impl FnOnce(Option<Line>) -> Line) -> Line {
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
        let double = Line { start: 1_000, offset: 100, scale: 2.0 };
        assert_eq!(double.time_at(1_050), 200);
        assert_eq!(double.time_at(900), 100);
        assert_eq!(double.real_time_until(300, 1_000), Duration::from_nanos(100));
        assert_eq!(double.real_time_until(50, 1_000), Duration::ZERO);
        let real = Line { start: 0, offset: i64::MAX - 1, scale: 1.0 };
        assert_eq!(real.time_at(5), i64::MAX);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    /// A reader sees one of the lines, never parts of two.
    #[test]
    fn no_line_is_torn() {
        loom::model(|| {
            let shared = Arc::new(SharedLine::default());
            let line = |number: i64| Line { start: number, offset: number, scale: number as f64 };
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
