//! A thread without work, which sleeps, as the driver or not; and what the driver does while all
//! others sleep.

use super::Actors;
use crate::schedule::engine::End;
use crate::schedule::outcome::Outcome;
use gxf_sync::bell::Sleep;
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;

/// State that is decided under the lock.
pub(super) struct Central {
    /// The reason the run is over.
    pub outcome: Outcome,
    /// Number of threads without work.
    idle: usize,
    /// Those of them that are parked.
    parked: Vec<usize>,
    /// Whether a thread waits for timers and events.
    has_driver: bool,
    /// Whether the driver moves the clock. Threads that wake up meanwhile wait for the new time, so
    /// that none goes on in the past.
    is_jumping: bool,
    /// The last time when something was ready, by the clock.
    last_ready: i64,
    /// When the driver wakes up by itself, by the clock.
    alarm: i64,
}

impl Central {
    pub fn new(now: i64) -> Self {
        Self {
            outcome: Outcome::default(),
            idle: 0,
            parked: Vec::new(),
            has_driver: false,
            is_jumping: false,
            last_ready: now,
            alarm: i64::MAX,
        }
    }
}

impl Actors {
    /// Sleeps until there may be work; false if the run is over.
    pub(super) fn idle(&self, me: usize, now: i64, ran: bool) -> bool {
        let bell = &self.post.bells[me];
        let mut central = self.central.lock();
        if ran {
            central.last_ready = central.last_ready.max(now);
        }
        central.idle += 1;
        while !self.stopping.load(Ordering::SeqCst) && !self.post.has_mail(me as u32) {
            if !central.has_driver {
                central.has_driver = true;
                self.drive(&mut central, me);
                bell.stay_awake();
                central.has_driver = false;
                // Another thread must watch while this one works.
                if let Some(next) = central.parked.pop() {
                    let _ = self.post.bells[next].ring();
                }
                break;
            }
            if self.all_quiet(&central) || self.timers.next() < central.alarm {
                // The driver must decide what happens now, or wake up earlier.
                self.event_queue.poke();
            }
            bell.prepare(Sleep::Parked);
            if !self.post.has_mail(me as u32) && !self.stopping.load(Ordering::SeqCst) {
                central.parked.push(me);
                MutexGuard::unlocked(&mut central, || bell.park());
                while central.is_jumping {
                    self.jumped.wait(&mut central);
                }
                central.parked.retain(|parked| *parked != me);
            }
            bell.stay_awake();
        }
        central.idle -= 1;
        !self.stopping.load(Ordering::SeqCst)
    }

    /// Whether only time or an external event can change anything. Threads that are counted as idle
    /// send nothing, so what they do not see on the lanes now never comes.
    fn all_quiet(&self, central: &Central) -> bool {
        central.idle == self.threads.len() && !self.event_queue.has_events() && self.post.is_quiet()
    }

    /// Waits for events, timers and messages, until there is work or the run is over.
    fn drive(&self, central: &mut MutexGuard<'_, Central>, me: usize) {
        let bell = &self.post.bells[me];
        while !self.stopping.load(Ordering::SeqCst) {
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
                self.jumped.notify_all();
            }
            if let Err(error) = slept {
                self.finish_locked(central, Err(error.into()));
            }
        }
    }
}
