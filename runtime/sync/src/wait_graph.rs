//! Which threads wait for the end of which tick, in order to remove its entity, and which wait for
//! the right to change the graph.
//!
//! Entities that remove each other at the same moment would wait for each other for ever. So would
//! an initialising component that removes an entity, and that entity's tick if it changes the
//! graph: changes happen one at a time, and an initialisation is part of a change. So before a wait
//! begins, a search follows the existing waits from its target. If it arrives at the waiting
//! thread, the wait is refused: in a cycle the last one fails, and all others continue.

use crate::loom::Mutex;
use smallvec::SmallVec;

/// Pairs of a waiter and what it waits for. Each is a runner with a tick in progress, by its
/// address; a thread outside ticks, by a unique address; the calls of an entity's components, see
/// [`calls_of`]; or [`CHANGE`].
#[derive(Default)]
pub struct WaitGraph(Mutex<Vec<Pair>>);

type Pair = (usize, usize);

/// The right to change the graph. Threads that want it wait for it; it waits for its holder.
pub const CHANGE: usize = 1;

/// The calls of an entity's components by other entities. A thread waits for them to end before the
/// components are deinitialised; they wait for the threads inside them.
pub fn calls_of(eid: i64) -> usize {
    // No address.
    usize::MAX - usize::try_from(eid).unwrap_or_default()
}

/// A wait, which ends on drop.
pub struct Waiting<'a> {
    waits: &'a WaitGraph,
    pairs: SmallVec<[Pair; 2]>,
}

/// The calling thread, if it executes no entity.
pub fn this_thread() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl WaitGraph {
    /// Begins a wait; `None` if it would close a cycle.
    pub fn begin(&self, who: usize, whom: usize) -> Option<Waiting<'_>> {
        self.begin_inside(who, whom, &[])
    }

    /// Like [`begin`](Self::begin), for a thread that is inside calls whose end others may wait for.
    pub fn begin_inside(&self, who: usize, whom: usize, calls: &[usize]) -> Option<Waiting<'_>> {
        let mut all = self.0.lock();
        if leads(&all, whom, who) || calls.iter().any(|call| leads(&all, whom, *call)) {
            return None;
        }
        let own = calls.iter().map(|call| (*call, who));
        let pairs: SmallVec<[Pair; 2]> = own.chain([(who, whom)]).collect();
        all.extend_from_slice(&pairs);
        Some(Waiting { waits: self, pairs })
    }

    /// Records which thread got the right to change the graph. This closes no cycle, because that
    /// thread does not wait.
    pub fn got_change(&self, who: usize) -> Waiting<'_> {
        self.0.lock().push((CHANGE, who));
        Waiting { waits: self, pairs: SmallVec::from_slice(&[(CHANGE, who)]) }
    }
}

