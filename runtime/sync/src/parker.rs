//! Wakes a sleeping worker: with a notification, which it never misses, or by ending its park.
//!
//! One atomic word says whether there is a notification and how the worker sleeps. Notifier and
//! worker both change it, so one of them sees the other: a notification before the worker sleeps
//! keeps it awake; a later one finds it asleep. Every change releases and acquires, so a worker
//! that takes a notification sees everything that was done before it.

use crate::loom::atomic::{AtomicU8, Ordering};
use crate::loom::{Mutex, thread};

/// A notification that the worker has not taken yet.
const NOTIFIED: u8 = 1;
/// The worker is in `thread::park`, or about to be.
const PARKED: u8 = 2;
/// The worker sleeps in the event queue, or is about to.
const DRIVER: u8 = 4;

/// The parker of one worker.
pub struct Parker {
    word: AtomicU8,
    /// The worker's thread.
    thread: Mutex<Option<thread::Thread>>,
}

impl Parker {
    /// A parker, possibly with a notification.
    pub fn new(is_notified: bool) -> Self {
        let word = if is_notified { NOTIFIED } else { 0 };
        Self { word: AtomicU8::new(word), thread: Mutex::new(None) }
    }

    /// Makes the calling thread the worker.
    pub fn bind_to_this_thread(&self) {
        *self.thread.lock() = Some(thread::current());
    }

    /// Notifies the worker. True if it sleeps in the event queue, which must then be poked.
    #[must_use]
    pub fn notify(&self) -> bool {
        let before = self.word.fetch_or(NOTIFIED, Ordering::AcqRel);
        if before & PARKED != 0 {
            self.unpark();
        }
        before & DRIVER != 0
    }

    /// Whether there is a notification.
    #[inline]
    pub fn is_notified(&self) -> bool {
        self.word.load(Ordering::Acquire) & NOTIFIED != 0
    }

    /// Takes the notification; whether there was one.
    #[inline]
    pub fn take_notification(&self) -> bool {
        self.is_notified() && self.word.fetch_and(!NOTIFIED, Ordering::AcqRel) & NOTIFIED != 0
    }

    /// From now on [`Self::wake`] and [`Self::notify`] end the worker's [`Self::park`]. False if
    /// there is a notification: the worker must not sleep.
    pub fn prepare_to_park(&self) -> bool {
        if self.word.fetch_or(PARKED, Ordering::AcqRel) & NOTIFIED == 0 {
            return true;
        }
        self.unpark_self();
        false
    }

    /// Sleeps until a notification, a wake, or `is_over`. The thread that makes `is_over` true must
    /// then call [`Self::wake`].
    pub fn park(&self, is_over: impl Fn() -> bool) {
        while self.word.load(Ordering::Acquire) & (PARKED | NOTIFIED) == PARKED && !is_over() {
            thread::park();
        }
    }

    /// From now on [`Self::notify`] reports that the worker sleeps in the event queue.
    pub fn drive(&self) {
        self.word.fetch_or(DRIVER, Ordering::AcqRel);
    }

    /// The worker no longer sleeps.
    pub fn unpark_self(&self) {
        self.word.fetch_and(!(PARKED | DRIVER), Ordering::AcqRel);
    }

    /// Ends a sleep in `thread::park`.
    pub fn wake(&self) {
        if self.word.fetch_and(!PARKED, Ordering::AcqRel) & PARKED != 0 {
            self.unpark();
        }
    }

