//! `TimerBehavior`.

use crate::children::{Outcome, answer};
use gxf::prelude::*;
use gxf::{BtSchedulingTerm, Controller};

/// Runs for a time, then succeeds, fails, or starts again. The time starts with the first tick
/// after arming; meanwhile the entity sleeps.
#[derive(Component, Default)]
pub struct TimerBehavior {
    /// Term of the same entity.
    s_term: Parameter<Handle<BtSchedulingTerm>>,
    /// Controller of the same entity. Kept for applications written for GXF; the node finds it
    /// without.
    controller: Parameter<Option<Handle<Controller>>>,
    /// The clock that measures the time. Its time may differ from the scheduler's, its rate must
    /// not.
    clock: Parameter<Handle<Clock>>,
    /// How it ends: 0 success, 1 failure, 2 not at all (the time starts again).
    #[parameter(maximum = 2)]
    switch_status: Parameter<u64>,
    /// How long it runs.
    #[parameter(unit = "s", minimum = 0.0)]
    delay: Parameter<f64>,
    /// When it ends, in nanoseconds of the clock; `None` before the first tick.
    end: Option<i64>,
    /// How far the clock is ahead of the scheduler's. The least that was seen since the start: time
    /// that passes inside an execution adds to what is seen.
    ahead: i64,
}

impl TimerBehavior {
    fn delay_ns(&self) -> i64 {
        (*self.delay * 1e9).round() as i64
    }

    /// The time of the clock.
    fn look(&mut self, context: &TickContext) -> i64 {
        let now = self.clock.timestamp();
        self.ahead = self.ahead.min(now.saturating_sub(context.now()));
        now
    }
}

impl Codelet for TimerBehavior {
    fn initialize(&mut self, _context: &ComponentContext) -> Result<()> {
        if *self.switch_status > 2 {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!(
                    "`switch_status` is 0 for success, 1 for failure or 2 for running on, not {}",
                    *self.switch_status
                ),
            ));
        }
        if !(*self.delay >= 0.0 && self.delay.is_finite()) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`delay` must not be negative, and {} is", *self.delay),
            ));
        }
        Ok(())
    }

    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.end = None;
        self.ahead = i64::MAX;
        self.look(context);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let now = self.look(context);
        let end = match self.end {
            Some(end) if now >= end => {
                self.end = None;
                // The node itself may tick again if its controller lets it.
                self.s_term.set_condition(ConditionType::READY)?;
                match *self.switch_status {
                    0 => return answer(Outcome::Success),
                    1 => return answer(Outcome::Failure),
                    _ => now.saturating_add(self.delay_ns()),
                }
            }
            Some(end) => end,
            None => now.saturating_add(self.delay_ns()),
        };
        self.end = Some(end);
        self.s_term.wait_until(end.saturating_sub(self.ahead))?;
        answer(Outcome::Running)
    }
}
