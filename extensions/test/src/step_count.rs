//! `StepCount`, `StepRangeCount`: did the entity tick as often as expected?
//!
//! They check at deinitialize, when the counts are final. An error there becomes the result of
//! deactivating the graph.

use gxf::prelude::*;
use std::ops::RangeInclusive;

/// Counts starts and ticks of its entity and fails at deinitialize when a count is wrong.
#[derive(Component, Default)]
pub struct StepCount {
    /// In GXF a wrong count ends the process if set. Here it is an error in either case; the
    /// parameter exists so that applications load.
    #[parameter(default = false)]
    use_assert: Parameter<bool>,
    /// Expected number of starts.
    #[parameter(default = 1)]
    expected_start_count: Parameter<u64>,
    /// Expected number of ticks.
    #[parameter(default = 0)]
    expected_count: Parameter<u64>,
    counts: Counts,
}

/// Counts starts and ticks of its entity and fails at deinitialize when the number of starts is
/// wrong or the number of ticks is outside a range.
#[derive(Component, Default)]
pub struct StepRangeCount {
    /// In GXF a wrong count ends the process if set. Here it is an error in either case; the
    /// parameter exists so that applications load.
    #[parameter(default = false)]
    use_assert: Parameter<bool>,
    /// Expected number of starts.
    #[parameter(default = 1)]
    expected_start_count: Parameter<u64>,
    /// Minimum number of ticks.
    #[parameter(default = 0)]
    expected_count_range_start: Parameter<u64>,
    /// Maximum number of ticks.
    #[parameter(default = 0)]
    expected_count_range_end: Parameter<u64>,
    counts: Counts,
}

/// Number of starts and ticks.
#[derive(Default)]
struct Counts {
    starts: u64,
    ticks: u64,
}

impl Counts {
    fn check(&self, starts: u64, ticks: RangeInclusive<u64>) -> Result<()> {
        let mut wrong = Vec::new();
        if self.starts != starts {
            wrong.push(format!("started {} times instead of {starts}", self.starts));
        }
        if !ticks.contains(&self.ticks) {
            let expected = if ticks.start() == ticks.end() {
                ticks.start().to_string()
            } else {
                format!("{} to {}", ticks.start(), ticks.end())
            };
            wrong.push(format!("ticked {} times instead of {expected}", self.ticks));
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::failure(wrong.join(" and "))) }
    }
}

impl Codelet for StepCount {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.counts.starts += 1;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.counts.ticks += 1;
        Ok(())
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        let ticks = *self.expected_count;
        std::mem::take(&mut self.counts).check(*self.expected_start_count, ticks..=ticks)
    }
}

impl Codelet for StepRangeCount {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.counts.starts += 1;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.counts.ticks += 1;
        Ok(())
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        let ticks = *self.expected_count_range_start..=*self.expected_count_range_end;
        std::mem::take(&mut self.counts).check(*self.expected_start_count, ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_counts_are_named_with_both_numbers() {
        let counts = Counts { starts: 1, ticks: 3 };
        assert!(counts.check(1, 3..=3).is_ok());
        assert!(counts.check(1, 0..=5).is_ok());
        let error = counts.check(2, 4..=6).unwrap_err();
        assert_eq!(
            error.message(),
            "started 1 times instead of 2 and ticked 3 times instead of 4 to 6"
        );
        assert_eq!(counts.check(1, 7..=7).unwrap_err().message(), "ticked 3 times instead of 7");
    }
}
