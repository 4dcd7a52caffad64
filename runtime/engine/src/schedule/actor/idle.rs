//! A thread without work, which sleeps, as the driver or not; and what the driver does while all
//! others sleep.
//!
//! The *driver* sleeps where events come: it waits for timers, links and other things outside the graph.
//! It remains the driver while it works, so that a message that comes for its own actors wakes no other
//! thread. Meanwhile somebody else must look: a thread that runs out of work then becomes the driver, and
//! of those that are parked one is the *watcher*, which takes the place of a driver that works for long.
//! An actor acts on its own thread only. So a driver that passes on what comes, again and again, leaves its
//! place to the thread to which it does.

use super::Actors;
use crate::schedule::engine::End;
use crate::schedule::outcome::Outcome;
use gxf_sync::bell::Sleep;
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a driver may work before the watcher takes its place.
const PERIOD: Duration = Duration::from_millis(1);
/// A driver that has passed on work so often in turn leaves its place.
const PASSED_ON: u32 = 4;

/// State that is decided under the lock.
pub(super) struct Central {
    /// The reason the run is over.
    pub outcome: Outcome,
    /// Number of threads without work.
    idle: usize,
    /// Those of them that are parked.
    parked: Vec<usize>,
    driver: Driver,
    watcher: Option<Watcher>,
    /// Whether the driver moves the clock. Threads that wake up meanwhile wait for the new time, so
    /// that none goes on in the past.
    is_jumping: bool,
    /// The last time when something was ready, by the clock.
    last_ready: i64,
    /// When the driver wakes up by itself, by the clock.
    alarm: i64,
}

/// The thread that waits for timers and events.
#[derive(Default)]
struct Driver {
    /// Which one; none before the first.
    thread: Option<usize>,
    /// Whether it waits. Otherwise it works, and another thread may become the driver.
    waits: bool,
    /// The thread that becomes the driver as soon as this one does not wait.
    successor: Option<usize>,
    /// How often a driver went to work.
    left: u64,
    /// How often in turn it had none.
    passed_on: u32,
}

/// A parked thread that looks after the driver.
struct Watcher {
    thread: usize,
    /// Whether it sleeps until the driver goes to work.
    rests: bool,
}

impl Central {
    pub fn new(now: i64) -> Self {
        Self {
            outcome: Outcome::default(),
            idle: 0,
            parked: Vec::new(),
            driver: Driver::default(),
            watcher: None,
            is_jumping: false,
            last_ready: now,
            alarm: i64::MAX,
        }
    }
}

impl Driver {
    /// Whether this thread may become the driver.
    fn may_be(&self, me: usize) -> bool {
        !self.waits && self.successor.is_none_or(|successor| successor == me)
    }
}

impl Actors {
    /// Sleeps until there may be work; false if the run is over.
    pub(super) fn idle(&self, me: usize, now: i64, ran: bool) -> bool {
        let mut central = self.central.lock();
        if ran {
            central.last_ready = central.last_ready.max(now);
        }
        if central.driver.thread == Some(me) {
            let passed_on = central.driver.passed_on.saturating_add(1);
            central.driver.passed_on = if ran { 0 } else { passed_on };
        }
        central.idle += 1;
        while self.may_sleep(me) {
            if central.driver.may_be(me) {
                central.driver.thread = Some(me);
                central.driver.successor = None;
                central.driver.waits = true;
                self.drive(&mut central, me);
                self.post.bells[me].stay_awake();
                central.driver.waits = false;
                if central.driver.successor.is_none() {
                    central.driver.left += 1;
                    self.call_watcher(&mut central);
                    break;
                }
                self.changed.notify_all();
            } else if ran && central.driver.passed_on >= PASSED_ON {
                central.driver.passed_on = 0;
                central.driver.successor = Some(me);
                self.event_queue.poke();
                while central.driver.waits && !self.stopping.load(Ordering::SeqCst) {
                    self.changed.wait(&mut central);
                }
            } else {
                if self.all_quiet(&central) || self.timers.next() < central.alarm {
                    // The driver must decide what happens now, or wake up earlier.
                    self.event_queue.poke();
                }
                self.park(&mut central, me);
            }
        }
        if central.driver.successor == Some(me) {
            // It has work, and there is no driver now.
            central.driver.successor = None;
            self.call_watcher(&mut central);
        }
        central.idle -= 1;
        !self.stopping.load(Ordering::SeqCst)
    }

    /// Whether there is nothing to do for a thread.
    fn may_sleep(&self, me: usize) -> bool {
        !self.stopping.load(Ordering::SeqCst) && !self.post.has_mail(me as u32)
    }