    fn unpark(&self) {
        if let Some(thread) = &*self.thread.lock() {
            thread.unpark();
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::event_queue::EventQueue;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, AtomicUsize};
    use loom::thread;

    /// A pinned worker's loop: it takes every notification, and sees what was done before.
    #[test]
    fn a_ring_reaches_a_worker_that_lies_down() {
        loom::model(|| {
            let parker = Arc::new(Parker::new(false));
            let message = Arc::new(AtomicUsize::new(0));
            let caller = {
                let (parker, message) = (parker.clone(), message.clone());
                thread::spawn(move || {
                    message.store(1, Ordering::Relaxed);
                    assert!(!parker.notify(), "nobody is in the event_queue");
                })
            };
            parker.bind_to_this_thread();
            while !parker.take_notification() {
                if parker.prepare_to_park() {
                    parker.park(|| false);
                    parker.unpark_self();
                }
            }
            assert_eq!(message.load(Ordering::Relaxed), 1);
            caller.join().unwrap();
        });
    }

    /// The same for a pinned worker that is also the driver.
    #[test]
    fn a_notification_reaches_the_driver_in_the_event_queue() {
        loom::model(|| {
            let parker = Arc::new(Parker::new(false));
            let event_queue = Arc::new(EventQueue::new());
            let caller = {
                let (parker, event_queue) = (parker.clone(), event_queue.clone());
                thread::spawn(move || {
                    if parker.notify() {
                        event_queue.poke();
                    }
                })
            };
            parker.drive();
            while !event_queue.clear_poke() && !parker.is_notified() {
                event_queue.wait(None);
            }
            parker.unpark_self();
            assert!(parker.take_notification());
            caller.join().unwrap();
        });
    }

    /// The run ends, or another worker needs help, after a notification while the worker goes to
    /// sleep: it wakes up, and the notification is not lost.
    #[test]
    fn a_ring_and_the_end_do_not_hide_each_other() {
        loom::model(|| {
            let parker = Arc::new(Parker::new(false));
            let stopping = Arc::new(AtomicBool::new(false));
            let worker = {
                let (parker, stopping) = (parker.clone(), stopping.clone());
                thread::spawn(move || {
                    let is_over = || stopping.load(Ordering::Relaxed);
                    parker.bind_to_this_thread();
                    let mut answered = false;
                    while !is_over() {
                        answered |= parker.take_notification();
                        if parker.prepare_to_park() {
                            parker.park(is_over);
                            parker.unpark_self();
                        }
                    }
                    answered
                })
            };
            assert!(!parker.notify());
            stopping.store(true, Ordering::Relaxed);
            parker.wake();
            let answered = worker.join().unwrap();
            assert!(answered || parker.take_notification());
        });
    }

    /// Two workers; one has a pinned entity that the other one's last tick wakes. A worker may
    /// declare the end only if both are idle without a notification, and then the pinned entity has
    /// run.
    #[test]
    fn a_deadlock_is_not_seen_before_the_last_ring_is_answered() {
        loom::model(|| {
            let parker = Arc::new(Parker::new(false));
            let idle = Arc::new(loom::sync::Mutex::new(0));
            let executed = Arc::new(AtomicUsize::new(0));
            let over = Arc::new(AtomicBool::new(false));
            let judge = {
                let (parker, executed) = (parker.clone(), executed.clone());
                move |idle: usize| {
                    let is_deadlock = idle == 2 && !parker.is_notified();
                    assert!(!is_deadlock || executed.load(Ordering::Relaxed) == 1);
                    is_deadlock
                }
            };
            let worker = {
                let (parker, idle, over) = (parker.clone(), idle.clone(), over.clone());
                let judge = judge.clone();
                thread::spawn(move || {
                    assert!(!parker.notify());
                    let mut idle = idle.lock().unwrap();
                    *idle += 1;
                    if judge(*idle) {
                        over.store(true, Ordering::Relaxed);
                        parker.wake();
                    }
                })
            };
            parker.bind_to_this_thread();
            let is_over = || over.load(Ordering::Relaxed);
            while !is_over() {
                if parker.take_notification() {
                    executed.fetch_add(1, Ordering::Relaxed);
                }
                let mut count = idle.lock().unwrap();
                *count += 1;
                if judge(*count) {
                    over.store(true, Ordering::Relaxed);
                } else if parker.prepare_to_park() {
                    drop(count);
                    parker.park(is_over);
                    count = idle.lock().unwrap();
                    parker.unpark_self();
                }
                *count -= 1;
            }
            worker.join().unwrap();
            assert_eq!(executed.load(Ordering::Relaxed), 1);
        });
    }
}
