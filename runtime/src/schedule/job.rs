//! Whether an entity waits for a worker, is with one, or rests: one atomic word, so that an entity
//! is in at most one queue, never on two workers, and no event is lost.
//!
//! `BUSY` means that somebody is responsible for the entity: it lies in a queue or a worker
//! executes it. `NOTIFIED` means that something happened since the worker began. Both are set by
//! one read-modify-write, so of many that wake an entity exactly one finds it at rest and puts it
//! into a queue. A worker that wants to let the entity rest succeeds only if nothing happened since
//! it began; otherwise it has to look again.
//!
//! Every change releases and acquires: what a waker wrote before (a message, room in a queue) is
//! seen by the worker that looks afterwards.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU32, Ordering};

const BUSY: u32 = 1;
const NOTIFIED: u32 = 2;

/// The word of one entity.
#[derive(Debug)]
pub(crate) struct JobState(AtomicU32);

impl Default for JobState {
    fn default() -> Self {
        Self(AtomicU32::new(0))
    }
}

impl JobState {
    /// Something happened. True: the caller has to put the entity into a queue.
    #[inline]
    pub fn wake(&self) -> bool {
        self.0.fetch_or(BUSY | NOTIFIED, Ordering::AcqRel) & BUSY == 0
    }

    /// A worker begins to look: what happened until now will be seen.
    #[inline]
    pub fn begin(&self) {
        self.0.fetch_and(!NOTIFIED, Ordering::AcqRel);
    }

    /// The worker found nothing to do. False: something happened meanwhile, and the entity is still
    /// the worker's.
    #[inline]
    pub fn rest(&self) -> bool {
        self.0.compare_exchange(BUSY, 0, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Forgets everything, before a run.
    pub fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_wakers_queues_the_entity() {
        let job = JobState::default();
        assert!(job.wake());
        assert!(!job.wake());
        job.begin();
        assert!(job.rest());
        assert!(job.wake());
    }

    #[test]
    fn what_happens_during_an_execution_forbids_to_rest() {
        let job = JobState::default();
        assert!(job.wake());
        job.begin();
        assert!(!job.wake());
        assert!(!job.rest());
        job.begin();
        assert!(job.rest());
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
                        job.begin();
                        let all = put_down.load(Ordering::Relaxed);
                        seen.store(all, Ordering::Relaxed);
                        // Left before `rest`: whoever is next may begin at once.
                        inside.fetch_sub(1, Ordering::Relaxed);
                        if job.rest() {
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
                        if job.wake() {
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