    /// Sleeps until the bell rings, or until the driver is away for long.
    fn park(&self, central: &mut MutexGuard<'_, Central>, me: usize) {
        let bell = &self.post.bells[me];
        bell.prepare(Sleep::Parked);
        if self.may_sleep(me) {
            central.parked.push(me);
            if central.watcher.is_none() {
                central.watcher = Some(Watcher { thread: me, rests: false });
                self.watch(central, me);
                central.watcher = None;
            } else {
                MutexGuard::unlocked(central, || bell.park());
            }
            while central.is_jumping {
                self.changed.wait(central);
            }
            central.parked.retain(|parked| *parked != me);
            if central.watcher.is_none() && !central.driver.waits && !self.may_sleep(me) {
                self.call_watcher(central);
            }
        }
        bell.stay_awake();
    }

    /// The same for the watcher.
    fn watch(&self, central: &mut MutexGuard<'_, Central>, me: usize) {
        let bell = &self.post.bells[me];
        let mut seen = None;
        loop {
            let left = central.driver.left;
            let stands = seen.replace(left) == Some(left);
            if stands && !central.driver.waits {
                return;
            }
            if let Some(watcher) = &mut central.watcher {
                watcher.rests = stands;
            }
            let timer = self.pace.real_time_until(self.timers.next());
            MutexGuard::unlocked(central, || match stands {
                true => bell.park(),
                false => bell.park_for(timer.map_or(PERIOD, |timer| timer.min(PERIOD))),
            });
            if bell.is_awake() {
                bell.prepare(Sleep::Parked);
            }
            if !self.may_sleep(me) {
                return;
            }
        }
    }

    /// A driver, or the watcher, goes to work: a parked thread looks after the driver.
    fn call_watcher(&self, central: &mut Central) {
        let called = match &mut central.watcher {
            Some(watcher) => std::mem::take(&mut watcher.rests).then_some(watcher.thread),
            None => central.parked.last().copied(),
        };
        if let Some(thread) = called {
            let _ = self.post.bells[thread].ring();
        }
    }

    /// Whether only time or an external event can change anything. Threads that are counted as idle
    /// send nothing, so what they do not see on the lanes now never comes.
    fn all_quiet(&self, central: &Central) -> bool {
        central.idle == self.threads.len() && !self.event_queue.has_events() && self.post.is_quiet()
    }

    /// Waits for events, timers and messages, until there is work or the run is over.
    fn drive(&self, central: &mut MutexGuard<'_, Central>, me: usize) {
        let bell = &self.post.bells[me];
        while !self.stopping.load(Ordering::SeqCst) && central.driver.successor.is_none() {
            if bell.prepare_in(&self.event_queue) || self.post.has_mail(me as u32) {
                return;
            }
            let now = self.pace.now();
            if now > self.end_of_time
                || self.timers.next() <= now
                || self.polling.due(&self.runners).is_some_and(|due| due <= now)
            {
                return;
            }
            let quiet = self.all_quiet(central);
            let timer = if quiet { self.timers.next_valid() } else { self.timers.next() };
            let polled = self.polling.due(&self.runners);
            let mut alarm = timer.min(polled.unwrap_or(i64::MAX));
            if quiet
                && timer == i64::MAX
                && self.waiting_for_events.load(Ordering::Acquire) == 0
                && self.event_queue.is_quiet()
                && self.settings.stop_on_deadlock
            {
                // Terms that announce nothing get one more look.
                let patience = if polled.is_some() { super::POLL_PERIOD } else { 0 };
                let give_up = central.last_ready.saturating_add(patience);
                if now >= give_up {
                    self.controls.note_deadlock();
                    self.finish_locked(central, Ok(End::Deadlock));
                    return;
                }
                alarm = alarm.min(give_up);
            }
            let awaits = self.waiting_for_events.load(Ordering::Acquire) > 0;
            let rests = quiet && alarm == i64::MAX && awaits;
            // One beyond the end, which is when the run is over.
            let alarm = alarm.min(self.end_of_time.saturating_add(1));
            central.alarm = alarm;
            // A clock that jumps: only if no thread is active.
            central.is_jumping = quiet && self.pace.jumps_to(alarm);
            let is_jumping = central.is_jumping;
            let slept = MutexGuard::unlocked(central, || {
                let _rest = rests.then(|| self.event_queue.rest());
                if is_jumping {
                    return self.pace.jump_to(alarm);
                }
                self.event_queue.wait(self.pace.real_time_until(alarm));
                Ok(())
            });
            if is_jumping {
                central.is_jumping = false;
                self.changed.notify_all();
            }
            if let Err(error) = slept {
                self.finish_locked(central, Err(error.into()));
            }
        }
    }
}
