//! A fence: counts what has been done, and lets threads wait for a count.
//!
//! One word holds the count and whether a thread sleeps, so passing a fence that nobody waits for is
//! one atomic exchange, and waiting for a count that is reached is one load. Counts are compared
//! modulo 2^30: a thread must not wait for one that is further away than half of that. Whoever owns a
//! fence decides what lies on its cache line.

use crate::loom::atomic::{AtomicU32, Ordering};
use crate::loom::{futex, hint};

/// A thread sleeps, or is about to.
const WAITING: u32 = 1;
/// Nobody waits here any more.
const CLOSED: u32 = 2;
/// The count lies above the flags.
const SHIFT: u32 = 2;

/// A count that others wait for.
pub struct Fence(AtomicU32);

impl Default for Fence {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether the count in a word is at least `count`.
#[inline]
fn reaches(word: u32, count: u32) -> bool {
    let ahead = (word & !(WAITING | CLOSED)).wrapping_sub(count << SHIFT);
    ahead.cast_signed() >= 0
}

impl Fence {
    /// A fence with the count 0.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Whether the count is reached. Then the caller sees all that was done before.
    #[inline]
    pub fn has_reached(&self, count: u32) -> bool {
        reaches(self.0.load(Ordering::Acquire), count)
    }

    /// Sets the count, which never goes back. Callers exclude each other.
    #[inline]
    pub fn signal(&self, count: u32) {
        let before = self.0.swap(count << SHIFT, Ordering::AcqRel);
        if before & (WAITING | CLOSED) != 0 {
            self.wake(before & CLOSED);
        }
    }

    /// Ends all waits, now and later.
    pub fn close(&self) {
        self.wake(CLOSED);
    }

    #[cold]
    fn wake(&self, flags: u32) {
        if flags != 0 {
            self.0.fetch_or(flags, Ordering::AcqRel);
        }
        futex::wake_all(&self.0);
    }

    /// Whether waits have ended.
    pub fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) & CLOSED != 0
    }

    /// Waits for a count: looks `spins` times, then sleeps. False if the fence is closed before.
    pub fn wait(&self, count: u32, spins: u32) -> bool {
        for _ in 0..spins {
            let word = self.0.load(Ordering::Acquire);
            if reaches(word, count) {
                return true;
            }
            if word & CLOSED != 0 {
                return false;
            }
            hint::spin_loop();
        }
        loop {
            let word = self.0.fetch_or(WAITING, Ordering::AcqRel) | WAITING;
            if reaches(word, count) {
                return true;
            }
            if word & CLOSED != 0 {
                return false;
            }
            futex::wait(&self.0, word, None);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn counts_go_on_past_their_end() {
        let fence = Fence::new();
        assert!(fence.has_reached(0) && !fence.has_reached(1));
        for count in [1, 5, 1 << 29, (1 << 30) - 1] {
            fence.signal(count);
            assert!(fence.has_reached(count) && fence.wait(count, 0));
            assert!(!fence.has_reached(count + 1));
        }
        // The same as 0 of the next round.
        fence.signal(1 << 30);
        assert!(fence.has_reached((1 << 30) - 1) && fence.has_reached(0) && !fence.has_reached(1));
    }

    #[test]
    fn a_closed_fence_stays_closed() {
        let fence = Fence::new();
        fence.close();
        fence.signal(1);
        assert!(fence.wait(1, 0));
        assert!(!fence.wait(2, 0) && !fence.wait(2, 1));
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use loom::thread;

    /// Two threads wait for different counts; each sees what was done before its own.
    #[test]
    fn every_count_wakes_who_waits_for_it() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let (fence, done) = (Arc::new(Fence::new()), Arc::new(AtomicUsize::new(0)));
            let waiters = [1, 2].map(|count| {
                let (fence, done) = (fence.clone(), done.clone());
                thread::spawn(move || {
                    assert!(fence.wait(count, 0));
                    assert!(done.load(Ordering::Relaxed) >= count as usize);
                })
            });
            for count in [1, 2] {
                done.store(count as usize, Ordering::Relaxed);
                fence.signal(count);
            }
            for waiter in waiters {
                waiter.join().unwrap();
            }
        });
    }

    /// Two workers wait for each other in two frames, in the planned order.
    #[test]
    fn workers_that_wait_for_each_other_alternate() {
        loom::model(|| {
            let fences = Arc::new([Fence::new(), Fence::new()]);
            let order = Arc::new(AtomicUsize::new(0));
            let other = {
                let (fences, order) = (fences.clone(), order.clone());
                thread::spawn(move || {
                    for frame in 0..2 {
                        assert!(fences[0].wait(frame + 1, 0));
                        assert_eq!(order.load(Ordering::Relaxed), 2 * frame as usize + 1);
                        order.store(2 * frame as usize + 2, Ordering::Relaxed);
                        fences[1].signal(frame + 1);
                    }
                })
            };
            for frame in 0..2 {
                assert!(fences[1].wait(frame, 0));
                assert_eq!(order.load(Ordering::Relaxed), 2 * frame as usize);
                order.store(2 * frame as usize + 1, Ordering::Relaxed);
                fences[0].signal(frame + 1);
            }
            other.join().unwrap();
        });
    }

    /// The end comes while a thread goes to sleep, and while another one signals.
    #[test]
    fn a_close_ends_a_wait_whatever_is_signalled() {
        loom::model(|| {
            let fence = Arc::new(Fence::new());
            let waiter = {
                let fence = fence.clone();
                thread::spawn(move || assert!(!fence.wait(2, 0)))
            };
            let worker = {
                let fence = fence.clone();
                thread::spawn(move || fence.signal(1))
            };
            fence.close();
            worker.join().unwrap();
            waiter.join().unwrap();
        });
    }
}
