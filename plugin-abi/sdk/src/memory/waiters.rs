//! Whether anybody waits for memory.

use crate::{ContextHandle, Event};
use std::sync::atomic::{AtomicBool, Ordering, fence};

/// Whether somebody found an allocator without enough memory, and may wait for more. Only then is its
/// entity notified ([`Event::MEMORY_FREE`]) when memory comes back.
#[derive(Default, Debug)]
pub struct MemoryWaiters {
    is_any: AtomicBool,
}

impl MemoryWaiters {
    /// Says whether there is enough, for [`crate::implement::Allocator::is_available`]: `check` looks
    /// once more after a refusal was noted, so that memory that comes back meanwhile is not missed.
    pub fn is_available(&self, check: impl Fn() -> bool) -> bool {
        if check() {
            return true;
        }
        self.may_wait();
        check()
    }

    /// Notes that somebody may wait for memory: because a request was refused, or before it is told how much
    /// is in use.
    pub fn may_wait(&self) {
        self.is_any.store(true, Ordering::Relaxed);
        // What the caller sees from now on is at most as old; see `must_be_notified`.
        fence(Ordering::SeqCst);
    }

    /// Notifies the allocator's entity, now that memory has come back, if anybody may wait for it.
    pub fn notify(&self, context: &ContextHandle) {
        if self.must_be_notified() {
            // Without a graph no entity waits, which must not make freeing memory fail.
            _ = context.notify(Event::MEMORY_FREE);
        }
    }

    /// Whether to notify the entity, now that memory has come back.
    fn must_be_notified(&self) -> bool {
        // Between the memory that this thread gave back and what the others noted: at least one side sees what
        // the other one did.
        fence(Ordering::SeqCst);
        self.is_any.load(Ordering::Relaxed) && self.is_any.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_was_refused_waits() {
        let waiters = MemoryWaiters::default();
        assert!(waiters.is_available(|| true) && !waiters.must_be_notified());
        assert!(!waiters.is_available(|| false));
        assert!(waiters.must_be_notified() && !waiters.must_be_notified());
        waiters.may_wait();
        assert!(waiters.must_be_notified());
    }

    #[test]
    fn memory_that_comes_back_meanwhile_is_seen() {
        let (waiters, looks) = (MemoryWaiters::default(), std::cell::Cell::new(0));
        let second_time = || looks.replace(looks.get() + 1) > 0;
        assert!(waiters.is_available(second_time));
    }

    /// Nobody waits for memory that is there: either the free side notifies, or the look sees it.
    #[test]
    fn no_wake_up_is_lost() {
        let rounds = if cfg!(miri) { 20 } else { 20_000 };
        for _ in 0..rounds {
            let (waiters, free) = (MemoryWaiters::default(), AtomicBool::new(false));
            std::thread::scope(|scope| {
                let looks = scope.spawn(|| waiters.is_available(|| free.load(Ordering::Relaxed)));
                free.store(true, Ordering::Relaxed);
                let notifies = waiters.must_be_notified();
                assert!(looks.join().unwrap() || notifies);
            });
        }
    }
}
