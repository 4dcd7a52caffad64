//! A worker without work, which sleeps, as the driver or not; and what the driver does while all
//! others sleep.

use super::{Pool, Seat};
use crate::schedule::engine::End;
use crate::schedule::outcome::Outcome;
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Period in which the driver checks whether a working thread needs help.
const DRIVER_PERIOD: Duration = Duration::from_millis(1);

/// The reason a worker stops sleeping.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// The run is over.
    Over,
    /// There may be work.
    Work,
    /// The queue of another worker makes no progress and must be emptied.
    Rescue,
}

/// State that is decided under the lock.
pub(super) struct Central {
    /// The reason the run is over.
    pub outcome: Outcome,
    /// Number of workers without work.
    pub idle: usize,
    /// Those of them that are parked, also pinned ones; the last one is woken first.
    pub sleeping: Vec<usize>,
    /// Those that were woken because the queue of another worker makes no progress.
    pub rescuers: Vec<usize>,
    /// Whether a worker waits for timers and events.
    pub has_driver: bool,
    /// Whether the driver was asked to help and has not answered yet.
    pub driver_called: bool,
    /// Whether the driver moves the clock. Workers that wake up meanwhile wait for the new time, so
    /// that none goes on in the past.
    pub is_jumping: bool,
    /// The last time when something was ready, by the clock.
    pub last_ready: i64,
    /// Progress of each worker when the driver last looked.
    pub progress: Vec<usize>,
}

impl Central {
    pub fn new(now: i64) -> Self {
        Self {
            outcome: Outcome::default(),
            idle: 0,
            sleeping: Vec::new(),
            rescuers: Vec::new(),
            has_driver: false,
            driver_called: false,
            is_jumping: false,
            last_ready: now,
            progress: Vec::new(),
        }
    }
}

/// How long the driver may sleep.
#[derive(Clone, Copy)]
struct Alarm {
    /// Time of the clock; `i64::MAX` for none.
    clock: i64,
    wall: Option<Instant>,
}

impl Alarm {
    fn not_after(mut self, clock: i64) -> Self {
        self.clock = self.clock.min(clock);
        self
    }
}

impl Pool {
    /// Sleeps until there may be work.
    pub(super) fn idle(&self, me: usize, now: i64, ran: bool) -> Woken {
        let seat = &self.workers[me];
        let mut central = self.central.lock();
        if ran {
            central.last_ready = central.last_ready.max(now);
        }
        if self.has_injected(seat) {
            return Woken::Work;
        }
        central.idle += 1;
        if self.stopping.load(Ordering::SeqCst) {
            central.idle -= 1;
            return Woken::Over;
        }
        let woken = if central.has_driver {
            if self.all_quiet(&central) {
                // The driver must decide what happens now.
                self.event_queue.poke();
            }
            self.park(&mut central, me);
            let rescues = central.rescuers.iter().position(|rescuer| *rescuer == me);
            match rescues.map(|place| central.rescuers.swap_remove(place)) {
                Some(_) => Woken::Rescue,
                None => Woken::Work,
            }
        } else {
            central.has_driver = true;
            seat.parker.drive();
            self.publish_sleepers(&central);
            let woken = self.drive(&mut central, me);
            seat.parker.unpark_self();
            central.has_driver = false;
            central.driver_called = false;
            self.publish_sleepers(&central);
            // Another worker must watch while this one works.
            self.wake_sleeper(&mut central, None);
            woken
        };
        central.idle -= 1;
        if self.stopping.load(Ordering::SeqCst) { Woken::Over } else { woken }
    }

    /// Whether only time or an external event can change anything.
    fn all_quiet(&self, central: &Central) -> bool {
        central.idle == self.workers.len()
            && !self.event_queue.has_events()
            && !self.any_injected()
            && !self.workers.iter().any(|seat| seat.parker.is_notified())
    }

    /// Whether work waits in the injector of a set of workers.
    fn any_injected(&self) -> bool {
        self.uses_injectors && self.sets.iter().any(|set| !set.injector.is_empty())
    }

    /// Sleeps until this worker is woken.
    fn park(&self, central: &mut MutexGuard<'_, Central>, me: usize) {
        let parker = &self.workers[me].parker;
        if !parker.prepare_to_park() {
            return;
        }
        central.sleeping.push(me);
        self.publish_sleepers(central);
        MutexGuard::unlocked(central, || {
            parker.park(|| self.stopping.load(Ordering::SeqCst));
        });
        while central.is_jumping {
            self.jumped.wait(central);
        }
        parker.unpark_self();
        central.sleeping.retain(|sleeper| *sleeper != me);
        self.publish_sleepers(central);
    }

    fn publish_sleepers(&self, central: &Central) {
        let driver = usize::from(central.has_driver && !central.driver_called);
        let helpers = central.sleeping.iter().filter(|sleeper| self.can_help(**sleeper)).count();
        self.sleepers.store(helpers + driver, Ordering::Relaxed);
    }

    /// Whether a worker executes more than its pinned entity.
    fn can_help(&self, worker: usize) -> bool {
        self.workers[worker].set.is_some()
    }

    /// Whether other sets left something for this worker's.
    fn has_injected(&self, seat: &Seat) -> bool {
        self.uses_injectors
            && seat.set.is_some_and(|set| !self.sets[set as usize].injector.is_empty())
    }

