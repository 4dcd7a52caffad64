//! How the time of a run passes, which tells an engine how to wait.

use gxf_plugin::component::Interface;
use std::time::Duration;

/// How the time of a run passes: with real time, by jumps, or when others move the clock.
pub struct Pace {
    clock: Interface<gxf::Clock>,
    moved_by_others: bool,
}

impl Pace {
    /// Of a clock that only others move, or of any other clock.
    #[must_use]
    pub fn new(clock: Interface<gxf::Clock>, moved_by_others: bool) -> Self {
        Self { clock, moved_by_others }
    }

    /// Whether the clock gets to this time only by being moved there, by the engine.
    #[must_use]
    pub fn jumps_to(&self, time: i64) -> bool {
        time != i64::MAX && !self.moved_by_others && self.real_time_until(time).is_none()
    }

    /// Real time until a time that comes by itself; `None` if it does not. `i64::MAX` never comes.
    #[must_use]
    pub fn real_time_until(&self, time: i64) -> Option<Duration> {
        if time == i64::MAX || self.moved_by_others {
            return None;
        }
        let real = self.clock.real_time_until(time)?;
        u64::try_from(real).ok().map(Duration::from_nanos)
    }

    /// Whether only others move the clock.
    #[must_use]
    pub fn is_moved_by_others(&self) -> bool {
        self.moved_by_others
    }

    /// The clock's time.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.clock.timestamp()
    }

    /// Moves the clock, which may take real time.
    ///
    /// # Errors
    /// Those of the clock.
    pub fn jump_to(&self, time: i64) -> gxf::Result<()> {
        self.clock.sleep_until(time)
    }
}
