//! A term that announces nothing.

use gxf::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Says WAIT, without a time, until some time after the last tick. The first tick is immediate.
#[derive(Component, Default)]
pub struct PolledDelay {
    /// From a tick to the next.
    #[parameter(unit = "ns")]
    delay: Parameter<i64>,
    next: AtomicI64,
}

// Only the executing thread calls a term, hence the relaxed orderings.
impl implement::SchedulingTerm for PolledDelay {
    fn check(&self, now: i64) -> Result<Condition> {
        let is_over = now >= self.next.load(Relaxed);
        let condition_type = if is_over { ConditionType::READY } else { ConditionType::WAIT };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, now: i64) -> Result<()> {
        self.next.store(now + *self.delay, Relaxed);
        Ok(())
    }
}
