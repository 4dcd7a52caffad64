//! The runners of a graph by index.
//!
//! An entity that joins a running graph gets an unused index. One that left keeps its index while
//! it may still be in use: until it is deactivated, and the running engine has seen that it never
//! runs again. A graph whose entities come and go all day thus needs no more indices than it has
//! entities at a time.

use crate::entity::runner::Runner;
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// All runners there are.
#[derive(Default)]
pub struct Runners {
    slots: RwLock<Vec<Slot>>,
    numbers: Mutex<Numbers>,
    /// The runners with polled terms; usually none.
    polled: RwLock<Vec<Arc<Runner>>>,
    has_polled: AtomicBool,
    /// Number of runners that joined so far.
    joined: AtomicU64,
    /// Number of them that joined in place of another.
    replaced: AtomicU64,
    /// Number of runners in the run, including those that ended.
    in_run: AtomicUsize,
    /// Number of runners whose entity left so far.
    left: AtomicU64,
    /// Whether links to other processes do not end regularly.
    breaks_links: AtomicBool,
    /// Whether an interrupt has ended the run.
    is_interrupted: AtomicBool,
}

/// The entry for an index. The runner of an entity that left stays until there is another, so that
/// an old index finds a runner that says NEVER.
struct Slot {
    runner: Arc<Runner>,
    /// Number that had joined, including it.
    joined: u64,
    /// Whether the entity was deactivated.
    is_released: bool,
    /// Whether the engine no longer executes it.
    is_gone: bool,
    /// Whether the index can be reused.
    is_free: bool,
}

#[derive(Default)]
struct Numbers {
    /// The next new index.
    next: u32,
    free: Vec<u32>,
    /// Whether an engine runs, which may use indices of entities that it has not seen end.
    has_engine: bool,
}

impl Numbers {
    fn free(&mut self, number: u32, slot: &mut Slot) {
        if !std::mem::replace(&mut slot.is_free, true) {
            // A holder of this runner wakes nothing with it.
            slot.runner.run_state.leave();
            self.free.push(number);
        }
    }
}

impl Runners {
    /// Reserves an index, reusing a freed one `>= reusable` if any.
    pub fn reserve(&self, reusable: u32) -> u32 {
        let mut numbers = self.numbers.lock();
        if let Some(place) = numbers.free.iter().rposition(|number| *number >= reusable) {
            return numbers.free.swap_remove(place);
        }
        let number = numbers.next;
        numbers.next += 1;
        number
    }

    /// Adds a runner with a reserved index. New indices come in order.
    pub fn push(&self, runner: Arc<Runner>) {
        if runner.polled {
            self.polled.write().push(runner.clone());
            self.has_polled.store(true, Ordering::Release);
        }
        let mut slots = self.slots.write();
        let joined = self.joined.fetch_add(1, Ordering::AcqRel) + 1;
        self.in_run.fetch_add(1, Ordering::AcqRel);
        let place = runner.number as usize;
        let slot = Slot { runner, joined, is_released: false, is_gone: false, is_free: false };
        if place < slots.len() {
            slots[place] = slot;
            self.replaced.fetch_add(1, Ordering::AcqRel);
        } else {
            debug_assert_eq!(slots.len(), place);
            slots.push(slot);
        }
    }

    /// Notes that the entity of this runner was deactivated.
    pub fn release(&self, runner: &Runner) {
        if runner.polled {
            self.polled.write().retain(|known| known.number != runner.number);
        }
        let mut slots = self.slots.write();
        let mut numbers = self.numbers.lock();
        let Some(slot) = slots.get_mut(runner.number as usize) else { return };
        slot.is_released = true;
        self.left.fetch_add(1, Ordering::AcqRel);
        if slot.is_gone || !numbers.has_engine {
            numbers.free(runner.number, slot);
        }
    }

    /// Notes that the running engine will not execute this entity or use its index again.
    pub fn gone(&self, number: u32) {
        let mut slots = self.slots.write();
        let Some(slot) = slots.get_mut(number as usize) else { return };
        slot.is_gone = true;
        if slot.is_released {
            self.numbers.lock().free(number, slot);
        }
    }

    /// Starts an engine: returns the runners in the order in which they joined, and their number.
    pub fn begin_run(&self) -> (Vec<Arc<Runner>>, u64) {
        let mut slots = self.slots.write();
        self.numbers.lock().has_engine = true;
        for slot in slots.iter_mut() {
            slot.is_gone = false;
            slot.runner.run_begins();
        }
        let runners = in_order(&slots, |slot| !slot.is_released);
        self.in_run.store(runners.len(), Ordering::Release);
        (runners, self.joined())
    }

