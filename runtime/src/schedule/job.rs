//! Whether an entity waits for a worker, is with one, or rests: one atomic word, so that an entity
//! is in at most one queue, never on two workers, and no event is lost.
//!
//! The word counts what happened since the entity rested; 0 means that it rests. Of many that wake
//! it exactly one finds 0, and puts it into a queue. A worker remembers the count when it begins,
//! and may let the entity rest only if the count is still the same; otherwise it has to look again.
//! An entity that will never run again leaves for good: a bit above the count says so.
//!
//! Every change releases, every look acquires: what a waker wrote before (a message, room in a
//! queue) is seen by a worker that sees the waker's count. One whose count it does not see changes
//! the word afterwards, and the worker cannot let the entity rest.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// The word of one entity.
#[derive(Debug)]
pub(crate) struct JobState(AtomicU64);

/// The entity left.
const LEFT: u64 = 1 << 63;

/// What had happened when a worker began to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen(u64);

/// Where an entity was when somebody woke it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// It rested: whoever woke it has to put it into a queue.
    AtRest,
    /// With a worker, who looks at it again.
    Busy,
    /// Nowhere any more.
    Left,
}

impl Default for JobState {
    fn default() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl JobState {
    /// Something happened.
    #[inline]
    pub fn wake(&self) -> Found {
        match self.0.fetch_add(1, Ordering::AcqRel) {
            0 => Found::AtRest,
            count if count & LEFT == 0 => Found::Busy,
            _ => Found::Left,
        }
    }

    /// The entity will not be executed again.
    pub fn leave(&self) {
        self.0.fetch_or(LEFT, Ordering::AcqRel);
    }

    /// A worker begins to look.
    #[inline]
    pub fn begin(&self) -> Seen {
        Seen(self.0.load(Ordering::Acquire))
    }

    /// The worker found nothing to do. False: something happened meanwhile, and the entity is still
    /// the worker's.
    #[inline]
    pub fn rest(&self, seen: Seen) -> bool {
        self.0.compare_exchange(seen.0, 0, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Forgets everything, before a run.
    pub fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Seen {
    /// The entity left: it is another's number by now.
    #[inline]
    pub fn has_left(self) -> bool {
        self.0 & LEFT != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_wakers_queues_the_entity() {
        let job = JobState::default();
        assert_eq!(job.wake(), Found::AtRest);
        assert_eq!(job.wake(), Found::Busy);
        let seen = job.begin();
        assert!(job.rest(seen));
        assert_eq!(job.wake(), Found::AtRest);
    }

    #[test]
    fn what_happens_during_an_execution_forbids_to_rest() {
        let job = JobState::default();
        assert_eq!(job.wake(), Found::AtRest);
        let seen = job.begin();
        assert_eq!(job.wake(), Found::Busy);
        assert!(!job.rest(seen));
        let seen = job.begin();
        assert!(job.rest(seen));
    }

    #[test]
    fn nobody_queues_an_entity_that_left() {
        let job = JobState::default();
        assert_eq!(job.wake(), Found::AtRest);
        assert!(!job.begin().has_left());
        job.leave();
        assert_eq!(job.wake(), Found::Left);
        assert!(job.begin().has_left());
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// Two senders put something down and wake; workers take the entity from a queue, look, and let
    /// it rest. Whatever the interleaving, everything put down is seen, and the entity is never with
    /// two workers.
    #[test]
    fn nothing_is_lost_and_nobody_meets() {
        loom::model(|| {
            let job = Arc::new(JobState::default());
            let put_down = Arc::new(AtomicUsize::new(0));
            let seen = Arc::new(AtomicUsize::new(0));
            let inside = Arc::new(AtomicUsize::new(0));
            let execute = {
                let (job, put_down, seen) = (job.clone(), put_down.clone(), seen.clone());
                move || {
                    assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "two workers met");
                    loop {
                        let begun = job.begin();
                        let all = put_down.load(Ordering::Relaxed);
                        seen.store(all, Ordering::Relaxed);
                        // Left before `rest`: whoever is next may begin at once.
                        inside.fetch_sub(1, Ordering::Relaxed);
                        if job.rest(begun) {
                            return;
                        }
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "two workers met");
                    }
                }
            };
            let senders: Vec<_> = (0..2)
                .map(|_| {
                    let (job, put_down) = (job.clone(), put_down.clone());
                    let execute = execute.clone();
                    loom::thread::spawn(move || {
                        put_down.fetch_add(1, Ordering::Relaxed);
                        if job.wake() == Found::AtRest {
                            execute();
                        }
                    })
                })
                .collect();
            for sender in senders {
                sender.join().unwrap();
            }
            assert_eq!(seen.load(Ordering::Relaxed), 2);
        });
    }
}
