//! Who runs the event loop of a context: its own thread, or a thread of the scheduler that has
//! nothing else to do.
//!
//! A message that arrives while the scheduler is in the loop wakes that thread only. While the
//! scheduler executes entities, the context's thread looks every [`PERIOD`] whether the scheduler
//! came back, and takes the loop if it did not. So a scheduler that comes and goes costs no
//! hand-over, and one that works for long leaves nothing lying. A scheduler that finds the thread in
//! the loop sleeps as usual; the thread leaves after the next event, which is the one that wakes
//! the scheduler. While nothing happens, neither wakes up.

use crate::primitives::{Condvar, Mutex};
use std::time::Duration;

/// How long the loop may stand still before the context's thread takes it.
const PERIOD: Duration = Duration::from_millis(1);

/// Who is in the loop.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Holder {
    #[default]
    Nobody,
    Thread,
    Scheduler,
}

#[derive(Default)]
struct State {
    holder: Holder,
    /// How often the scheduler came.
    entries: u64,
    /// Whether the scheduler came while the thread was in the loop.
    is_wanted: bool,
    /// Whether the thread must take the loop when it is free.
    is_due: bool,
    /// Whether the thread sleeps until the scheduler leaves.
    thread_rests: bool,
}

/// Who runs an event loop.
#[derive(Default)]
pub struct Lead {
    state: Mutex<State>,
    changed: Condvar,
}

impl Lead {
    /// The scheduler takes the loop, if the thread neither has nor needs it.
    pub fn enter(&self) -> bool {
        let mut state = self.state.lock();
        match state.holder {
            Holder::Nobody if !state.is_due => {
                state.holder = Holder::Scheduler;
                state.entries += 1;
                true
            }
            _ => {
                state.is_wanted = true;
                false
            }
        }
    }

    /// The scheduler gives the loop back; `is_due`: the thread must have it.
    pub fn leave(&self, is_due: bool) {
        let mut state = self.state.lock();
        state.holder = Holder::Nobody;
        state.is_due |= is_due;
        let wakes = std::mem::take(&mut state.thread_rests) || state.is_due;
        drop(state);
        if wakes {
            self.changed.notify_one();
        }
    }

    /// The thread must take the loop, if it does not have it. The scheduler leaves when it is woken.
    pub fn call_thread(&self) {
        let mut state = self.state.lock();
        if state.holder == Holder::Thread {
            return;
        }
        state.is_due = true;
        drop(state);
        self.changed.notify_one();
    }

    /// The thread waits until it has the loop. While the scheduler comes and goes, it does in each
    /// period what can be done without the loop.
    pub fn follow(&self, beside: impl Fn()) {
        let mut state = self.state.lock();
        let mut seen = None;
        loop {
            let stands = seen == Some(state.entries);
            match state.holder {
                Holder::Nobody if state.is_due || stands => break,
                Holder::Scheduler if stands => {
                    state.thread_rests = true;
                    while state.thread_rests && !state.is_due {
                        self.changed.wait(&mut state);
                    }
                    state.thread_rests = false;
                }
                _ => {}
            }
            seen = Some(state.entries);
            if state.holder == Holder::Nobody && state.is_due {
                continue;
            }
            self.changed.wait_for(&mut state, PERIOD);
            drop(state);
            beside();
            state = self.state.lock();
        }
        state.holder = Holder::Thread;
        state.is_due = false;
        state.is_wanted = false;
    }

    /// The thread gives the loop back if the scheduler came for it. Returns whether it did.
    pub fn yield_to_scheduler(&self) -> bool {
        let mut state = self.state.lock();
        let yields = state.is_wanted;
        if yields {
            state.holder = Holder::Nobody;
            state.is_wanted = false;
        }
        yields
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_scheduler_takes_the_loop_when_the_thread_leaves_it() {
        let lead = Lead::default();
        assert!(!lead.yield_to_scheduler());
        lead.follow(|| ());
        assert!(!lead.yield_to_scheduler(), "nobody came");
        assert!(!lead.enter());
        assert!(lead.yield_to_scheduler());
        assert!(lead.enter());
        lead.leave(true);
        assert!(!lead.enter(), "the thread must have it");
        lead.follow(|| ());
        assert!(!lead.enter());
    }

    #[test]
    fn the_thread_takes_what_stands_still() {
        let lead = Arc::new(Lead::default());
        assert!(lead.enter());
        let thread = std::thread::spawn({
            let lead = lead.clone();
            move || lead.follow(|| ())
        });
        for _ in 0..3 {
            lead.leave(false);
            if !lead.enter() {
                // This thread was away for long, so the other one has it.
                thread.join().unwrap();
                return;
            }
        }
        lead.leave(false);
        thread.join().unwrap();
        assert!(!lead.enter());
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicUsize, Ordering};
    use loom::thread;

    /// The thread gets the loop when it is called, whatever the scheduler does, and the two are
    /// never in it at once.
    #[test]
    fn the_thread_that_is_called_comes() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let lead = Arc::new(Lead::default());
            let inside = Arc::new(AtomicUsize::new(0));
            let stay = |inside: &AtomicUsize| {
                assert_eq!(inside.fetch_add(1, Ordering::AcqRel), 0);
                inside.fetch_sub(1, Ordering::AcqRel);
            };
            let thread = {
                let (lead, inside) = (lead.clone(), inside.clone());
                thread::spawn(move || {
                    lead.follow(|| ());
                    stay(&inside);
                })
            };
            let scheduler = {
                let (lead, inside) = (lead.clone(), inside.clone());
                thread::spawn(move || {
                    if lead.enter() {
                        stay(&inside);
                        lead.leave(false);
                    }
                })
            };
            lead.call_thread();
            scheduler.join().unwrap();
            thread.join().unwrap();
        });
    }

    /// A thread that rests because the scheduler sits in the loop looks again when that leaves.
    #[test]
    fn the_thread_follows_a_scheduler_that_leaves() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let lead = Arc::new(Lead::default());
            assert!(lead.enter());
            let thread = {
                let lead = lead.clone();
                thread::spawn(move || lead.follow(|| ()))
            };
            lead.leave(false);
            thread.join().unwrap();
            assert!(!lead.enter());
        });
    }
}
