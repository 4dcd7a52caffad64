//! Whose tick waits for the end of whose tick, because it lets that entity leave.
//!
//! Entities that let each other leave at the same moment would wait for each other for ever. So
//! whoever begins to wait is looked for among those it would wait for, over however many others,
//! and refused if it is there: of a ring of requests the last one fails, and all others go on.

#[cfg(loom)]
use loom::sync::{Mutex, MutexGuard};
#[cfg(not(loom))]
use parking_lot::{Mutex, MutexGuard};

/// Pairs of a runner that waits, and the one it waits for, by their addresses. A runner waits for one
/// at a time, since its thread does.
#[derive(Default)]
pub(crate) struct Waits(Mutex<Vec<(usize, usize)>>);

/// As long as it lives, somebody waits.
pub(crate) struct Waiting<'a> {
    waits: &'a Waits,
    pair: (usize, usize),
}

impl Waits {
    fn lock(&self) -> MutexGuard<'_, Vec<(usize, usize)>> {
        #[cfg(not(loom))]
        return self.0.lock();
        #[cfg(loom)]
        return self.0.lock().unwrap();
    }

    /// A tick begins to wait for the end of another; `None` if that waits for the tick itself. A
    /// thread that executes nothing, with 0 for `who`, may always wait: nobody waits for it.
    pub fn begin(&self, who: usize, whom: usize) -> Option<Waiting<'_>> {
        let mut pairs = self.lock();
        let mut last = Some(whom);
        while let Some(found) = last.filter(|_| who != 0) {
            if found == who {
                return None;
            }
            last = pairs.iter().find(|(waits, _)| *waits == found).map(|(_, whom)| *whom);
        }
        pairs.push((who, whom));
        Some(Waiting { waits: self, pair: (who, whom) })
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut pairs = self.waits.lock();
        if let Some(place) = pairs.iter().position(|pair| *pair == self.pair) {
            pairs.swap_remove(place);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_ring_is_refused() {
        let waits = Waits::default();
        let first = waits.begin(1, 2);
        let second = waits.begin(2, 3);
        assert!(first.is_some() && second.is_some());
        assert!(waits.begin(3, 1).is_none());
        assert!(waits.begin(3, 4).is_some(), "somebody else");
        assert!(waits.begin(0, 1).is_some(), "nobody waits for a thread outside");
        drop(second);
        assert!(waits.begin(3, 1).is_some(), "the second does not wait any more");
    }

    #[test]
    fn nobody_waits_for_itself() {
        assert!(Waits::default().begin(1, 1).is_none());
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicUsize, Ordering};
    use loom::thread;

    /// Two ticks let the other's entity leave. Whatever the interleaving both end, and at most one
    /// of them was refused.
    #[test]
    fn ticks_that_want_each_other_to_end_do_end() {
        loom::model(|| {
            let waits = Arc::new(Waits::default());
            let ticks = Arc::new([Mutex::new(()), Mutex::new(())]);
            let refused = Arc::new(AtomicUsize::new(0));
            let tick = {
                let (ticks, refused) = (ticks.clone(), refused.clone());
                move |me: usize| {
                    let _executing = ticks[me].lock().unwrap();
                    let other = 1 - me;
                    match waits.begin(me + 1, other + 1) {
                        Some(_waiting) => drop(ticks[other].lock().unwrap()),
                        None => _ = refused.fetch_add(1, Ordering::Relaxed),
                    }
                }
            };
            let other = thread::spawn({
                let tick = tick.clone();
                move || tick(1)
            });
            tick(0);
            other.join().unwrap();
            assert!(refused.load(Ordering::Relaxed) <= 1);
        });
    }
}
