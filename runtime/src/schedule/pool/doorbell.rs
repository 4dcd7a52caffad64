//! How a worker that sleeps is called: by a ring, which it must never miss, or because somebody
//! takes it out of its sleep.
//!
//! One atomic word says whether somebody rang and how the worker sleeps. Whoever rings and the
//! worker that lies down both change it, so one of the two sees the other: a ring before the worker
//! lies down keeps it up, a ring afterwards finds it asleep. Every change releases and acquires, so
//! what was done before a ring is seen by the worker that answers it.

#[cfg(loom)]
use loom::{
    sync::Mutex,
    sync::atomic::{AtomicU8, Ordering},
    thread,
};
#[cfg(not(loom))]
use parking_lot::Mutex;
#[cfg(not(loom))]
use std::{
    sync::atomic::{AtomicU8, Ordering},
    thread,
};

/// Somebody rang, and the worker did not answer yet.
const RUNG: u8 = 1;
/// The worker is in `thread::park`, or about to be.
const PARKED: u8 = 2;
/// The worker sleeps in the mailbox, or is about to.
const KEEPER: u8 = 4;

/// The doorbell of one worker.
pub(super) struct Doorbell {
    word: AtomicU8,
    /// Where the worker sleeps.
    thread: Mutex<Option<thread::Thread>>,
}

impl Doorbell {
    /// A doorbell that somebody may have rung already.
    pub fn new(is_rung: bool) -> Self {
        let word = if is_rung { RUNG } else { 0 };
        Self { word: AtomicU8::new(word), thread: Mutex::new(None) }
    }

    /// The calling thread is the worker.
    pub fn move_in(&self) {
        *self.thread() = Some(thread::current());
    }

