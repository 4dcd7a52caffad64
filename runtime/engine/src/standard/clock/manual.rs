//! `ManualClock`: time stands still until a component sleeps, and then jumps.

use gxf::implement;
use gxf::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that jumps forward when a component sleeps. A graph runs as fast as it can, and every
/// run sees the same times.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct ManualClock {
    /// Initial time of the clock.
    #[parameter(headline = "Initial timestamp", unit = "ns", default = 0)]
    initial_timestamp: Parameter<i64>,
    now: AtomicI64,
}

impl Lifecycle for ManualClock {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.now.store(*self.initial_timestamp.get(), Ordering::Relaxed);
        Ok(())
    }
}

impl implement::Clock for ManualClock {
    fn timestamp(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    fn sleep_for(&self, duration: i64) -> Result<()> {
        let later = |now: i64| Some(now.saturating_add(duration.max(0)));
        _ = self.now.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        Ok(())
    }

    fn sleep_until(&self, target: i64) -> Result<()> {
        // With two sleepers the later target wins: time never goes back.
        self.now.fetch_max(target, Ordering::Relaxed);
        Ok(())
    }

    fn real_time_until(&self, _target: i64) -> i64 {
        -1
    }
}
