//! Whether an entity rests, is queued, or belongs to a worker: one atomic word, so that an entity
//! is in at most one queue, never on two workers, and no event is lost.
//!
//! The word counts events since the entity rested; 0 means that it rests. Of many wakers exactly
//! one finds 0, and queues the entity. A worker remembers the count when it begins, and may rest
//! the entity only if the count is unchanged; otherwise it must check again. For an entity that
//! never runs again, a bit above the count says so.
//!
//! Every change releases and every read acquires. A worker that sees a waker's count thus sees what
//! the waker wrote before it (a message, room in a queue). If it does not see the count, the waker
//! changes the word later, and the worker cannot rest the entity.
//!
//! A worker that looks at an entity again and again says that the entity *stays* with it: another
//! bit. As long as wakers see that, they change nothing, since each change would take the word's
//! cache line from core to core. Before the worker looks for the last time, it takes the bit back
//! and makes every running thread execute a memory barrier: either the waker sees that the bit is
//! gone, or the worker sees what the waker wrote.

use crate::handshake;
use crate::loom::atomic::{AtomicU64, Ordering};

/// The word of one entity.
#[derive(Debug)]
pub struct RunState(AtomicU64);

/// The entity has left.
const LEFT: u64 = 1 << 63;

/// Its worker checks the entity again in any case.
const STAYS: u64 = 1 << 62;

/// The event count when a worker began.
#[derive(Clone, Copy, Debug)]
pub struct Seen(u64);

/// State of an entity when it is woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// It rested: the waker must queue it.
    AtRest,
    /// A worker has it and will check it again.
    Busy,
    /// The same, and it stays with the worker.
    Staying,
    /// It has left.
    Left,
}

