//! Wakes a sleeping thread at the price of one load for those that find it awake.
//!
//! A thread that sends to another rings its bell. As long as the other is awake, that only reads a
//! word that rarely changes. The other says that it goes to sleep, and then looks at its mail once
//! more: between the two it makes every thread execute a memory barrier, so either the sender sees
//! that it sleeps, or it sees what was sent.

use crate::event_queue::EventQueue;
use crate::handshake;
use crate::loom::atomic::{AtomicU8, Ordering};
use crate::loom::{Mutex, thread};

/// How the thread sleeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Sleep {
    /// In [`Bell::park`].
    Parked = 1,
    /// In the event queue.
    InEventQueue = 2,
}

const AWAKE: u8 = 0;

/// The bell of one thread.
pub struct Bell {
    word: AtomicU8,
    thread: Mutex<Option<thread::Thread>>,
}

impl Default for Bell {
    fn default() -> Self {
        Self::new()
    }
}

impl Bell {
    /// The bell of a thread that is awake.
    pub fn new() -> Self {
        Self { word: AtomicU8::new(AWAKE), thread: Mutex::new(None) }
    }

    /// Makes it the bell of the calling thread.
    pub fn bind_to_this_thread(&self) {
        *self.thread.lock() = Some(thread::current());
    }

    /// Wakes the thread if it sleeps. True if it sleeps in the event queue, which must then be
    /// poked. Called after something was sent.
    #[inline]
    #[must_use]
    pub fn ring(&self) -> bool {
        handshake::often();
        self.word.load(Ordering::Relaxed) != AWAKE && self.wake()
    }

    #[cold]
    fn wake(&self) -> bool {
        let before = self.word.swap(AWAKE, Ordering::AcqRel);
        if before == Sleep::Parked as u8
            && let Some(thread) = &*self.thread.lock()
        {
            thread.unpark();
        }
        before == Sleep::InEventQueue as u8
    }

    /// The thread is about to sleep. It must look once more whether there is something for it.
    pub fn prepare(&self, sleep: Sleep) {
        // An exchange like that of `wake`, so that one of the two is before the other.
        self.word.swap(sleep as u8, Ordering::Relaxed);
        handshake::seldom();
    }

    /// The same for a thread that sleeps in an event queue: clears a poke. Returns whether the queue
    /// has events.
    pub fn prepare_in(&self, event_queue: &EventQueue) -> bool {
        // In this order: a late ring for a message that was taken already silences the bell, so if
        // its poke went afterwards, nobody would wake this thread for the next message.
        let has_events = event_queue.clear_poke();
        self.prepare(Sleep::InEventQueue);
        has_events
    }

    /// The thread does not sleep, or no longer.
    pub fn stay_awake(&self) {
        self.word.store(AWAKE, Ordering::Release);
    }

    /// Whether the thread was woken since [`Self::prepare`].
    pub fn is_awake(&self) -> bool {
        self.word.load(Ordering::Acquire) == AWAKE
    }

    /// Sleeps until the bell rings.
    pub fn park(&self) {
        while !self.is_awake() {
            thread::park();
        }
    }

    /// The same, but not for longer.
    #[cfg(not(loom))]
    pub fn park_for(&self, time: std::time::Duration) {
        let until = std::time::Instant::now() + time;
        while !self.is_awake() {
            let left = until.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::park_timeout(left);
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::lane::Lane;
    use loom::sync::Arc;

    /// A thread that parks whenever its lane is empty gets what is sent.
    #[test]
    fn a_sender_wakes_the_thread_that_parks() {
        loom::model(|| {
            let lane = Arc::new(Lane::new(1));
            let bell = Arc::new(Bell::new());
            let sender = {
                let (lane, bell) = (lane.clone(), bell.clone());
                loom::thread::spawn(move || {
                    lane.send(7).unwrap();
                    assert!(!bell.ring());
                })
            };
            bell.bind_to_this_thread();
            let mut got = None;
            while got.is_none() {
                if lane.drain(|value| got = Some(value)) {
                    break;
                }
                bell.prepare(Sleep::Parked);
                if lane.is_empty() {
                    bell.park();
                } else {
                    bell.stay_awake();
                }
            }
            assert_eq!(got, Some(7));
            sender.join().unwrap();
        });
    }

    /// The same for the thread that sleeps in the event queue, whose first message may be taken
    /// before its sender rings.
    #[test]
    fn a_sender_pokes_the_event_queue() {
        loom::model(|| {
            let lane = Arc::new(Lane::new(2));
            let bell = Arc::new(Bell::new());
            let event_queue = Arc::new(EventQueue::new());
            let sender = {
                let (lane, bell, event_queue) = (lane.clone(), bell.clone(), event_queue.clone());
                loom::thread::spawn(move || {
                    for value in [7, 8] {
                        lane.send(value).unwrap();
                        if bell.ring() {
                            event_queue.poke();
                        }
                    }
                })
            };
            let mut got = Vec::new();
            while got.len() < 2 {
                lane.drain(|value| got.push(value));
                while lane.is_empty() && got.len() < 2 {
                    bell.prepare_in(&event_queue);
                    if lane.is_empty() {
                        event_queue.wait(None);
                    }
                }
                bell.stay_awake();
            }
            assert_eq!(got, [7, 8]);
            sender.join().unwrap();
        });
    }
}
