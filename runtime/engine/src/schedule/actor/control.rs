//! Control registers, which carry nothing: they only order acts.
//!
//! The producer of a control register acts only with a free instance, which goes to the consumer
//! when the act is over. The consumer acts only with one that has come, which goes back when its act
//! is over. The instances are two counters, each changed before the message that wakes the other side.
//! An actor takes its instances before it acts: besides its thread, somebody may step it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A control register with one of its consumers.
pub(super) struct Control {
    pub name: String,
    pub producer: u32,
    pub consumer: u32,
    /// Instances at the producer.
    free: AtomicU32,
    /// Instances at the consumer.
    come: AtomicU32,
    /// Whether the consumer has ended, so that the producer waits for no instance any more.
    is_closed: AtomicBool,
    /// Whether the run has ended in a deadlock in which the producer could wait for an instance.
    was_full: AtomicBool,
}

/// All control registers of a plan.
#[derive(Default)]
pub(super) struct Controls {
    all: Vec<Control>,
    /// By actor: the positions of the registers that it fills, and of those that it reads.
    of_actor: Vec<[Vec<u32>; 2]>,
}

impl Control {
    pub fn new(name: &str, [producer, consumer]: [u32; 2], instances: u32) -> Self {
        Self {
            name: name.to_owned(),
            producer,
            consumer,
            free: AtomicU32::new(instances),
            come: AtomicU32::new(0),
            is_closed: AtomicBool::new(false),
            was_full: AtomicBool::new(false),
        }
    }

    fn is_open(&self) -> bool {
        !self.is_closed.load(Ordering::Acquire)
    }

    /// Whether the producer waits for an instance.
    fn is_full(&self) -> bool {
        self.free.load(Ordering::Acquire) == 0 && self.is_open()
    }
}

impl Controls {
    pub fn new(all: Vec<Control>, actors: usize) -> Self {
        if all.is_empty() {
            return Self::default();
        }
        let mut of_actor = vec![[Vec::new(), Vec::new()]; actors];
        for (control, number) in all.iter().zip(0..) {
            of_actor[control.producer as usize][0].push(number);
            of_actor[control.consumer as usize][1].push(number);
        }
        Self { all, of_actor }
    }

    /// Whether an actor fills or reads any.
    #[inline]
    pub fn order(&self, actor: u32) -> bool {
        let its = self.of_actor.get(actor as usize);
        its.is_some_and(|[fills, reads]| !fills.is_empty() || !reads.is_empty())
    }

    fn of(&self, actor: u32, side: usize) -> impl Iterator<Item = &Control> {
        let its = self.of_actor.get(actor as usize).map_or(&[][..], |its| &*its[side]);
        its.iter().map(|number| &self.all[*number as usize])
    }

    /// The run ends in a deadlock, and with it all actors, which closes the registers.
    pub fn note_deadlock(&self) {
        for control in &self.all {
            control.was_full.store(control.is_full(), Ordering::Relaxed);
        }
    }

    /// The register whose instance an actor waited for in the deadlock that ended the run.
    pub fn awaited(&self, actor: u32) -> Option<&Control> {
        let was_full = |control: &&Control| control.was_full.load(Ordering::Relaxed);
        self.of(actor, 0).find(was_full).or_else(|| self.missing(actor))
    }

    /// The register whose producer an actor waits for.
    pub fn missing(&self, actor: u32) -> Option<&Control> {
        self.of(actor, 1).find(|control| control.come.load(Ordering::Acquire) == 0)
    }

    /// An actor is about to act, with an instance of each register that it fills or reads. False, and
    /// it takes none, if there is not one of each.
    pub fn take(&self, actor: u32) -> bool {
        let is_taken = |(control, counter): (&Control, &AtomicU32)| {
            let less = |count: u32| count.checked_sub(1);
            let taken = counter.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
            taken.is_ok() || !control.is_open()
        };
        let missing = self.counters(actor).position(|counter| !is_taken(counter));
        if let Some(missing) = missing {
            self.give(self.counters(actor).take(missing));
        }
        missing.is_none()
    }

