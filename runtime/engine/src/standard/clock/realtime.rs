//! `RealtimeClock`: offset plus scale times the time since the start.

use gxf::prelude::*;
use gxf::{ContextHandle, Event, implement};
use gxf_sync::time_base::{SharedTimeBase, TimeBase, monotonic};
use parking_lot::{Condvar, Mutex};
use spin::Once;
use std::time::{Duration, Instant, SystemTime};

/// A clock that follows real time.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct RealtimeClock {
    /// Initial time of the clock.
    #[parameter(headline = "Initial time offset", unit = "s", default = 0.0)]
    initial_time_offset: Parameter<f64>,
    /// Speed of the clock: 2.0 is twice as fast as real time. Must be positive.
    #[parameter(headline = "Initial time scale", default = 1.0)]
    initial_time_scale: Parameter<f64>,
    /// Starts at the time since 1970 instead of 0.
    #[parameter(headline = "Use time since epoch", default = false)]
    use_time_since_epoch: Parameter<bool>,
    line: SharedTimeBase,
    /// Sleepers wait here, so that a change of the scale reaches them.
    sleepers: Mutex<()>,
    changed: Condvar,
    context: Once<ContextHandle>,
}

impl RealtimeClock {
    /// Also works for a clock that was not initialised.
    #[inline]
    fn line(&self) -> TimeBase {
        self.line.get().unwrap_or_else(|| self.begin())
    }

    #[cold]
    fn begin(&self) -> TimeBase {
        let scale = self.initial_time_scale.try_get().copied().unwrap_or(1.0);
        self.line.change(|line| line.unwrap_or(TimeBase { start: monotonic(), offset: 0, scale }))
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
    Err(Error::new(
        ResultCode::ARGUMENT_INVALID,
        format!("{key} must be finite and above 0, not {scale:?}"),
    ))
}

/// The initial time in nanoseconds. Far from its limit, so that the clock can go on from there.
fn initial_time(seconds: f64) -> Result<i64> {
    const LIMIT: f64 = (i64::MAX / 2) as f64;
    let nanoseconds = seconds * 1e9;
    if nanoseconds.abs() <= LIMIT {
        return Ok(nanoseconds as i64);
    }
    let limit = LIMIT / 1e9;
    let text = format!(
        "`initial_time_offset` must be from -{limit:.0} s to {limit:.0} s, not {seconds:?}"
    );
    Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text))
}

impl Lifecycle for RealtimeClock {
    fn check_parameters(&self) -> Result<()> {
        check_scale("`initial_time_scale`", *self.initial_time_scale.get())?;
        initial_time(*self.initial_time_offset.get()).map(drop)
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let scale = *self.initial_time_scale.get();
        let mut offset = initial_time(*self.initial_time_offset.get())?;
        if *self.use_time_since_epoch.get() {
            let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            offset = offset.saturating_add(nanoseconds(epoch.unwrap_or_default()));
        }
        self.line.change(|_| TimeBase { start: monotonic(), offset, scale });
        self.context.call_once(|| context.handle());
        Ok(())
    }
}

impl implement::Clock for RealtimeClock {
    fn timestamp(&self) -> i64 {
        self.line().time_at(monotonic())
    }

    fn sleep_for(&self, duration: i64) -> Result<()> {
        self.sleep_until(self.timestamp().saturating_add(duration.max(0)))
    }

    fn sleep_until(&self, target: i64) -> Result<()> {
        let mut sleepers = self.sleepers.lock();
        loop {
            let remaining = self.line().real_time_until(target, monotonic());
            if remaining.is_zero() {
                return Ok(());
            }
            match Instant::now().checked_add(remaining) {
                Some(deadline) => {
                    self.changed.wait_until(&mut sleepers, deadline);
                }
                None => self.changed.wait(&mut sleepers),
            }
        }
    }

    fn real_time_until(&self, target: i64) -> i64 {
        nanoseconds(self.line().real_time_until(target, monotonic()))
    }
}

impl implement::RealtimeClock for RealtimeClock {
    fn set_time_scale(&self, scale: f64) -> Result<()> {
        check_scale("the time scale", scale)?;
        {
            // Under the sleepers' lock, so that none is between reading the scale and sleeping.
            let _sleepers = self.sleepers.lock();
            self.line.change(|before| {
                let now = monotonic();
                TimeBase { start: now, offset: before.map_or(0, |line| line.time_at(now)), scale }
            });
        }
        self.changed.notify_all();
        // Wakes a scheduler that sleeps until a time of this clock.
        self.context.get().map_or(Ok(()), |context| context.notify(Event::TIME_UPDATE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::{Clock as _, RealtimeClock as _};

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