impl Default for RunState {
    fn default() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl RunState {
    /// Counts an event.
    #[inline]
    pub fn wake(&self) -> Found {
        match self.0.fetch_add(1, Ordering::AcqRel) {
            0 => Found::AtRest,
            count if count & (LEFT | STAYS) == 0 => Found::Busy,
            count if count & LEFT == 0 => Found::Staying,
            _ => Found::Left,
        }
    }

    /// Whether a worker will check the entity after what the caller has written so far: then it
    /// need not be woken.
    #[inline]
    pub fn stays(&self) -> bool {
        handshake::often();
        self.0.load(Ordering::Relaxed) & (LEFT | STAYS) == STAYS
    }

    /// The entity never runs again.
    pub fn leave(&self) {
        self.0.fetch_or(LEFT, Ordering::AcqRel);
    }

    /// A worker begins.
    #[inline]
    pub fn begin(&self) -> Seen {
        Seen(self.0.load(Ordering::Acquire))
    }

    /// The worker found nothing to do. False if the entity still belongs to it: an event came in
    /// between, or the entity stayed until now.
    #[inline]
    pub fn rest(&self, seen: Seen) -> bool {
        if seen.0 & STAYS != 0 {
            self.stay_no_more();
            return false;
        }
        self.0.compare_exchange(seen.0, 0, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// The worker looks at the entity until it calls [`Self::stay_no_more`].
    #[inline]
    pub fn stay(&self) {
        if self.0.load(Ordering::Relaxed) & STAYS == 0 {
            self.0.fetch_or(STAYS, Ordering::Relaxed);
        }
    }

    /// The worker looks at the entity once more, and may then rest it.
    #[cold]
    pub fn stay_no_more(&self) {
        self.0.fetch_and(!STAYS, Ordering::AcqRel);
        handshake::seldom();
    }

    /// For an engine whose entities stay on one thread: takes what wakers counted. The next one
    /// finds the entity at rest.
    ///
    /// Without a count there is nothing to take: a waker whose count is not seen yet found the entity
    /// at rest, or counts behind one that did, so that a message is on its way, after which its count
    /// is seen.
    #[inline]
    pub fn take_wakes(&self) {
        let word = self.0.load(Ordering::Acquire);
        if word != 0 && word & LEFT == 0 {
            self.0.fetch_and(LEFT, Ordering::AcqRel);
        }
    }

    /// Resets the state before a run.
    pub fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Seen {
    /// Whether the entity has left; its index may belong to another one.
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
        let state = RunState::default();
        assert_eq!(state.wake(), Found::AtRest);
        assert_eq!(state.wake(), Found::Busy);
        let seen = state.begin();
        assert!(state.rest(seen));
        assert_eq!(state.wake(), Found::AtRest);
    }

    #[test]
    fn what_happens_during_an_execution_forbids_to_rest() {
        let state = RunState::default();
        assert_eq!(state.wake(), Found::AtRest);
        let seen = state.begin();
        assert_eq!(state.wake(), Found::Busy);
        assert!(!state.rest(seen));
        let seen = state.begin();
        assert!(state.rest(seen));
    }

    #[test]
    fn one_that_stays_need_not_be_woken() {
        let state = RunState::default();
        assert!(!state.stays());
        assert_eq!(state.wake(), Found::AtRest);
        state.stay();
        assert!(state.stays());
        assert_eq!(state.wake(), Found::Staying);
        state.stay_no_more();
        assert!(!state.stays());
        let seen = state.begin();
        assert_eq!(state.wake(), Found::Busy);
        assert!(!state.rest(seen));
        assert!(state.rest(state.begin()));
        assert_eq!(state.wake(), Found::AtRest);
        // What is not done before its rest is done then.
        state.stay();
        assert!(!state.rest(state.begin()));
        assert!(!state.stays());
        assert!(state.rest(state.begin()));
        assert_eq!(state.wake(), Found::AtRest);
        state.stay();
        state.leave();
        assert!(!state.stays());
        assert_eq!(state.wake(), Found::Left);
    }

    #[test]
    fn nobody_queues_an_entity_that_left() {
        let state = RunState::default();
        assert_eq!(state.wake(), Found::AtRest);
        assert!(!state.begin().has_left());
        state.leave();
        assert_eq!(state.wake(), Found::Left);
        assert!(state.begin().has_left());
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// Two senders each write something and wake the entity; workers take it from a queue, check
    /// it, and rest it. In every interleaving a worker sees all that was written, and the entity is
    /// never on two workers.
    #[test]
    fn nothing_is_lost_and_nobody_meets() {
        loom::model(|| {
            let state = Arc::new(RunState::default());
            let put_down = Arc::new(AtomicUsize::new(0));
            let seen = Arc::new(AtomicUsize::new(0));
            let inside = Arc::new(AtomicUsize::new(0));
            let execute = {
                let (state, put_down, seen) = (state.clone(), put_down.clone(), seen.clone());
                move || {
                    assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "two workers met");
                    loop {
                        let begun = state.begin();
                        let all = put_down.load(Ordering::Relaxed);
                        seen.store(all, Ordering::Relaxed);
                        // Before `rest`, because the next worker may begin immediately.
                        inside.fetch_sub(1, Ordering::Relaxed);
                        if state.rest(begun) {
                            return;
                        }
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "two workers met");
                    }
                }
            };
            let senders: Vec<_> = (0..2)
                .map(|_| {
                    let (state, put_down) = (state.clone(), put_down.clone());
                    let execute = execute.clone();
                    loom::thread::spawn(move || {
                        put_down.fetch_add(1, Ordering::Relaxed);
                        if state.wake() == Found::AtRest {
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

    /// The same with an entity that stays with its worker until that rests it, and senders that wake it
    /// only if it does not stay.
    #[test]
    fn nothing_is_lost_while_an_entity_stays() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let state = Arc::new(RunState::default());
            let put_down = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let seen = Arc::new(AtomicUsize::new(0));
            let inside = Arc::new(AtomicUsize::new(0));
            let execute = {
                let (state, put_down, seen) = (state.clone(), put_down.clone(), seen.clone());
                move || {
                    state.stay();
                    loop {
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "two workers met");
                        let begun = state.begin();
                        let all = put_down.iter().map(|one| one.load(Ordering::Relaxed)).sum();
                        seen.store(all, Ordering::Relaxed);
                        // Before `rest`, because the next worker may begin immediately.
                        inside.fetch_sub(1, Ordering::Relaxed);
                        if state.rest(begun) {
                            return;
                        }
                    }
                }
            };
            let senders: Vec<_> = (0..2)
                .map(|me| {
                    let (state, put_down) = (state.clone(), put_down.clone());
                    let execute = execute.clone();
                    loom::thread::spawn(move || {
                        put_down[me].store(1, Ordering::Relaxed);
                        if !state.stays() && state.wake() == Found::AtRest {
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

    /// The thread of an entity handles the messages of two wakers, and one of its own at any moment:
    /// what it sees at the last one is all that was written.
    #[test]
    fn the_thread_of_an_entity_sees_what_every_waker_wrote() {
        loom::model(|| {
            let state = Arc::new(RunState::default());
            let put_down = Arc::new(AtomicUsize::new(0));
            let mail = Arc::new(AtomicUsize::new(0));
            let wakers: Vec<_> = (0..2)
                .map(|_| {
                    let (state, put_down, mail) = (state.clone(), put_down.clone(), mail.clone());
                    loom::thread::spawn(move || {
                        put_down.fetch_add(1, Ordering::Relaxed);
                        if state.wake() == Found::AtRest {
                            mail.fetch_add(1, Ordering::Release);
                        }
                    })
                })
                .collect();
            let handle = || {
                state.take_wakes();
                put_down.load(Ordering::Relaxed)
            };
            let mut seen = handle();
            let mut handled = 0;
            if mail.load(Ordering::Acquire) > handled {
                handled += 1;
                seen = handle();
            }
            for waker in wakers {
                waker.join().unwrap();
            }
            for _ in handled..mail.load(Ordering::Acquire) {
                seen = handle();
            }
            assert_eq!(seen, 2);
        });
    }
}
