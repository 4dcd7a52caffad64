//! Things that a thread does a moment later.

use crate::primitives::{Condvar, Mutex};

/// Things that a thread does a moment later.
pub struct Postponed<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    things: Vec<T>,
    has_ended: bool,
}

impl<T> Default for State<T> {
    fn default() -> Self {
        Self { things: Vec::new(), has_ended: false }
    }
}

impl<T> Default for Postponed<T> {
    fn default() -> Self {
        Self { state: Mutex::default(), changed: Condvar::default() }
    }
}

impl<T> Postponed<T> {
    /// Adds a thing. Returns whether it may still be done.
    pub fn add(&self, thing: T) -> bool {
        let mut state = self.state.lock();
        if state.has_ended {
            return false;
        }
        let was_empty = state.things.is_empty();
        state.things.push(thing);
        drop(state);
        if was_empty {
            self.changed.notify_one();
        }
        true
    }

    /// What there is to do, which stays there.
    pub fn all(&self) -> Vec<T>
    where
        T: Clone,
    {
        self.state.lock().things.clone()
    }

    /// What there is to do, for the thread that waits: nobody tells it of what it puts back.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.state.lock().things)
    }

    /// Adds things again that it is too early for.
    pub fn put_back(&self, things: impl IntoIterator<Item = T>) {
        self.state.lock().things.extend(things);
    }

    /// Waits until there is something to do. False once it has ended and nothing is left.
    pub fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while state.things.is_empty() {
            if state.has_ended {
                return false;
            }
            self.changed.wait(&mut state);
        }
        true
    }

    /// Nothing is added from now on.
    pub fn end(&self) {
        self.state.lock().has_ended = true;
        self.changed.notify_one();
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// A thread does what nobody else did; everything that was added is done exactly once.
    #[test]
    fn what_is_postponed_is_done_once() {
        loom::model(|| {
            let postponed = Arc::new(Postponed::default());
            let thread = {
                let postponed = postponed.clone();
                thread::spawn(move || {
                    let mut done = Vec::new();
                    let mut is_early = true;
                    while postponed.wait() {
                        let things = postponed.take();
                        if std::mem::take(&mut is_early) {
                            postponed.put_back(things);
                        } else {
                            done.extend(things);
                        }
                    }
                    done
                })
            };
            let sender = {
                let postponed = postponed.clone();
                thread::spawn(move || {
                    assert!(postponed.add(1) && postponed.add(2));
                })
            };
            sender.join().unwrap();
            postponed.end();
            assert!(!postponed.add(3));
            let mut done = thread.join().unwrap();
            done.sort_unstable();
            assert_eq!(done, [1, 2]);
        });
    }
}