/// Whether one waits for another, directly or through others.
fn leads(pairs: &[Pair], from: usize, to: usize) -> bool {
    let mut found: SmallVec<[usize; 8]> = SmallVec::from_slice(&[from]);
    let mut looked = 0;
    while let Some(&one) = found.get(looked) {
        if one == to {
            return true;
        }
        for (_, whom) in pairs.iter().filter(|(waits, _)| *waits == one) {
            if !found.contains(whom) {
                found.push(*whom);
            }
        }
        looked += 1;
    }
    false
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut all = self.waits.0.lock();
        for own in &self.pairs {
            if let Some(place) = all.iter().position(|pair| pair == own) {
                all.swap_remove(place);
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_ring_is_refused() {
        let waits = WaitGraph::default();
        let first = waits.begin(11, 12);
        let second = waits.begin(12, 13);
        assert!(first.is_some() && second.is_some());
        assert!(waits.begin(13, 11).is_none());
        assert!(waits.begin(13, 14).is_some(), "somebody else");
        assert!(waits.begin(this_thread(), 11).is_some(), "nobody waits for a thread outside");
        drop(second);
        assert!(waits.begin(13, 11).is_some(), "the second does not wait any more");
    }

    #[test]
    fn the_end_of_calls_is_waited_for() {
        let waits = WaitGraph::default();
        let calls = calls_of(5);
        // The call waits for the thread that waits for the end of the call: the last one is refused.
        let removal = waits.begin(11, calls);
        assert!(removal.is_some());
        assert!(waits.begin_inside(12, 11, &[calls]).is_none());
        assert!(waits.begin_inside(12, 11, &[calls_of(6)]).is_some());
        drop(removal);
        let call = waits.begin_inside(12, 11, &[calls]);
        assert!(call.is_some());
        assert!(waits.begin(11, calls).is_none());
        drop(call);
        assert!(waits.begin(11, calls).is_some());
    }

    #[test]
    fn nobody_waits_for_itself() {
        assert!(WaitGraph::default().begin(11, 11).is_none());
    }

    #[test]
    fn whoever_may_change_the_graph_is_waited_for() {
        let waits = WaitGraph::default();
        let change = waits.got_change(this_thread());
        // A tick that removes an entity will finally want to change the graph.
        let wants = waits.begin(11, CHANGE);
        let waits_for_tick = waits.begin(11, 12);
        assert!(wants.is_some() && waits_for_tick.is_some());
        assert!(waits.begin(this_thread(), 11).is_none());
        assert!(waits.begin(this_thread(), 12).is_some(), "that one wants nothing");
        drop(change);
        let waits_for_both = waits.begin(this_thread(), 11);
        assert!(waits_for_both.is_some(), "the change is over");
        let change = waits.got_change(11);
        assert!(waits.begin(12, CHANGE).is_none(), "by the tick that waits for it");
        drop((change, waits_for_both));
    }

    #[test]
    fn threads_differ() {
        let here = this_thread();
        assert_eq!(this_thread(), here);
        assert_ne!(std::thread::spawn(this_thread).join().unwrap(), here);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicUsize, Ordering};
    use loom::thread;

    /// Two ticks remove each other's entity. In every interleaving both end, and at most one is
    /// refused.
    #[test]
    fn ticks_that_want_each_other_to_end_do_end() {
        loom::model(|| {
            let waits = Arc::new(WaitGraph::default());
            let ticks = Arc::new([Mutex::new(()), Mutex::new(())]);
            let refused = Arc::new(AtomicUsize::new(0));
            let tick = {
                let (ticks, refused) = (ticks.clone(), refused.clone());
                move |me: usize| {
                    let _executing = ticks[me].lock();
                    let other = 1 - me;
                    match waits.begin(me + 11, other + 11) {
                        Some(_waiting) => drop(ticks[other].lock()),
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

    /// A change that waits for the end of a tick, and that tick, which wants to change the graph.
    /// The same holds.
    #[test]
    fn a_change_and_a_tick_that_wants_one_do_end() {
        const TICK: usize = 11;
        const INITIALIZES: usize = 12;
        loom::model(|| {
            let waits = Arc::new(WaitGraph::default());
            let (change, tick) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
            let refused = Arc::new(AtomicUsize::new(0));
            let ticking = thread::spawn({
                let (waits, refused) = (waits.clone(), refused.clone());
                let (change, tick) = (change.clone(), tick.clone());
                move || {
                    let _executing = tick.lock();
                    match waits.begin(TICK, CHANGE) {
                        Some(_waiting) => {
                            let _changing = change.lock();
                            let _holds = waits.got_change(TICK);
                        }
                        None => _ = refused.fetch_add(1, Ordering::Relaxed),
                    }
                }
            });
            if let Some(_wants) = waits.begin(INITIALIZES, CHANGE) {
                let _changing = change.lock();
                let _holds = waits.got_change(INITIALIZES);
                match waits.begin(INITIALIZES, TICK) {
                    Some(_waiting) => drop(tick.lock()),
                    None => _ = refused.fetch_add(1, Ordering::Relaxed),
                }
            }
            ticking.join().unwrap();
            assert!(refused.load(Ordering::Relaxed) <= 1);
        });
    }
}
