//! Whether anything can still happen, over all hyperepochs.
//!
//! A hyperepoch is quiet when, in a whole round of its cycles, none of its entities ran or sent what it held,
//! and none waits for a time or an event. If every one is, in a round that began after the last cycle in which
//! something ran and after the last event, no entity will ever be ready again: only an execution or an event
//! could change that, and every entity was asked after the last one. While the schedule changes, an entity may
//! move from a hyperepoch that is over to one that has not begun, so nothing is known then.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The cycles of all hyperepochs.
#[repr(align(128))]
pub struct Quiet {
    /// Cycles in which something ran, and events.
    changes: AtomicU64,
    /// By hyperepoch: the changes before its latest round, if that was quiet.
    began: Mutex<Vec<Option<u64>>>,
    is_one: AtomicBool,
    /// Whether a hyperepoch may have fallen asleep since others were last woken.
    is_any_asleep: AtomicBool,
    /// Whether the schedule is changing.
    is_changing: AtomicBool,
}

impl Quiet {
    /// For this many hyperepochs.
    pub fn new(hyperepochs: usize) -> Self {
        Self {
            changes: AtomicU64::new(0),
            began: Mutex::new(vec![None; hyperepochs]),
            is_one: AtomicBool::new(hyperepochs == 1),
            is_any_asleep: AtomicBool::new(false),
            is_changing: AtomicBool::new(false),
        }
    }

    /// The schedule begins to change.
    pub fn begin_change(&self) {
        self.is_changing.store(true, Ordering::SeqCst);
    }

    /// It has changed: what was quiet meanwhile says nothing of the entities that moved.
    pub fn end_change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.is_changing.store(false, Ordering::SeqCst);
    }

    /// The hyperepochs are others now. By place, whether there is one.
    pub fn reset(&self, places: impl Iterator<Item = bool>) {
        let mut began = self.began.lock();
        began.clear();
        began.extend(places.map(|is_taken| (!is_taken).then_some(u64::MAX)));
        self.is_one.store(began.len() == 1, Ordering::SeqCst);
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Nothing runs at this place any more.
    pub fn left(&self, hyperepoch: usize) {
        self.began.lock()[hyperepoch] = Some(u64::MAX);
    }

    /// Changes so far.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// A cycle is over in which something ran. Whether other hyperepochs may sleep.
    pub fn changed(&self, hyperepoch: usize) -> bool {
        // Alone, its own quiet cycle is proof enough.
        let is_one = self.is_one.load(Ordering::Relaxed);
        if !is_one {
            self.began.lock()[hyperepoch] = None;
            self.changes.fetch_add(1, Ordering::SeqCst);
        }
        !is_one && self.is_any_asleep.swap(false, Ordering::SeqCst)
    }

    /// Whether a hyperepoch may sleep, because nothing has changed since its round began. What changes from
    /// here on wakes it.
    pub fn may_sleep(&self, began: u64) -> bool {
        self.is_any_asleep.store(true, Ordering::SeqCst);
        self.changes() == began
    }

    /// An event has come. Entities that were asked before may be ready.
    pub fn event(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// A round is over in which nothing ran; `began` are the changes before it. Whether all are
    /// quiet.
    pub fn is_all_quiet(&self, hyperepoch: usize, began: u64, is_quiet: bool) -> bool {
        let mut all = self.began.lock();
        all[hyperepoch] = is_quiet.then_some(began);
        let is_changing = self.is_changing.load(Ordering::SeqCst);
        let changes = self.changes();
        !is_changing && all.iter().all(|began| began.is_some_and(|began| began >= changes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_quiet_only_behind_the_last_change() {
        let quiet = Quiet::new(2);
        assert!(!quiet.is_all_quiet(0, 0, true));
        quiet.changed(1);
        assert!(!quiet.is_all_quiet(1, 1, true), "the other one was quiet before the change");
        assert!(!quiet.is_all_quiet(0, 1, false));
        assert!(quiet.is_all_quiet(0, 1, true));
        let alone = Quiet::new(1);
        assert!(alone.is_all_quiet(0, 0, true));
        alone.event();
        assert!(!alone.is_all_quiet(0, 0, true), "it came within the cycle");
        assert!(alone.is_all_quiet(0, 1, true));
        quiet.reset([true].into_iter());
        assert!(!quiet.is_all_quiet(0, 0, true) && quiet.is_all_quiet(0, 2, true));
        quiet.reset([true, true].into_iter());
        assert!(!quiet.is_all_quiet(0, 3, true), "another one runs");
        quiet.left(1);
        assert!(quiet.is_all_quiet(0, 3, true));
    }

    #[test]
    fn nobody_is_quiet_while_the_schedule_changes() {
        let quiet = Quiet::new(2);
        quiet.begin_change();
        quiet.left(1);
        assert!(!quiet.is_all_quiet(0, 0, true), "an entity of the other one may have come here");
        quiet.end_change();
        assert!(!quiet.is_all_quiet(0, 0, true), "it was not asked yet");
        assert!(quiet.is_all_quiet(0, 1, true));
    }

    #[test]
    fn what_changes_wakes_who_sleeps() {
        let quiet = Quiet::new(2);
        assert!(!quiet.changed(1), "none sleeps");
        assert!(!quiet.may_sleep(0), "there was a change within the cycle");
        assert!(quiet.may_sleep(1));
        assert!(quiet.changed(0) && !quiet.changed(0), "once");
        quiet.event();
        assert!(!quiet.may_sleep(3), "it may have woken those that slept before");
        let alone = Quiet::new(1);
        assert!(alone.may_sleep(0) && !alone.changed(0), "there are no others");
    }
}
