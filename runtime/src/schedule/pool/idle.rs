//! What a worker does that found no work: it sleeps, as the keeper or as one of the others; and
//! what the keeper does when all sleep.

use super::Pool;
use crate::schedule::greedy::End;
use gxf_plugin_abi::ConditionType;
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// While others work, the keeper looks this often whether one of them needs help.
const KEEPER_PERIOD: Duration = Duration::from_millis(1);

/// Why a worker does not sleep any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// The run is over.
    Over,
    /// There may be something to do.
    Work,
    /// The queue of another worker stands still; whatever lies in it is to be taken over.
    Rescue,
}

/// What is decided under the lock.
pub(super) struct Central {
    /// Why the run is over.
    pub outcome: Option<crate::error::Result<End>>,
    /// Workers that found nothing to do.
    pub idle: usize,
    /// Those of them that are parked; the last one is woken first.
    pub sleeping: Vec<usize>,
    /// Somebody waits for timers and mail.
    pub has_keeper: bool,
    /// The keeper was asked to help and did not answer yet.
    pub keeper_called: bool,
    /// When something was ready for the last time, by the clock and in real time.
    pub last_ready: (i64, Instant),
    /// Progress of each worker when the keeper looked last.
    pub progress: Vec<usize>,
}

impl Central {
    pub fn new(now: i64) -> Self {
        Self {
            outcome: None,
            idle: 0,
            sleeping: Vec::new(),
            has_keeper: false,
            keeper_called: false,
            last_ready: (now, Instant::now()),
            progress: Vec::new(),
        }
    }
}

/// How long the keeper may sleep.
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

    fn not_after_wall(mut self, wall: Instant) -> Self {
        self.wall = Some(self.wall.map_or(wall, |known| known.min(wall)));
        self
    }
}

impl Pool {
    /// Sleeps until there may be something to do.
    pub(super) fn idle(&self, me: usize, now: i64, ran: bool) -> Woken {
        let seat = &self.workers[me];
        let mut central = self.central.lock();
        if ran {
            central.last_ready = (central.last_ready.0.max(now), Instant::now());
        }
        central.idle += 1;
        if self.stopping.load(Ordering::SeqCst) {
            central.idle -= 1;
            return Woken::Over;
        }
        let woken = if central.has_keeper {
            if self.all_quiet(&central) {
                // The keeper has to decide what now.
                self.mailbox.poke();
            }
            self.park(&mut central, me);
            Woken::Work
        } else {
            central.has_keeper = true;
            seat.bell.keep();
            self.publish_sleepers(&central);
            let woken = self.keep(&mut central, me);
            seat.bell.get_up();
            central.has_keeper = false;
            central.keeper_called = false;
            self.publish_sleepers(&central);
            // Somebody else has to watch while this worker works.
            self.wake_sleeper(&mut central);
            woken
        };
        central.idle -= 1;
        if self.stopping.load(Ordering::SeqCst) { Woken::Over } else { woken }
    }

    /// Whether nothing can happen but by time or from outside.
    fn all_quiet(&self, central: &Central) -> bool {
        central.idle == self.workers.len()
            && !self.mailbox.has_mail()
            && !self.workers.iter().any(|seat| seat.bell.is_rung())
    }

    /// Sleeps until somebody calls this worker.
    fn park(&self, central: &mut MutexGuard<'_, Central>, me: usize) {
        let bell = &self.workers[me].bell;
        if !bell.lie_down() {
            return;
        }
        let helps = me < self.settings.workers || !self.settings.strict_pinning;
        if helps {
            central.sleeping.push(me);
            self.publish_sleepers(central);
        }
        MutexGuard::unlocked(central, || {
            bell.sleep(|| self.stopping.load(Ordering::SeqCst));
        });
        bell.get_up();
        central.sleeping.retain(|sleeper| *sleeper != me);
        self.publish_sleepers(central);
    }

    fn publish_sleepers(&self, central: &Central) {
        let keeper = usize::from(central.has_keeper && !central.keeper_called);
        self.sleepers.store(central.sleeping.len() + keeper, Ordering::Relaxed);
    }

    /// Wakes a worker that can help.
    #[cold]
    pub(super) fn call_help(&self) {
        let mut central = self.central.lock();
        if !self.wake_sleeper(&mut central) && central.has_keeper && !central.keeper_called {
            central.keeper_called = true;
            self.publish_sleepers(&central);
            self.mailbox.poke();
        }
    }

    fn wake_sleeper(&self, central: &mut Central) -> bool {
        let Some(sleeper) = central.sleeping.pop() else { return false };
        self.publish_sleepers(central);
        self.workers[sleeper].bell.wake();
        true
    }

