//! How events from other threads reach a scheduler.
//!
//! A scheduler that finds nothing to do sleeps here. Whoever has an event for an entity puts the
//! entity's number into the box and wakes the scheduler. An event is never lost: sender and
//! sleeper use the same lock, so an event that comes between the scheduler's last look and its
//! sleep is seen before it sleeps. An entity stands in the box at most once, so the box cannot
//! grow beyond the number of entities.

#[cfg(loom)]
use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, Ordering},
};
#[cfg(not(loom))]
use parking_lot::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Default)]
struct Content {
    entities: Vec<u32>,
    /// By entity number: stands in `entities` already.
    listed: Vec<bool>,
    /// Something happened that concerns no entity.
    poked: bool,
    stop: bool,
    /// Whoever looks into the box stays there until this is over.
    paused: bool,
}

/// A box of entity numbers with a sleeper.
pub(crate) struct Mailbox {
    content: Mutex<Content>,
    arrived: Condvar,
    /// A pause is over, or the run is to end.
    resumed: Condvar,
    /// There may be something inside; saves the lock on the scheduler's hot path.
    pending: AtomicBool,
}

/// What woke the scheduler.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// Something is in the box.
    Event,
    /// The time is over.
    Timeout,
    /// The run is to end.
    Stop,
}

impl Mailbox {
    pub fn new() -> Self {
        Self {
            content: Mutex::new(Content::default()),
            arrived: Condvar::new(),
            resumed: Condvar::new(),
            pending: AtomicBool::new(false),
        }
    }

