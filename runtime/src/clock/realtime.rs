//! `RealtimeClock`: offset plus scale times the time that passed since the start.

use gxf::implement;
use gxf::prelude::*;
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
    running: Once<Running>,
}

struct Running {
    start: Instant,
    offset: i64,
    scale: f64,
}

impl RealtimeClock {
    /// Also serves a clock nobody initialised: that of a scheduler without one.
    fn running(&self) -> &Running {
        self.running.call_once(|| Running {
            start: Instant::now(),
            offset: 0,
            scale: self.initial_time_scale.try_get().copied().unwrap_or(1.0),
        })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "292 years of nanoseconds fit")]
fn nanoseconds(duration: Duration) -> i64 {
    duration.as_nanos() as i64
}

impl Lifecycle for RealtimeClock {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let scale = *self.initial_time_scale.get();
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("`initial_time_scale` must be above 0, not {scale}"),
            ));
        }
        let mut offset = (*self.initial_time_offset.get() * 1e9) as i64;
        if *self.use_time_since_epoch.get() {
            let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            offset = offset.saturating_add(nanoseconds(epoch.unwrap_or_default()));
        }
        self.running.call_once(|| Running { start: Instant::now(), offset, scale });
        Ok(())
    }
}

impl implement::Clock for RealtimeClock {
    fn timestamp(&self) -> i64 {
        let running = self.running();
        let elapsed = nanoseconds(running.start.elapsed());
        if running.scale == 1.0 {
            running.offset + elapsed
        } else {
            running.offset + (elapsed as f64 * running.scale) as i64
        }
    }

    fn sleep_for(&self, duration: i64) -> Result<()> {
        let real = duration.max(0) as f64 / self.running().scale;
        std::thread::sleep(Duration::from_nanos(real as u64));
        Ok(())
    }

    fn sleep_until(&self, target: i64) -> Result<()> {
        self.sleep_for(target.saturating_sub(self.timestamp()))
    }

    fn real_time_until(&self, target: i64) -> i64 {
        let remaining = target.saturating_sub(self.timestamp()).max(0);
        (remaining as f64 / self.running().scale) as i64
    }
}
