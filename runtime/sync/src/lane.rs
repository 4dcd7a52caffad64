//! A bounded queue from one thread to another.
//!
//! Sender and receiver share two counters, each on cache lines of its own and written by one side.
//! The sender remembers what it last saw of the receiver's, so it reads that cache line only when
//! the lane looks full. A value costs one store of a counter on either side.
//!
//! Usually each side is one thread, but another thread may take over: it executes an entity during
//! a pause. So each side is behind a [`BiasedLock`], which costs its usual thread no atomic
//! exchange.

#![expect(unsafe_code, reason = "slots without a value are uninitialised memory")]

use crate::biased_lock::BiasedLock;
use crate::loom::atomic::{AtomicU64, Ordering};
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

/// A counter on cache lines of its own, in pairs as processors fetch them.
#[repr(align(128))]
struct Counter(AtomicU64);

/// The queue; see the module documentation.
///
/// Invariant: the slots of the places from `taken` up to `sent`, at most as many as there are, hold
/// a value. Only the holder of `sender` changes `sent` and the slots outside of these places; only
/// the holder of `receiver` changes `taken` and the slots within.
pub struct Lane<T> {
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    mask: u64,
    /// Number of values put in so far.
    sent: Counter,
    /// Number of values taken out so far.
    taken: Counter,
    /// What the sender last saw of `taken`.
    sender: BiasedLock<u64>,
    receiver: BiasedLock<()>,
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
        Self {
            slots: (0..size).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect(),
            mask: size as u64 - 1,
            sent: Counter(AtomicU64::new(0)),
            taken: Counter(AtomicU64::new(0)),
            sender: BiasedLock::new(0),
            receiver: BiasedLock::new(()),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the mask is the last index of a slice")]
    fn slot(&self, place: u64) -> *mut MaybeUninit<T> {
        self.slots[(place & self.mask) as usize].get()
    }

    /// Puts a value in, or returns it if there is no room.
    ///
    /// # Errors
    /// The value.
    #[inline]
    pub fn send(&self, value: T) -> Result<(), T> {
        self.sender.with(|known| {
            let sent = self.sent.0.load(Ordering::Relaxed);
            if sent - *known > self.mask {
                // Acquire: the receiver has read the slot before this thread writes it.
                *known = self.taken.0.load(Ordering::Acquire);
                if sent - *known > self.mask {
                    return Err(value);
                }
            }
            // SAFETY: the slot holds no value, and this thread is the sender.
            unsafe { &mut *self.slot(sent) }.write(value);
            // Release: the receiver sees the value.
            self.sent.0.store(sent + 1, Ordering::Release);
            Ok(())
        })
    }

    /// Takes all values out, the oldest first. Holds the receiver's side meanwhile, so `take` must
    /// not receive from this lane. Returns whether there were any.
    #[inline]
    pub fn drain(&self, mut take: impl FnMut(T)) -> bool {
        self.receiver.with(|()| {
            let taken = self.taken.0.load(Ordering::Relaxed);
            let sent = self.sent.0.load(Ordering::Acquire);
            for place in taken..sent {
                // SAFETY: the slot holds a value, and this thread is the receiver.
                let value = unsafe { (*self.slot(place)).assume_init_read() };
                // Release: the sender writes the slot after this thread has read it. Before `take`,
                // which might panic.
                self.taken.0.store(place + 1, Ordering::Release);
                take(value);
            }
            taken != sent
        })
    }

    /// Number of values, for the sender: the receiver may have taken some meanwhile.
    #[must_use]
    pub fn len(&self) -> usize {
        let (sent, taken) = (&self.sent.0, &self.taken.0);
        let left = sent.load(Ordering::Relaxed).saturating_sub(taken.load(Ordering::Acquire));
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Whether there is nothing to take. Of a value that is sent meanwhile it may say either.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.taken.0.load(Ordering::Relaxed) == self.sent.0.load(Ordering::Acquire)
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
        while !sender.is_finished() || !lane.is_empty() {
            let any = lane.drain(|value| {
                assert_eq!(*value, next);
                next += 1;
            });
            if !any {
                std::thread::yield_now();
            }
        }
        sender.join().unwrap();
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