    /// Waits for mail, timers and calls for help, until there is something to do or the run is over.
    fn keep(&self, central: &mut MutexGuard<'_, Central>, me: usize) -> Woken {
        while !self.stopping.load(Ordering::SeqCst) {
            if self.mailbox.clear_poke() || self.workers[me].bell.is_rung() {
                return Woken::Work;
            }
            let now = self.clock.timestamp();
            let is_over =
                now > self.end_of_time || self.wall_end.is_some_and(|end| Instant::now() > end);
            if is_over || self.timers.next() <= now || self.poll_due().is_some_and(|due| due <= now)
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
                Alarm { clock: self.timers.next(), wall: None }
                    .not_after(self.poll_due().unwrap_or(i64::MAX))
                    .not_after_wall(Instant::now() + KEEPER_PERIOD)
            };
            // One beyond the end: that is when the run is over.
            let alarm = alarm.not_after(self.end_of_time.saturating_add(1));
            let alarm = self.wall_end.map_or(alarm, |end| alarm.not_after_wall(end));
            let slept = MutexGuard::unlocked(central, || self.sleep(alarm, quiet));
            if let Err(error) = slept {
                self.finish_locked(central, Err(error.into()));
            }
        }
        Woken::Over
    }

    /// Whether the queue of a working thread stands still, or its worker called for help.
    fn needs_help(&self, central: &mut Central, me: usize) -> bool {
        if me >= self.settings.workers && self.settings.strict_pinning {
            return false;
        }
        let called = std::mem::take(&mut central.keeper_called);
        if called {
            self.publish_sleepers(central);
        }
        let mut found = false;
        central.progress.resize(self.workers.len(), usize::MAX);
        for (seat, before) in self.workers.iter().zip(&mut central.progress) {
            let progress = seat.progress.load(Ordering::Relaxed);
            let stands_still = std::mem::replace(before, progress) == progress;
            found |= (stands_still || called) && !seat.stealer.is_empty();
        }
        found
    }

    /// All sleep. How long the keeper may, too; `None`: the run is over.
    fn rest(&self, central: &mut Central, now: i64) -> Option<Alarm> {
        let timer = self.timers.next_valid();
        let polled = self.poll_due();
        let alarm = Alarm { clock: timer, wall: None }.not_after(polled.unwrap_or(i64::MAX));
        let awaited = self.waiting_for_events.load(Ordering::Acquire) > 0;
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
        let (last_ready, last_ready_at) = central.last_ready;
        let give_up = last_ready.saturating_add(patience);
        let give_up_at = last_ready_at.checked_add(Duration::from_nanos(patience.unsigned_abs()));
        let alarm = match give_up_at {
            Some(at) if settings.wall_time => {
                (at > Instant::now()).then(|| alarm.not_after_wall(at))
            }
            _ => (give_up > now).then(|| alarm.not_after(give_up)),
        };
        if alarm.is_none() {
            self.finish_locked(central, Ok(End::Deadlock));
        }
        alarm
    }

    /// When terms that cannot announce a change are to be asked again; `None`: nobody waits for one.
    fn poll_due(&self) -> Option<i64> {
        let waits = self
            .roster
            .any_polled(|runner| runner.condition.load(Ordering::Relaxed) == ConditionType::WAIT.0);
        waits.then(|| self.next_poll.load(Ordering::Relaxed))
    }

    /// Whether it is time to poll; says so to one worker only.
    pub(super) fn is_poll_due(&self, now: i64) -> bool {
        let due = self.next_poll.load(Ordering::Relaxed);
        if now < due || !self.roster.has_polled() {
            return false;
        }
        let next = now.saturating_add(self.settings.recession_period.max(1));
        self.next_poll.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Sleeps until the alarm or the next event.
    fn sleep(&self, alarm: Alarm, quiet: bool) -> gxf::Result<()> {
        let wall = alarm.wall.map(|at| at.saturating_duration_since(Instant::now()));
        if alarm.clock == i64::MAX || self.settings.moved_by_others {
            self.mailbox.wait(wall);
            return Ok(());
        }
        match self.clock.real_time_until(alarm.clock) {
            Some(real) if real >= 0 => {
                let real = Duration::from_nanos(real.unsigned_abs());
                self.mailbox.wait(Some(wall.map_or(real, |wall| wall.min(real))));
                Ok(())
            }
            // A clock that jumps: only when nobody works any more.
            _ if quiet => self.clock.sleep_until(alarm.clock),
            _ => {
                self.mailbox.wait(wall);
                Ok(())
            }
        }
    }
}