    #[cfg(not(loom))]
    fn thread(&self) -> parking_lot::MutexGuard<'_, Option<thread::Thread>> {
        self.thread.lock()
    }

    #[cfg(loom)]
    fn thread(&self) -> loom::sync::MutexGuard<'_, Option<thread::Thread>> {
        self.thread.lock().unwrap()
    }

    /// Calls the worker. True: it sleeps in the mailbox, which has to be poked.
    #[must_use]
    pub fn ring(&self) -> bool {
        let before = self.word.fetch_or(RUNG, Ordering::AcqRel);
        if before & PARKED != 0 {
            self.unpark();
        }
        before & KEEPER != 0
    }

    /// Whether somebody rang.
    #[inline]
    pub fn is_rung(&self) -> bool {
        self.word.load(Ordering::Acquire) & RUNG != 0
    }

    /// Whether somebody rang since the last answer.
    #[inline]
    pub fn answer(&self) -> bool {
        self.is_rung() && self.word.fetch_and(!RUNG, Ordering::AcqRel) & RUNG != 0
    }

    /// From now on [`Self::wake`] and [`Self::ring`] end the worker's [`Self::sleep`]. False: somebody
    /// rang, and the worker stays up.
    pub fn lie_down(&self) -> bool {
        if self.word.fetch_or(PARKED, Ordering::AcqRel) & RUNG == 0 {
            return true;
        }
        self.get_up();
        false
    }

    /// Sleeps until somebody rings or wakes the worker, or `is_over` says so. Whoever makes it say so
    /// has to call [`Self::wake`] afterwards.
    pub fn sleep(&self, is_over: impl Fn() -> bool) {
        while self.word.load(Ordering::Acquire) & (PARKED | RUNG) == PARKED && !is_over() {
            thread::park();
        }
    }

    /// From now on [`Self::ring`] says that the worker sleeps in the mailbox.
    pub fn keep(&self) {
        self.word.fetch_or(KEEPER, Ordering::AcqRel);
    }

    /// The worker sleeps no more.
    pub fn get_up(&self) {
        self.word.fetch_and(!(PARKED | KEEPER), Ordering::AcqRel);
    }

    /// Ends a sleep in `thread::park`.
    pub fn wake(&self) {
        if self.word.fetch_and(!PARKED, Ordering::AcqRel) & PARKED != 0 {
            self.unpark();
        }
    }

    fn unpark(&self) {
        if let Some(thread) = &*self.thread() {
            thread.unpark();
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::schedule::mailbox::Mailbox;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, AtomicUsize};

    /// What a home does until it was called: every ring is answered, and what was done before the
    /// ring is seen.
    #[test]
    fn a_ring_reaches_a_worker_that_lies_down() {
        loom::model(|| {
            let bell = Arc::new(Doorbell::new(false));
            let message = Arc::new(AtomicUsize::new(0));
            let caller = {
                let (bell, message) = (bell.clone(), message.clone());
                thread::spawn(move || {
                    message.store(1, Ordering::Relaxed);
                    assert!(!bell.ring(), "nobody is in the mailbox");
                })
            };
            bell.move_in();
            while !bell.answer() {
                if bell.lie_down() {
                    bell.sleep(|| false);
                    bell.get_up();
                }
            }
            assert_eq!(message.load(Ordering::Relaxed), 1);
            caller.join().unwrap();
        });
    }

    /// The same for a home that is the keeper.
    #[test]
    fn a_ring_reaches_the_keeper_in_the_mailbox() {
        loom::model(|| {
            let bell = Arc::new(Doorbell::new(false));
            let mailbox = Arc::new(Mailbox::new());
            let caller = {
                let (bell, mailbox) = (bell.clone(), mailbox.clone());
                thread::spawn(move || {
                    if bell.ring() {
                        mailbox.poke();
                    }
                })
            };
            bell.keep();
            while !mailbox.clear_poke() && !bell.is_rung() {
                mailbox.wait(None);
            }
            bell.get_up();
            assert!(bell.answer());
            caller.join().unwrap();
        });
    }

    /// The run ends, or somebody wants help, after another rang, while the worker lies down: it gets
    /// up, and the ring is not lost.
    #[test]
    fn a_ring_and_the_end_do_not_hide_each_other() {
        loom::model(|| {
            let bell = Arc::new(Doorbell::new(false));
            let stopping = Arc::new(AtomicBool::new(false));
            let worker = {
                let (bell, stopping) = (bell.clone(), stopping.clone());
                thread::spawn(move || {
                    let is_over = || stopping.load(Ordering::Relaxed);
                    bell.move_in();
                    let mut answered = false;
                    while !is_over() {
                        answered |= bell.answer();
                        if bell.lie_down() {
                            bell.sleep(is_over);
                            bell.get_up();
                        }
                    }
                    answered
                })
            };
            assert!(!bell.ring());
            stopping.store(true, Ordering::Relaxed);
            bell.wake();
            let answered = worker.join().unwrap();
            assert!(answered || bell.answer());
        });
    }

    /// Two workers, one of them the home of an entity that the other one's last tick wakes. Who finds
    /// both idle and no ring may say that nothing can happen any more: it must have happened by then.
    #[test]
    fn a_deadlock_is_not_seen_before_the_last_ring_is_answered() {
        loom::model(|| {
            let bell = Arc::new(Doorbell::new(false));
            let idle = Arc::new(loom::sync::Mutex::new(0));
            let executed = Arc::new(AtomicUsize::new(0));
            let over = Arc::new(AtomicBool::new(false));
            let judge = {
                let (bell, executed) = (bell.clone(), executed.clone());
                move |idle: usize| {
                    let is_deadlock = idle == 2 && !bell.is_rung();
                    assert!(!is_deadlock || executed.load(Ordering::Relaxed) == 1);
                    is_deadlock
                }
            };
            let worker = {
                let (bell, idle, over) = (bell.clone(), idle.clone(), over.clone());
                let judge = judge.clone();
                thread::spawn(move || {
                    assert!(!bell.ring());
                    let mut idle = idle.lock().unwrap();
                    *idle += 1;
                    if judge(*idle) {
                        over.store(true, Ordering::Relaxed);
                        bell.wake();
                    }
                })
            };
            bell.move_in();
            let is_over = || over.load(Ordering::Relaxed);
            while !is_over() {
                if bell.answer() {
                    executed.fetch_add(1, Ordering::Relaxed);
                }
                let mut count = idle.lock().unwrap();
                *count += 1;
                if judge(*count) {
                    over.store(true, Ordering::Relaxed);
                } else if bell.lie_down() {
                    drop(count);
                    bell.sleep(is_over);
                    count = idle.lock().unwrap();
                    bell.get_up();
                }
                *count -= 1;
            }
            worker.join().unwrap();
            assert_eq!(executed.load(Ordering::Relaxed), 1);
        });
    }
}
