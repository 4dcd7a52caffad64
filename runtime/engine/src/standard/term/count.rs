//! `CountSchedulingTerm`.

use super::plain;
use gxf::implement;
use gxf::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering};

/// Lets an entity tick a number of times, then never again.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CountSchedulingTerm {
    /// Number of ticks. 0 ends the entity before its first tick, a negative number never ends it.
    #[parameter(headline = "Count", dynamic)]
    count: Parameter<i64>,
    /// The latest known value of the parameter.
    configured: AtomicI64,
    /// `configured` less the ticks so far.
    remaining: AtomicI64,
    changed_at: AtomicI64,
}

impl Lifecycle for CountSchedulingTerm {
    /// Also called when the parameter has changed while the graph runs: ticks so far count.
    fn check_parameters(&self) -> Result<()> {
        // A program may have taken the value away.
        let Some(count) = self.count.try_get().copied() else { return Ok(()) };
        let former = self.configured.swap(count, Ordering::Relaxed);
        let ticks = former.wrapping_sub(self.remaining.load(Ordering::Relaxed));
        let remaining = count.wrapping_sub(ticks);
        let remaining = if count < 0 { remaining } else { remaining.max(0) };
        self.remaining.store(remaining, Ordering::Relaxed);
        Ok(())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let count = *self.count.get();
        self.configured.store(count, Ordering::Relaxed);
        self.remaining.store(count, Ordering::Relaxed);
        Ok(())
    }
}

impl CountSchedulingTerm {
    /// Whether it lets the entity tick, or else ends it.
    #[inline(always)]
    pub fn has_more(&self) -> bool {
        self.remaining.load(Ordering::Relaxed) != 0
    }

    /// The entity has ticked.
    #[inline]
    pub fn tick(&self, now: i64) {
        let remaining = self.remaining.load(Ordering::Relaxed);
        if remaining != 0 {
            self.remaining.store(remaining.wrapping_sub(1), Ordering::Relaxed);
            if remaining == 1 {
                self.changed_at.store(now, Ordering::Relaxed);
            }
        }
    }

    /// READY or NEVER.
    #[inline(always)]
    pub fn condition(&self) -> Condition {
        let condition_type =
            if self.has_more() { ConditionType::READY } else { ConditionType::NEVER };
        plain(condition_type, self.changed_at.load(Ordering::Relaxed))
    }
}

impl implement::SchedulingTerm for CountSchedulingTerm {
    fn check(&self, _now: i64) -> Result<Condition> {
        Ok(self.condition())
    }

    fn on_execute(&self, now: i64) -> Result<()> {
        self.tick(now);
        Ok(())
    }
}
