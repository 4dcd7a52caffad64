//! `WaitSchedulingTerm`, `PeriodicSchedulingTermWithDelay`.

use gxf::prelude::*;
use gxf::units::parse_period_ns;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Always answers WAIT, so its entity starts, never ticks, and waits until the graph ends.
#[derive(Component, Default)]
pub struct WaitSchedulingTerm {}

impl implement::SchedulingTerm for WaitSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        Ok(Condition { condition_type: ConditionType::WAIT, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}

/// How a periodic term handles late ticks.
#[derive(Clone, Copy, PartialEq, ParameterEnum)]
#[expect(clippy::enum_variant_names, reason = "the names are GXF's")]
enum PeriodicSchedulingPolicy {
    CatchUpMissedTicks,
    MinTimeBetweenTicks,
    NoCatchUpMissedTicks,
}

/// Lets its entity tick once per period. Unlike with PeriodicSchedulingTerm, the first tick is one
/// period after the first check of the term.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct PeriodicSchedulingTermWithDelay {
    /// The period: nanoseconds without a unit, or a number with `ms`, `s` or `hz`.
    recess_period: Parameter<String>,
    /// How to handle late ticks: CatchUpMissedTicks makes up for all of them, MinTimeBetweenTicks
    /// counts each period from the last tick, NoCatchUpMissedTicks drops them but keeps the rhythm.
    #[parameter(default = PeriodicSchedulingPolicy::CatchUpMissedTicks)]
    policy: Parameter<PeriodicSchedulingPolicy>,
    /// Nanoseconds; read from `recess_period` at initialize.
    period: AtomicI64,
    /// Time of the next tick; [`NO_TARGET`] before the first check.
    target: AtomicI64,
}

// Only the thread that executes the entity checks a term, hence the relaxed orderings.

/// No target time is set yet.
const NO_TARGET: i64 = i64::MIN;

impl PeriodicSchedulingTermWithDelay {
    fn period(&self) -> Result<i64> {
        parse_period_ns(&self.recess_period).map_err(|error| {
            Error::new(ResultCode::ARGUMENT_INVALID, format!("`recess_period`: {error}"))
        })
    }
}

impl Lifecycle for PeriodicSchedulingTermWithDelay {
    fn check_parameters(&self) -> Result<()> {
        self.period().map(|_| ())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.period.store(self.period()?, Relaxed);
        self.target.store(NO_TARGET, Relaxed);
        Ok(())
    }
}

impl implement::SchedulingTerm for PeriodicSchedulingTermWithDelay {
    fn check(&self, now: i64) -> Result<Condition> {
        let mut target = self.target.load(Relaxed);
        if target == NO_TARGET {
            target = now.saturating_add(self.period.load(Relaxed));
            self.target.store(target, Relaxed);
        }
        let condition_type =
            if now >= target { ConditionType::READY } else { ConditionType::WAIT_TIME };
        Ok(Condition { condition_type, target })
    }

    fn on_execute(&self, now: i64) -> Result<()> {
        let (target, period) = (self.target.load(Relaxed), self.period.load(Relaxed));
        self.target.store(next_target(target, period, now, *self.policy), Relaxed);
        Ok(())
    }
}

/// Time of the tick after the one that was due at `target` and ran at `now`.
fn next_target(target: i64, period: i64, now: i64, policy: PeriodicSchedulingPolicy) -> i64 {
    match policy {
        PeriodicSchedulingPolicy::CatchUpMissedTicks => target.saturating_add(period),
        PeriodicSchedulingPolicy::MinTimeBetweenTicks => now.saturating_add(period),
        PeriodicSchedulingPolicy::NoCatchUpMissedTicks => {
            let missed = now.saturating_sub(target).max(0) / period;
            target.saturating_add(period.saturating_mul(missed + 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_differ_in_what_they_do_with_missed_ticks() {
        use PeriodicSchedulingPolicy::*;
        // Due at 100, every 10, but run at 134.
        assert_eq!(next_target(100, 10, 134, CatchUpMissedTicks), 110);
        assert_eq!(next_target(100, 10, 134, MinTimeBetweenTicks), 144);
        assert_eq!(next_target(100, 10, 134, NoCatchUpMissedTicks), 140);
        assert_eq!(next_target(100, 10, 100, NoCatchUpMissedTicks), 110);
    }
}
