//! `ClockSetter`, `ClockChecker`: move a synthetic clock, and check it. GXF has them in a separate
//! extension, TestClockSyncHelpers.

use gxf::SyntheticClock;
use gxf::prelude::*;

/// Moves a synthetic clock to the next time of a list on every tick, then ends.
#[derive(Component, Default)]
pub struct ClockSetter {
    /// The clock to move.
    synthetic_clock: Parameter<Handle<SyntheticClock>>,
    /// Term of the same entity, switched off at the end of the list.
    boolean_scheduling_term: Parameter<Handle<BooleanSchedulingTerm>>,
    /// Times in ascending order.
    #[parameter(unit = "ns")]
    timestamps: Parameter<Vec<i64>>,
    next: usize,
}

impl Codelet for ClockSetter {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.next = 0;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let Some(time) = self.timestamps.get().get(self.next) else {
            return self.boolean_scheduling_term.set_tick_enabled(false);
        };
        self.next += 1;
        self.synthetic_clock.advance_to(*time)
    }
}

/// Compares a synthetic clock with the next time of a list on every tick, then ends.
#[derive(Component, Default)]
pub struct ClockChecker {
    /// The clock to check.
    synthetic_clock: Parameter<Handle<SyntheticClock>>,
    /// Term of the same entity, switched off at the end of the list.
    boolean_scheduling_term: Parameter<Handle<BooleanSchedulingTerm>>,
    /// The times the clock must show.
    #[parameter(unit = "ns")]
    timestamps: Parameter<Vec<i64>>,
    next: usize,
}

impl Codelet for ClockChecker {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.next = 0;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let Some(expected) = self.timestamps.get().get(self.next) else {
            return self.boolean_scheduling_term.set_tick_enabled(false);
        };
        self.next += 1;
        let now = self.synthetic_clock.timestamp();
        if now == *expected {
            return Ok(());
        }
        Err(Error::failure(format!("the clock shows {now} ns instead of {expected} ns")))
    }
}