    /// An actor that was about to act does not: it takes no instances.
    pub fn put_back(&self, actor: u32) {
        self.give(self.counters(actor));
    }

    /// What an actor takes from when it acts.
    fn counters(&self, actor: u32) -> impl Iterator<Item = (&Control, &AtomicU32)> {
        let filled = self.of(actor, 0).map(|control| (control, &control.free));
        filled.chain(self.of(actor, 1).map(|control| (control, &control.come)))
    }

    /// One more in each of these. Those of closed registers count nothing.
    fn give<'c>(&self, counters: impl Iterator<Item = (&'c Control, &'c AtomicU32)>) {
        for (_, counter) in counters {
            counter.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// An act is over: sends the instances of the registers that the actor fills, and gives back those
    /// of the registers that it reads. `wake` gets the actors that may act now.
    pub fn acted(&self, actor: u32, mut wake: impl FnMut(u32)) {
        for control in self.of(actor, 0).filter(|control| control.is_open()) {
            control.come.fetch_add(1, Ordering::AcqRel);
            wake(control.consumer);
        }
        for control in self.of(actor, 1) {
            control.free.fetch_add(1, Ordering::AcqRel);
            wake(control.producer);
        }
    }

    /// An actor has ended: `wake` gets the producers of the registers that it read.
    pub fn close(&self, actor: u32, mut wake: impl FnMut(u32)) {
        for control in self.of(actor, 1) {
            control.is_closed.store(true, Ordering::Release);
            wake(control.producer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn producer_and_consumer_take_turns() {
        let controls = Controls::new(vec![Control::new("order", [0, 1], 1)], 3);
        let awaited = |actor| {
            controls.note_deadlock();
            controls.awaited(actor).is_some()
        };
        assert_eq!([0, 1, 2].map(|actor| controls.order(actor)), [true, true, false]);
        assert_eq!([awaited(0), awaited(1), awaited(2)], [false, true, false]);
        let mut woken = Vec::new();
        assert!(controls.take(0) && !controls.take(0) && !controls.take(1));
        assert_eq!([awaited(0), awaited(1)], [true, true], "the act is not over");
        controls.put_back(0);
        assert!(controls.take(0), "there was no act");
        controls.acted(0, |actor| woken.push(actor));
        assert_eq!([awaited(0), awaited(1)], [true, false]);
        assert!(controls.take(1) && !controls.take(1));
        assert_eq!([awaited(0), awaited(1)], [true, true], "the act is not over");
        controls.acted(1, |actor| woken.push(actor));
        assert_eq!([awaited(0), awaited(1)], [false, true]);
        assert_eq!(woken, [1, 0]);
    }

    #[test]
    fn a_producer_does_not_wait_for_a_consumer_that_has_ended() {
        let controls = Controls::new(vec![Control::new("order", [0, 1], 1)], 2);
        assert!(controls.take(0));
        controls.acted(0, |_| ());
        let awaited = || {
            controls.note_deadlock();
            controls.awaited(0).is_some()
        };
        assert!(awaited());
        let mut woken = Vec::new();
        controls.close(1, |actor| woken.push(actor));
        assert_eq!(woken, [0]);
        for _ in 0..3 {
            assert!(!awaited() && controls.take(0));
            controls.acted(0, |_| ());
        }
    }

    #[test]
    fn who_lacks_one_instance_takes_none() {
        let registers = [[0, 2], [1, 2]].map(|ends| Control::new("order", ends, 1));
        let controls = Controls::new(registers.into(), 3);
        assert!(controls.take(0));
        controls.acted(0, |_| ());
        assert!(!controls.take(2), "the other one has not acted");
        assert!(controls.take(1));
        controls.acted(1, |_| ());
        assert!(controls.take(2));
    }
}