    /// Wakes a worker of this set that can help, or else the driver.
    #[cold]
    pub(super) fn call_help(&self, set: u32) {
        let mut central = self.central.lock();
        if self.wake_sleeper(&mut central, Some(set)).is_none()
            && central.has_driver
            && !central.driver_called
        {
            central.driver_called = true;
            self.publish_sleepers(&central);
            self.event_queue.poke();
        }
    }

    /// Wakes a worker of this set, or any, which then watches; one that has only its pinned entity
    /// watches if no other can.
    fn wake_sleeper(&self, central: &mut Central, set: Option<u32>) -> Option<usize> {
        let sleeping = &central.sleeping;
        let place = match set {
            Some(_) => sleeping.iter().rposition(|sleeper| self.workers[*sleeper].set == set),
            None => sleeping
                .iter()
                .rposition(|sleeper| self.can_help(*sleeper))
                .or_else(|| sleeping.len().checked_sub(1)),
        }?;
        let sleeper = central.sleeping.remove(place);
        self.publish_sleepers(central);
        self.workers[sleeper].parker.wake();
        Some(sleeper)
    }

    /// Waits for events, timers and calls for help, until there is work or the run is over.
    fn drive(&self, central: &mut MutexGuard<'_, Central>, me: usize) -> Woken {
        while !self.stopping.load(Ordering::SeqCst) {
            if self.event_queue.clear_poke()
                || self.workers[me].parker.is_notified()
                || self.has_injected(&self.workers[me])
            {
                return Woken::Work;
            }
            let now = self.pace.now();
            if now > self.end_of_time
                || self.timers.next() <= now
                || self.polling.due(&self.runners).is_some_and(|due| due <= now)
            {
                return Woken::Work;
            }
            let quiet = self.all_quiet(central);
            let alarm = if quiet {
                match self.rest(central, now) {
                    Some(alarm) => alarm,
                    None => return Woken::Over,
                }
            } else {
                if self.needs_help(central, me) {
                    return Woken::Rescue;
                }
                Alarm { clock: self.timers.next(), wall: Some(Instant::now() + DRIVER_PERIOD) }
                    .not_after(self.polling.due(&self.runners).unwrap_or(i64::MAX))
            };
            let awaits = self.waiting_for_events.load(Ordering::Acquire) > 0;
            let rests = quiet && alarm.clock == i64::MAX && awaits;
            // One beyond the end, which is when the run is over.
            let alarm = alarm.not_after(self.end_of_time.saturating_add(1));
            // A clock that jumps: only if no worker is active.
            central.is_jumping = quiet && self.pace.jumps_to(alarm.clock);
            let is_jumping = central.is_jumping;
            let slept = MutexGuard::unlocked(central, || {
                let _rest = rests.then(|| self.event_queue.rest());
                if is_jumping {
                    return self.pace.jump_to(alarm.clock);
                }
                let wall = alarm.wall.map(|at| at.saturating_duration_since(Instant::now()));
                let real = self.pace.real_time_until(alarm.clock);
                self.event_queue.wait(real.into_iter().chain(wall).min());
                Ok(())
            });
            if is_jumping {
                central.is_jumping = false;
                self.jumped.notify_all();
            }
            if let Err(error) = slept {
                self.finish_locked(central, Err(error.into()));
            }
        }
        Woken::Over
    }

    /// Whether a working thread's queue makes no progress, or its worker called for help.
    fn needs_help(&self, central: &mut Central, me: usize) -> bool {
        let set = self.workers[me].set;
        let called = std::mem::take(&mut central.driver_called);
        if called {
            self.publish_sleepers(central);
        }
        let mut found = false;
        central.progress.resize(self.workers.len(), usize::MAX);
        for (place, seat) in self.workers.iter().enumerate() {
            let progress = seat.progress.load(Ordering::Relaxed);
            let before = std::mem::replace(&mut central.progress[place], progress);
            if (before == progress || called) && !seat.stealer.is_empty() {
                if seat.set == set {
                    found = true;
                } else if let Some(sleeper) = self.wake_sleeper(central, seat.set) {
                    central.rescuers.push(sleeper);
                }
            }
        }
        found
    }

    /// All workers sleep. How long the driver may sleep too; `None` if the run is over.
    fn rest(&self, central: &mut Central, now: i64) -> Option<Alarm> {
        let timer = self.timers.next_valid();
        let polled = self.polling.due(&self.runners);
        let alarm = Alarm { clock: timer, wall: None }.not_after(polled.unwrap_or(i64::MAX));
        let awaited =
            self.waiting_for_events.load(Ordering::Acquire) > 0 || !self.event_queue.is_quiet();
        let settings = &self.settings;
        if timer != i64::MAX || awaited || !settings.stop_on_deadlock {
            return Some(alarm);
        }
        let mut patience = settings.deadlock_timeout;
        if patience < 0 {
            return Some(alarm);
        }
        if polled.is_some() {
            patience = patience.saturating_add(settings.recession_period);
        }
        let give_up = central.last_ready.saturating_add(patience);
        let alarm = (give_up > now).then(|| alarm.not_after(give_up));
        if alarm.is_none() {
            self.finish_locked(central, Ok(End::Deadlock));
        }
        alarm
    }
}
