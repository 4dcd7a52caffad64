//! The room behind a transmitter, and whether its entity waits for more.

use crate::primitives::{AtomicBool, AtomicU64, Ordering};

/// Number of messages for which there is room. Most entities never ask for it, and are not woken by
/// more of it.
#[derive(Default)]
pub struct Room {
    messages: AtomicU64,
    /// Whether the entity has asked since it was last woken.
    has_asked: AtomicBool,
}

impl Room {
    /// The room, for the entity: it is woken if there is more.
    pub fn ask(&self) -> u64 {
        // Whoever makes room exchanges the same value after that. Of two exchanges, the second one
        // sees what came before the first: either this asks in time, or it finds the room. A question
        // that is there already is answered by who exchanges it next.
        if !self.has_asked.load(Ordering::Acquire) {
            self.has_asked.swap(true, Ordering::AcqRel);
        }
        self.messages.load(Ordering::Acquire)
    }

    /// The room, for others.
    pub fn get(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Sets the room. Callers take turns.
    pub fn set(&self, messages: u64) {
        self.messages.store(messages, Ordering::Release);
    }

    /// Whether the entity must be woken because there is more room than before: how much it waits
    /// for is its own affair.
    #[must_use]
    pub fn has_news(&self, before: u64) -> bool {
        self.get() > before && self.has_asked.swap(false, Ordering::AcqRel)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_who_asks_has_news() {
        let room = Room::default();
        room.set(3);
        assert!(!room.has_news(0), "nobody asked");
        assert_eq!(room.ask(), 3);
        assert!(!room.has_news(3), "it is not more");
        room.set(4);
        assert!(room.has_news(3));
        room.set(5);
        assert!(!room.has_news(4), "nobody has asked again");
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// An entity that finds no room is woken, in every interleaving with a peer that makes some.
    #[test]
    fn an_entity_that_finds_too_little_is_woken() {
        loom::model(|| {
            let room = Arc::new(Room::default());
            let peer = {
                let room = room.clone();
                thread::spawn(move || {
                    let mut wakes = false;
                    for messages in [1, 2] {
                        room.set(messages);
                        wakes |= room.has_news(messages - 1);
                    }
                    wakes
                })
            };
            let found = room.ask();
            let is_woken = peer.join().unwrap();
            assert!(found == 2 || is_woken);
        });
    }
}