    /// From now on, [`Self::finish_links`] does nothing: links break, as those of a process that dies.
    pub fn break_links(&self) {
        self.breaks_links.store(true, Ordering::Release);
    }

    /// An interrupt has ended the run.
    pub fn interrupted(&self) {
        self.is_interrupted.store(true, Ordering::Release);
    }

    /// Ends the links of all entities to other processes regularly. After an interrupt, nobody waits for
    /// one that was never open.
    pub fn finish_links(&self) {
        if self.breaks_links.load(Ordering::Acquire) {
            return;
        }
        let only_open = self.is_interrupted.load(Ordering::Acquire);
        self.all().iter().for_each(|runner| runner.finish_links(only_open));
    }

    /// Notes that the engine has ended.
    pub fn end_run(&self) {
        let mut slots = self.slots.write();
        let mut numbers = self.numbers.lock();
        numbers.has_engine = false;
        for (slot, number) in slots.iter_mut().zip(0..) {
            if slot.is_released {
                numbers.free(number, slot);
            }
        }
    }

    /// Number of runners that joined so far.
    pub fn joined(&self) -> u64 {
        self.joined.load(Ordering::Acquire)
    }

    /// Number of runners whose entity left so far.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Acquire)
    }

    /// Number of them that joined in place of another: a holder of runners by index updates when it
    /// grows.
    #[inline]
    pub fn replaced(&self) -> u64 {
        self.replaced.load(Ordering::Acquire)
    }

    /// Number of runners in the run, including those that ended.
    pub fn in_run(&self) -> usize {
        self.in_run.load(Ordering::Acquire)
    }

    /// Number of indices, and how many of them are free; for tests.
    pub fn numbers(&self) -> (usize, usize) {
        (self.slots.read().len(), self.numbers.lock().free.len())
    }

    /// The runners in the graph, in the order in which they joined.
    pub fn all(&self) -> Vec<Arc<Runner>> {
        in_order(&self.slots.read(), |slot| !slot.is_released)
    }

    /// For an engine: the runners that joined after the first `joined`, and the new total. Includes
    /// one that left again, until the engine has seen it end.
    pub fn joined_since(&self, joined: u64) -> (Vec<Arc<Runner>>, u64) {
        let slots = self.slots.read();
        (in_order(&slots, |slot| slot.joined > joined && !slot.is_free), self.joined())
    }

    /// The entries from this index on, including those of entities that left.
    pub fn from(&self, number: usize) -> Vec<Arc<Runner>> {
        let slots = self.slots.read();
        slots.iter().skip(number).map(|slot| slot.runner.clone()).collect()
    }

    /// The runner with this index.
    pub fn get(&self, number: u32) -> Option<Arc<Runner>> {
        self.slots.read().get(number as usize).map(|slot| slot.runner.clone())
    }

    /// Whether an entity has polled terms.
    #[inline]
    pub fn has_polled(&self) -> bool {
        self.has_polled.load(Ordering::Acquire)
    }

    /// Whether a polled runner satisfies a condition.
    pub fn any_polled(&self, is: impl Fn(&Runner) -> bool) -> bool {
        self.has_polled() && self.polled.read().iter().any(|runner| is(runner))
    }

    /// All runners with polled terms.
    pub fn polled(&self) -> Vec<Arc<Runner>> {
        self.polled.read().clone()
    }
}

fn in_order(slots: &[Slot], wanted: impl Fn(&Slot) -> bool) -> Vec<Arc<Runner>> {
    let mut known: Vec<&Slot> = slots.iter().filter(|slot| wanted(slot)).collect();
    known.sort_by_key(|slot| slot.joined);
    known.into_iter().map(|slot| slot.runner.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_may_be_used_again_are() {
        let runners = Runners::default();
        assert_eq!([0; 3].map(|_| runners.reserve(0)), [0, 1, 2]);
        runners.numbers.lock().free.extend([0, 2, 1]);
        assert_eq!(runners.reserve(u32::MAX), 3);
        assert_eq!(runners.reserve(2), 2);
        assert_eq!(runners.reserve(2), 4);
        assert_eq!([0; 3].map(|_| runners.reserve(0)), [1, 0, 5]);
    }
}
