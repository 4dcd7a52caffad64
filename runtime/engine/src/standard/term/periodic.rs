//! `PeriodicSchedulingTerm`.

use super::plain;
use gxf::implement;
use gxf::prelude::*;
use gxf::units::parse_period_ns;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// How to handle late ticks.
#[derive(ParameterEnum, Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "GXF's names, which applications write")]
pub enum PeriodicSchedulingPolicy {
    /// Makes up for every missed tick immediately: keeps the number of ticks.
    CatchUpMissedTicks,
    /// Waits a whole period after each tick: keeps the distance between ticks.
    MinTimeBetweenTicks,
    /// Skips missed ticks: keeps the phase.
    NoCatchUpMissedTicks,
}

/// Lets an entity tick again after a period.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct PeriodicSchedulingTerm {
    /// The period, such as `10ms`, `100Hz` or `1s`; a number without a unit means nanoseconds.
    #[parameter(headline = "Recess period", dynamic)]
    recess_period: Parameter<String>,
    /// How to handle late ticks.
    #[parameter(headline = "Policy", default = PeriodicSchedulingPolicy::CatchUpMissedTicks, dynamic)]
    policy: Parameter<PeriodicSchedulingPolicy>,
    period: AtomicI64,
    ticked: AtomicBool,
    target: AtomicI64,
}

impl PeriodicSchedulingTerm {
    /// The time of the next tick; none before the first.
    pub fn target(&self) -> Option<i64> {
        self.ticked.load(Ordering::Relaxed).then(|| self.target.load(Ordering::Relaxed))
    }

    fn period(&self) -> Result<i64> {
        parse_period_ns(&self.recess_period).map_err(|error| {
            Error::new(ResultCode::ARGUMENT_INVALID, format!("`recess_period`: {error}"))
        })
    }
}

impl Lifecycle for PeriodicSchedulingTerm {
    /// Also called when a parameter has changed while the graph runs: the next tick then comes a new
    /// period after the one before.
    fn check_parameters(&self) -> Result<()> {
        let period = self.period()?;
        let former = self.period.swap(period, Ordering::Relaxed);
        if self.ticked.load(Ordering::Relaxed) {
            let target = self.target.load(Ordering::Relaxed).saturating_add(period - former);
            self.target.store(target, Ordering::Relaxed);
        }
        Ok(())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.ticked.store(false, Ordering::Relaxed);
        // Another component may have changed a parameter since it was checked.
        self.check_parameters()
    }
}

impl implement::SchedulingTerm for PeriodicSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        if !self.ticked.load(Ordering::Relaxed) {
            return Ok(plain(ConditionType::READY, now));
        }
        let target = self.target.load(Ordering::Relaxed);
        let condition_type =
            if now > target { ConditionType::READY } else { ConditionType::WAIT_TIME };
        Ok(plain(condition_type, target))
    }

    fn on_execute(&self, now: i64) -> Result<()> {
        let period = self.period.load(Ordering::Relaxed);
        let next = if self.ticked.swap(true, Ordering::Relaxed) {
            let target = self.target.load(Ordering::Relaxed);
            match *self.policy.get() {
                PeriodicSchedulingPolicy::CatchUpMissedTicks => target.saturating_add(period),
                PeriodicSchedulingPolicy::MinTimeBetweenTicks => now.saturating_add(period),
                // Another term of a combiner made the entity tick early.
                PeriodicSchedulingPolicy::NoCatchUpMissedTicks if now < target => target,
                PeriodicSchedulingPolicy::NoCatchUpMissedTicks => {
                    let missed = now.saturating_sub(target) / period;
                    target.saturating_add(period.saturating_mul(missed + 1))
                }
            }
        } else {
            now.saturating_add(period)
        };
        self.target.store(next, Ordering::Relaxed);
        Ok(())
    }
}
