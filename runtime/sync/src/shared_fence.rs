//! A fence in memory that processes share: counts what has been done, and sleeps in a futex.
//!
//! One word holds the count and whether somebody sleeps, as in [`crate::fence`]. A process may be
//! killed between its signal and the call that wakes sleepers, so no sleep is longer than [`SLICE`];
//! the models have no such end of a sleep, and still nobody sleeps for ever.

use crate::loom::atomic::{AtomicU32, Ordering};
use crate::loom::{futex, hint};
use std::time::{Duration, Instant};

/// A thread sleeps, or is about to.
const WAITING: u32 = 1;
/// The count lies above the flag.
const SHIFT: u32 = 1;
/// The longest sleep in the system.
const SLICE: Duration = Duration::from_millis(50);

/// A count that threads of any process wait for. Zeros are a fence with the count 0.
#[repr(transparent)]
pub struct SharedFence(AtomicU32);

impl Default for SharedFence {
    fn default() -> Self {
        Self::new()
    }
}

/// The count with the lower bits of a number.
#[expect(clippy::cast_possible_truncation, reason = "fences compare the lower bits")]
#[must_use]
pub fn count(number: u64) -> u32 {
    number as u32 & (u32::MAX >> SHIFT)
}

impl SharedFence {
    /// A fence with the count 0.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Sets the count to 0. Nobody waits.
    pub fn reset(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// The count.
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Acquire) >> SHIFT
    }

    /// Whether the count is reached, modulo 2^31. Then the caller sees all that was done before.
    #[inline]
    pub fn has_reached(&self, count: u32) -> bool {
        let word = self.0.load(Ordering::Acquire) & !WAITING;
        word.wrapping_sub(count << SHIFT).cast_signed() >= 0
    }

    /// Sets the count. Callers exclude each other.
    #[inline]
    pub fn signal(&self, count: u32) {
        if self.0.swap(count << SHIFT, Ordering::AcqRel) & WAITING != 0 {
            self.wake();
        }
    }

    /// Adds one to the count. Any number of threads may do so.
    pub fn bump(&self) {
        if self.0.fetch_add(1 << SHIFT, Ordering::AcqRel) & WAITING != 0 {
            self.wake();
        }
    }

    /// Wakes all sleepers, who look around.
    pub fn wake(&self) {
        futex::wake_all(&self.0);
    }

    /// Waits for a count, or until `is_over`: looks `spins` times, then sleeps. Whether the count is
    /// reached.
    pub fn wait(&self, count: u32, spins: u32, is_over: impl Fn() -> bool) -> bool {
        for _ in 0..spins {
            if self.has_reached(count) {
                return true;
            }
            hint::spin_loop();
        }
        loop {
            let word = self.0.fetch_or(WAITING, Ordering::AcqRel) | WAITING;
            if self.has_reached(count) {
                return true;
            }
            if is_over() {
                return false;
            }
            futex::wait(&self.0, word, Some(SLICE));
        }
    }

    /// Waits until the count is another one, or for this long.
    pub fn wait_for_change(&self, from: u32, longest: Duration) {
        let until = Instant::now() + longest;
        loop {
            let word = self.0.fetch_or(WAITING, Ordering::AcqRel) | WAITING;
            let left = until.saturating_duration_since(Instant::now());
            if word >> SHIFT != from || left.is_zero() {
                return;
            }
            futex::wait(&self.0, word, Some(left.min(SLICE)));
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn counts_go_on_past_their_end() {
        let fence = SharedFence::new();
        let last = count(u64::MAX);
        for reached in [1, 1 << 30, last, 0, 1] {
            fence.signal(reached);
            assert!(fence.has_reached(reached) && fence.wait(reached, 0, || false));
            assert!(!fence.has_reached(count(u64::from(reached) + 1)));
        }
        fence.bump();
        assert_eq!(fence.count(), 2);
        assert!(!fence.wait(3, 1, || true), "it is over before");
        fence.wait_for_change(2, Duration::from_millis(1));
        fence.wait_for_change(1, Duration::from_secs(1000));
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    /// Whoever waits sees what was done before, signal by signal.
    #[test]
    fn a_signal_shows_what_was_done() {
        loom::model(|| {
            let shared = Arc::new((SharedFence::new(), AtomicU32::new(0)));
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let (fence, done) = &*shared;
                    for count in [1, 2] {
                        done.store(count, Ordering::Relaxed);
                        fence.signal(count);
                    }
                })
            };
            let (fence, done) = &*shared;
            for count in [1, 2] {
                assert!(fence.wait(count, 0, || false));
                assert!(done.load(Ordering::Relaxed) >= count);
            }
            other.join().unwrap();
        });
    }

    /// One signal wakes all that wait.
    #[test]
    fn a_signal_wakes_everybody() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let fence = Arc::new(SharedFence::new());
            let waiter = {
                let fence = fence.clone();
                loom::thread::spawn(move || assert!(fence.wait(1, 0, || false)))
            };
            let signal = {
                let fence = fence.clone();
                loom::thread::spawn(move || fence.signal(1))
            };
            assert!(fence.wait(1, 0, || false));
            waiter.join().unwrap();
            signal.join().unwrap();
        });
    }

    /// Two that add to the count, and one that waits for both.
    #[test]
    fn no_addition_is_lost() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let fence = Arc::new(SharedFence::new());
            let adders = [(); 2].map(|()| {
                let fence = fence.clone();
                loom::thread::spawn(move || fence.bump())
            });
            assert!(fence.wait(2, 0, || false));
            for adder in adders {
                adder.join().unwrap();
            }
        });
    }

    /// The end of a run signals a fence of its own, then wakes those at others.
    #[test]
    fn a_wake_shows_what_is_over() {
        loom::model(|| {
            let shared = Arc::new((SharedFence::new(), SharedFence::new()));
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let (fence, over) = &*shared;
                    over.signal(1);
                    fence.signal(1);
                })
            };
            let (fence, over) = &*shared;
            let reached = fence.wait(1, 0, || over.has_reached(1));
            assert!(reached || over.has_reached(1));
            other.join().unwrap();
        });
    }
}
