//! `RealtimeClock`: offset plus scale times the time that passed since the start.

use gxf::prelude::*;
use gxf::{ContextHandle, Event, implement};
use parking_lot::{Condvar, Mutex, RwLock};
use spin::Once;
use std::time::{Duration, Instant, SystemTime};

/// A clock that follows real time.
#[derive(Component, Default)]
#[component(lifecycle)]
pub(crate) struct RealtimeClock {
    /// Time of the clock when it starts.
    #[parameter(headline = "Initial time offset", unit = "s", default = 0.0)]
    initial_time_offset: Parameter<f64>,
    /// How fast time passes; 2.0 is twice as fast as real time. Must be above 0.
    #[parameter(headline = "Initial time scale", default = 1.0)]
    initial_time_scale: Parameter<f64>,
    /// Start at the time since 1970 instead of at 0.
    #[parameter(headline = "Use time since epoch", default = false)]
    use_time_since_epoch: Parameter<bool>,
    running: RwLock<Option<Running>>,
    /// Sleepers wait here, so that a change of the scale reaches them.
    sleepers: Mutex<()>,
    changed: Condvar,
    context: Once<ContextHandle>,
}

/// The straight line the clock follows since its last change.
#[derive(Clone, Copy)]
struct Running {
    start: Instant,
    offset: i64,
    scale: f64,
}

impl Running {
    fn time_at(&self, instant: Instant) -> i64 {
        let elapsed = nanoseconds(instant.saturating_duration_since(self.start));
        if self.scale == 1.0 {
            self.offset + elapsed
        } else {
            self.offset.saturating_add((elapsed as f64 * self.scale) as i64)
        }
    }

    /// Real time from one instant until the clock shows `target`; 0 when it does already.
    fn real_time_until(&self, target: i64, instant: Instant) -> Duration {
        let remaining = target.saturating_sub(self.time_at(instant)).max(0);
        if self.scale == 1.0 {
            Duration::from_nanos(remaining.unsigned_abs())
        } else {
            Duration::from_nanos((remaining as f64 / self.scale).ceil() as u64)
        }
    }
}

impl RealtimeClock {
    /// Also serves a clock nobody initialised.
    fn running(&self) -> Running {
        if let Some(running) = *self.running.read() {
            return running;
        }
        let scale = self.initial_time_scale.try_get().copied().unwrap_or(1.0);
        *self.running.write().get_or_insert(Running { start: Instant::now(), offset: 0, scale })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "292 years of nanoseconds fit")]
fn nanoseconds(duration: Duration) -> i64 {
    duration.as_nanos() as i64
}

fn check_scale(key: &str, scale: f64) -> Result<()> {
    if scale > 0.0 && scale.is_finite() {
        return Ok(());
    }
    Err(Error::new(ResultCode::ARGUMENT_INVALID, format!("{key} must be above 0, not {scale}")))
}

impl Lifecycle for RealtimeClock {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let scale = *self.initial_time_scale.get();
        check_scale("`initial_time_scale`", scale)?;
        let mut offset = (*self.initial_time_offset.get() * 1e9) as i64;
        if *self.use_time_since_epoch.get() {
            let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            offset = offset.saturating_add(nanoseconds(epoch.unwrap_or_default()));
        }
        *self.running.write() = Some(Running { start: Instant::now(), offset, scale });
        self.context.call_once(|| context.handle());
        Ok(())
    }
}

impl implement::Clock for RealtimeClock {
    fn timestamp(&self) -> i64 {
        self.running().time_at(Instant::now())
    }

    fn sleep_for(&self, duration: i64) -> Result<()> {
        self.sleep_until(self.timestamp().saturating_add(duration.max(0)))
    }

    fn sleep_until(&self, target: i64) -> Result<()> {
        let mut sleepers = self.sleepers.lock();
        loop {
            let now = Instant::now();
            let remaining = self.running().real_time_until(target, now);
            if remaining.is_zero() {
                return Ok(());
            }
            match now.checked_add(remaining) {
                Some(deadline) => {
                    self.changed.wait_until(&mut sleepers, deadline);
                }
                None => self.changed.wait(&mut sleepers),
            }
        }
    }

    fn real_time_until(&self, target: i64) -> i64 {
        nanoseconds(self.running().real_time_until(target, Instant::now()))
    }
}

impl implement::RealtimeClock for RealtimeClock {
    fn set_time_scale(&self, scale: f64) -> Result<()> {
        check_scale("the time scale", scale)?;
        {
            // Under the sleepers' lock: none is between its look at the scale and its sleep.
            let _sleepers = self.sleepers.lock();
            let before = self.running();
            let now = Instant::now();
            let after = Running { start: now, offset: before.time_at(now), scale };
            *self.running.write() = Some(after);
        }
        self.changed.notify_all();
        // For a scheduler that sleeps until a time of this clock.
        self.context.get().map_or(Ok(()), |context| context.notify(Event::TIME_UPDATE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::{Clock as _, RealtimeClock as _};

    #[test]
    fn time_follows_the_line() {
        let start = Instant::now();
        let double = Running { start, offset: 100, scale: 2.0 };
        assert_eq!(double.time_at(start + Duration::from_nanos(50)), 200);
        assert_eq!(double.real_time_until(300, start), Duration::from_nanos(100));
        assert_eq!(double.real_time_until(50, start), Duration::ZERO);
    }

    #[test]
    fn a_new_scale_makes_no_jump_and_reaches_sleepers() {
        let clock = RealtimeClock::default();
        let hour = clock.timestamp() + 3_600_000_000_000;
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| clock.sleep_until(hour));
            std::thread::sleep(Duration::from_millis(20));
            let before = clock.timestamp();
            clock.set_time_scale(1e9).unwrap();
            assert!(clock.timestamp() >= before);
            sleeper.join().unwrap().unwrap();
        });
        assert!(clock.set_time_scale(0.0).is_err());
    }
}