    #[cfg(not(loom))]
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock()
    }

    #[cfg(loom)]
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap()
    }

    /// An event for an entity.
    pub fn post(&self, entity: u32) {
        let mut content = self.lock();
        let place = entity as usize;
        if content.listed.len() <= place {
            content.listed.resize(place + 1, false);
        }
        if !content.listed[place] {
            content.listed[place] = true;
            content.entities.push(entity);
            // Release pairs with the Acquire in `has_mail`.
            self.pending.store(true, Ordering::Release);
            drop(content);
            self.arrived.notify_one();
        }
    }

    /// Wakes the scheduler without an event for an entity: the time has changed.
    pub fn poke(&self) {
        let mut content = self.lock();
        content.poked = true;
        self.pending.store(true, Ordering::Release);
        drop(content);
        self.arrived.notify_one();
    }

    /// Asks the run to end.
    pub fn stop(&self) {
        let mut content = self.lock();
        content.stop = true;
        self.pending.store(true, Ordering::Release);
        drop(content);
        self.arrived.notify_all();
        self.resumed.notify_all();
    }

    /// From the scheduler's next look into the box on nothing is executed.
    pub fn pause(&self) {
        let mut content = self.lock();
        content.paused = true;
        self.pending.store(true, Ordering::Release);
    }

    /// Ends a pause.
    pub fn resume(&self) {
        let mut content = self.lock();
        content.paused = false;
        drop(content);
        self.resumed.notify_all();
    }

    /// Whether there is a pause.
    pub fn is_paused(&self) -> bool {
        self.lock().paused
    }

    /// The content, as soon as there is no pause. A run that is to end is not paused.
    fn lock_unpaused(&self) -> MutexGuard<'_, Content> {
        let mut content = self.lock();
        while content.paused && !content.stop {
            #[cfg(not(loom))]
            self.resumed.wait(&mut content);
            #[cfg(loom)]
            {
                content = self.resumed.wait(content).unwrap();
            }
        }
        content
    }

    /// Prepares for another run.
    pub fn reset(&self) {
        let mut content = self.lock();
        *content = Content::default();
        self.pending.store(false, Ordering::Relaxed);
    }

    /// Whether `collect` would find something; cheap.
    #[inline]
    pub fn has_mail(&self) -> bool {
        self.pending.load(Ordering::Acquire)
    }

    /// Hands out all entities and says whether the run is to end. Blocks during a pause. For the only
    /// one who ever sleeps here, who takes note of a poke thereby.
    pub fn collect(&self, take: impl FnMut(u32)) -> bool {
        let mut content = self.lock_unpaused();
        content.poked = false;
        self.hand_out(content, take)
    }

    /// The same while another may sleep here: a poke is left to that one, who may have been woken by
    /// it and not have looked yet.
    pub fn collect_beside_sleeper(&self, take: impl FnMut(u32)) -> bool {
        self.hand_out(self.lock_unpaused(), take)
    }

    /// As [`Self::collect`] for somebody who must not wait: `None` during a pause.
    pub fn collect_unless_paused(&self, take: impl FnMut(u32)) -> Option<bool> {
        let mut content = self.lock();
        (!content.paused || content.stop).then(|| {
            content.poked = false;
            self.hand_out(content, take)
        })
    }

    /// Hands out all entities; a stop, a pause and a poke stay for the next look.
    pub fn collect_entities(&self, take: impl FnMut(u32)) {
        let content = self.lock();
        let rest = content.stop || content.paused || content.poked;
        self.drain(content, rest, take);
    }

    /// Waits until there is no pause.
    pub fn sit_out_pause(&self) {
        drop(self.lock_unpaused());
    }

    fn hand_out(&self, content: MutexGuard<'_, Content>, take: impl FnMut(u32)) -> bool {
        let stop = content.stop;
        self.drain(content, stop, take);
        stop
    }

    fn drain(&self, mut content: MutexGuard<'_, Content>, rest: bool, take: impl FnMut(u32)) {
        // Under the lock, so no event can come in between.
        self.pending.store(rest, Ordering::Relaxed);
        let mut entities = std::mem::take(&mut content.entities);
        for entity in &entities {
            content.listed[*entity as usize] = false;
        }
        drop(content);
        // Without the lock: whoever is woken may have to be told of it through this box.
        entities.drain(..).for_each(take);
        let mut content = self.lock();
        if content.entities.capacity() == 0 {
            content.entities = entities;
        }
    }

    /// Takes note of a poke. Whether there is something for `collect`.
    pub fn clear_poke(&self) -> bool {
        let mut content = self.lock();
        content.poked = false;
        let found = content.stop || content.paused || !content.entities.is_empty();
        self.pending.store(found, Ordering::Relaxed);
        found
    }

    /// Sleeps until something is in the box, the run is to end, or the time is over.
    #[cfg(not(loom))]
    pub fn wait(&self, timeout: Option<Duration>) -> Woken {
        let deadline = timeout.and_then(|timeout| std::time::Instant::now().checked_add(timeout));
        let mut content = self.lock();
        loop {
            if content.stop {
                return Woken::Stop;
            }
            if content.poked || !content.entities.is_empty() {
                return Woken::Event;
            }
            match deadline {
                Some(deadline) => {
                    if self.arrived.wait_until(&mut content, deadline).timed_out() {
                        return Woken::Timeout;
                    }
                }
                None => self.arrived.wait(&mut content),
            }
        }
    }

    /// Loom has no time: the model waits without end.
    #[cfg(loom)]
    pub fn wait(&self, _timeout: Option<Duration>) -> Woken {
        let mut content = self.lock();
        loop {
            if content.stop {
                return Woken::Stop;
            }
            if content.poked || !content.entities.is_empty() {
                return Woken::Event;
            }
            content = self.arrived.wait(content).unwrap();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_entity_stands_in_the_box_once() {
        let mailbox = Mailbox::new();
        for _ in 0..3 {
            mailbox.post(7);
        }
        mailbox.post(2);
        let mut taken = Vec::new();
        assert!(!mailbox.collect(|entity| taken.push(entity)));
        assert_eq!(taken, [7, 2]);
        assert!(!mailbox.has_mail());
        mailbox.post(7);
        assert!(mailbox.has_mail());
    }

    #[test]
    fn what_concerns_no_entity_stays_when_entities_are_taken() {
        let leave: [fn(&Mailbox); 3] = [Mailbox::stop, Mailbox::pause, Mailbox::poke];
        for leave in leave {
            let mailbox = Mailbox::new();
            leave(&mailbox);
            mailbox.post(3);
            let mut taken = Vec::new();
            mailbox.collect_entities(|entity| taken.push(entity));
            assert_eq!(taken, [3]);
            assert!(mailbox.has_mail());
        }
        let mailbox = Mailbox::new();
        mailbox.post(3);
        mailbox.collect_entities(|_| ());
        assert!(!mailbox.has_mail());
    }

    #[test]
    fn a_pause_holds_whoever_looks_until_it_is_over_or_the_run_is() {
        type End = fn(&Mailbox);
        let ends: [(End, bool); 2] = [(Mailbox::resume, false), (Mailbox::stop, true)];
        for (end, stops) in ends {
            let mailbox = std::sync::Arc::new(Mailbox::new());
            mailbox.post(3);
            mailbox.pause();
            assert!(mailbox.is_paused() && mailbox.clear_poke() && mailbox.has_mail());
            let (sender, taken) = std::sync::mpsc::channel();
            let looker = mailbox.clone();
            let thread = std::thread::spawn(move || looker.collect(|n| sender.send(n).unwrap()));
            assert!(taken.recv_timeout(Duration::from_millis(20)).is_err());
            end(&mailbox);
            assert_eq!(taken.recv(), Ok(3));
            assert_eq!(thread.join().unwrap(), stops);
        }
    }

    #[test]
    fn waiting_ends_by_time_event_and_stop() {
        let mailbox = Mailbox::new();
        assert_eq!(mailbox.wait(Some(Duration::from_millis(1))), Woken::Timeout);
        mailbox.post(0);
        assert_eq!(mailbox.wait(None), Woken::Event);
        mailbox.stop();
        assert_eq!(mailbox.wait(None), Woken::Stop);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    /// Two senders and a scheduler that sleeps whenever the box looks empty: both events arrive,
    /// whatever the interleaving, and the stop ends the loop.
    #[test]
    fn no_event_is_lost() {
        loom::model(|| {
            let mailbox = Arc::new(Mailbox::new());
            let senders: Vec<_> = (0..2)
                .map(|entity| {
                    let mailbox = mailbox.clone();
                    loom::thread::spawn(move || mailbox.post(entity))
                })
                .collect();
            let mut seen = [false; 2];
            while seen != [true; 2] {
                if mailbox.has_mail() {
                    mailbox.collect(|entity| seen[entity as usize] = true);
                } else {
                    mailbox.wait(None);
                }
            }
            for sender in senders {
                sender.join().unwrap();
            }
        });
    }

    /// An interrupt from another thread ends a sleeping scheduler.
    #[test]
    fn stop_wakes_the_sleeper() {
        loom::model(|| {
            let mailbox = Arc::new(Mailbox::new());
            let other = {
                let mailbox = mailbox.clone();
                loom::thread::spawn(move || mailbox.stop())
            };
            assert_eq!(mailbox.wait(None), Woken::Stop);
            assert!(mailbox.has_mail());
            assert!(mailbox.collect(|_| ()));
            other.join().unwrap();
        });
    }

    /// Another thread takes the mail out while the run ends: whoever sleeps here hears of the end.
    #[test]
    fn a_poke_reaches_the_sleeper_whoever_collects() {
        loom::model(|| {
            let mailbox = Arc::new(Mailbox::new());
            let is_over = Arc::new(AtomicBool::new(false));
            let collector = {
                let mailbox = mailbox.clone();
                loom::thread::spawn(move || mailbox.collect_beside_sleeper(|_| ()))
            };
            let finisher = {
                let (mailbox, is_over) = (mailbox.clone(), is_over.clone());
                loom::thread::spawn(move || {
                    is_over.store(true, Ordering::SeqCst);
                    mailbox.poke();
                })
            };
            mailbox.clear_poke();
            while !is_over.load(Ordering::SeqCst) {
                mailbox.wait(None);
            }
            collector.join().unwrap();
            finisher.join().unwrap();
        });
    }
}
