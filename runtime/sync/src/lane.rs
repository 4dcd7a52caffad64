//! A bounded queue from one thread to another.
//!
//! Each slot says which place has its value, so the receiver reads one cache line for a value, the
//! one that the sender wrote it to. How far the receiver is lies on a line of its own, which the
//! sender reads only when the lane looks full: it remembers what it last saw.
//!
//! Usually each side is one thread, but another thread may take over: it executes an entity during
//! a pause. So each side is behind a [`BiasedLock`], which costs its usual thread no atomic
//! exchange.

#![expect(unsafe_code, reason = "slots without a value are uninitialised memory")]

use crate::biased_lock::{BiasedGuard, BiasedLock};
use crate::loom::atomic::{AtomicU64, Ordering};
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

/// On cache lines of its own, in pairs as processors fetch them.
#[repr(align(128))]
struct Apart<T>(T);

struct Slot<T> {
    /// One more than the latest place of which the slot had the value; 0 before the first.
    filled: AtomicU64,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// The queue; see the module documentation.
///
/// Invariant: the slots of the places from `taken` up to the sender's `sent`, at most as many as there
/// are, hold a value, and say so. Only the holder of `sender` changes the slots outside of these places;
/// only the holder of `receiver` changes `taken` and the slots within.
pub struct Lane<T> {
    slots: Box<[Slot<T>]>,
    mask: u64,
    /// Number of values taken out so far.
    taken: Apart<AtomicU64>,
    sender: Apart<BiasedLock<Sender>>,
    receiver: Apart<BiasedLock<()>>,
}

/// What the sender knows.
struct Sender {
    /// Number of values put in so far.
    sent: u64,
    /// What it last saw of `taken`.
    taken: u64,
}

// SAFETY: a lane that is sent, or used by two threads, sends values and shares none.
unsafe impl<T: Send> Send for Lane<T> {}
// SAFETY: as above; the locks let one thread at a time be the sender, and one the receiver.
unsafe impl<T: Send> Sync for Lane<T> {}

impl<T> Lane<T> {
    /// An empty lane with room for at least this many values.
    #[must_use]
    pub fn new(room: usize) -> Self {
        let size = room.max(1).next_power_of_two();
        let slot =
            || Slot { filled: AtomicU64::new(0), value: UnsafeCell::new(MaybeUninit::uninit()) };
        Self {
            slots: (0..size).map(|_| slot()).collect(),
            mask: size as u64 - 1,
            taken: Apart(AtomicU64::new(0)),
            sender: Apart(BiasedLock::new(Sender { sent: 0, taken: 0 })),
            receiver: Apart(BiasedLock::new(())),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the mask is the last index of a slice")]
    fn slot(&self, place: u64) -> &Slot<T> {
        &self.slots[(place & self.mask) as usize]
    }

    /// Puts a value in, or returns it if there is no room.
    ///
    /// # Errors
    /// The value.
    #[inline]
    pub fn send(&self, value: T) -> Result<(), T> {
        self.sender.0.with(|Sender { sent, taken }| {
            if *sent - *taken > self.mask {
                // Acquire: the receiver has read the slot before this thread writes it.
                *taken = self.taken.0.load(Ordering::Acquire);
                if *sent - *taken > self.mask {
                    return Err(value);
                }
            }
            let slot = self.slot(*sent);
            // SAFETY: the slot holds no value, and this thread is the sender.
            unsafe { &mut *slot.value.get() }.write(value);
            *sent += 1;
            // Release: the receiver sees the value.
            slot.filled.store(*sent, Ordering::Release);
            Ok(())
        })
    }

    /// Whether there is a value at the place behind so many.
    #[inline]
    fn has_value_behind(&self, taken: u64) -> bool {
        // Acquire: who sees that there is a value sees the value.
        self.slot(taken).filled.load(Ordering::Acquire) > taken
    }

    /// Takes all values out, the oldest first. Holds the receiver's side meanwhile, so `take` must
    /// not receive from this lane. Returns whether there were any.
    #[inline]
    pub fn drain(&self, mut take: impl FnMut(T)) -> bool {
        self.receiver.0.with(|()| {
            let first = self.taken.0.load(Ordering::Relaxed);
            let mut taken = first;
            // Leaves what comes later to the next time.
            while taken - first <= self.mask && self.has_value_behind(taken) {
                // SAFETY: the slot holds a value, and this thread is the receiver.
                let value = unsafe { (*self.slot(taken).value.get()).assume_init_read() };
                taken += 1;
                // Release: the sender writes the slot after this thread has read it. Before `take`,
                // which might panic.
                self.taken.0.store(taken, Ordering::Release);
                take(value);
            }
            taken != first
        })
    }

    /// Keeps everybody from taking values out; this thread must not, either.
    pub fn hold(&self) -> BiasedGuard<'_, ()> {
        self.receiver.0.lock()
    }

    /// Number of values; others may add and take some meanwhile.
    #[must_use]
    pub fn len(&self) -> usize {
        let sent = self.sender.0.with(|sender| sender.sent);
        let left = sent.saturating_sub(self.taken.0.load(Ordering::Acquire));
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Whether there is nothing to take. Of a value that is sent meanwhile it may say either.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.has_value_behind(self.taken.0.load(Ordering::Relaxed))
    }
}

impl<T> Drop for Lane<T> {
    fn drop(&mut self) {
        self.drain(drop);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn values_arrive_once_and_in_order() {
        let lane = Arc::new(Lane::new(4));
        let sender = {
            let lane = lane.clone();
            std::thread::spawn(move || {
                for mut value in 0..if cfg!(miri) { 50 } else { 100_000_u32 } {
                    while let Err(back) = lane.send(Box::new(value)) {
                        value = *back;
                        std::thread::yield_now();
                    }
                }
            })
        };
        let mut next = 0;
        let mut receive = || {
            lane.drain(|value| {
                assert_eq!(*value, next);
                next += 1;
            })
        };
        while !sender.is_finished() {
            if !receive() {
                std::thread::yield_now();
            }
        }
        // Only now what was sent last must be seen.
        sender.join().unwrap();
        receive();
        assert!(lane.is_empty());
        assert_eq!(next, if cfg!(miri) { 50 } else { 100_000 });
    }

    #[test]
    fn what_is_left_is_dropped() {
        let value = Arc::new(());
        let lane = Lane::new(3);
        for _ in 0..4 {
            assert!(lane.send(value.clone()).is_ok());
        }
        assert!(lane.send(value.clone()).is_err());
        drop(lane);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// A lane with one slot: what was written before a value was sent is seen with it, and a slot
    /// is not written while the receiver reads it.
    #[test]
    fn a_value_brings_what_was_done_before_it() {
        loom::model(|| {
            let lane = Arc::new(Lane::new(1));
            let done = Arc::new(AtomicUsize::new(0));
            let sender = {
                let (lane, done) = (lane.clone(), done.clone());
                loom::thread::spawn(move || {
                    for value in 1..=2 {
                        done.store(value, Ordering::Relaxed);
                        while lane.send(value).is_err() {
                            loom::thread::yield_now();
                        }
                    }
                })
            };
            let mut next = 1;
            while next <= 2 {
                let any = lane.drain(|value| {
                    assert_eq!(value, next);
                    assert!(done.load(Ordering::Relaxed) >= value);
                    next += 1;
                });
                if !any {
                    loom::thread::yield_now();
                }
            }
            sender.join().unwrap();
        });
    }
}
