//! `ParallelBehavior`.

use crate::children::{Children, Outcome, answer};
use gxf::prelude::*;
use gxf::{BtSchedulingTerm, Controller};

/// Runs all children at once. Succeeds when enough have succeeded, fails when enough have failed,
/// and then ends all of them. When all have ended and neither number is reached, it fails.
#[derive(Component, Default)]
pub struct ParallelBehavior {
    /// Terms of the children.
    children: Parameter<Vec<Handle<BtSchedulingTerm>>>,
    /// Term of the same entity.
    s_term: Parameter<Handle<BtSchedulingTerm>>,
    /// Controller of the same entity. Kept for applications written for GXF; the node finds it
    /// without.
    controller: Parameter<Option<Handle<Controller>>>,
    /// Number of children that must succeed; -1 for all.
    #[parameter(minimum = -1)]
    success_threshold: Parameter<i64>,
    /// Number of children that must fail; -1 for all.
    #[parameter(minimum = -1)]
    failure_threshold: Parameter<i64>,
    found: Children,
    armed: bool,
}

/// The status of a node with these children.
fn judge(outcomes: &[Outcome], successes: i64, failures: i64) -> Outcome {
    let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    let threshold = |given: i64| usize::try_from(given).unwrap_or(outcomes.len());
    if count(Outcome::Success) >= threshold(successes) {
        Outcome::Success
    } else if count(Outcome::Failure) >= threshold(failures) || count(Outcome::Running) == 0 {
        Outcome::Failure
    } else {
        Outcome::Running
    }
}

impl Codelet for ParallelBehavior {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.found = Children::find(context, &self.children)?;
        self.armed = false;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        if !self.armed {
            for index in 0..self.found.len() {
                self.found.arm(context, index)?;
            }
            self.armed = true;
        }
        let outcomes: Vec<_> = (0..self.found.len())
            .map(|index| self.found.outcome(context, index, &self.s_term))
            .collect::<Result<_>>()?;
        let outcome = judge(&outcomes, *self.success_threshold, *self.failure_threshold);
        if outcome != Outcome::Running {
            self.armed = false;
            self.found.end_all()?;
            // The node itself may tick again if its controller lets it.
            self.s_term.set_condition(ConditionType::READY)?;
        } else {
            // The controllers of children that failed may repeat them.
            let all = outcomes.iter().enumerate();
            for (index, _) in all.filter(|(_, outcome)| **outcome == Outcome::Failure) {
                self.found.wait(index, &self.s_term)?;
            }
        }
        answer(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Failure, Running, Success};

    #[test]
    fn success_is_tested_first() {
        assert_eq!(judge(&[Success, Failure], 1, 1), Success);
        assert_eq!(judge(&[Running, Failure], 1, 1), Failure);
        assert_eq!(judge(&[Running, Failure], 1, 2), Running);
    }

    #[test]
    fn minus_one_means_all_and_zero_is_met_at_once() {
        assert_eq!(judge(&[Success, Running], -1, -1), Running);
        assert_eq!(judge(&[Success, Success], -1, -1), Success);
        assert_eq!(judge(&[Running], 0, -1), Success);
        assert_eq!(judge(&[], -1, -1), Success);
    }

    #[test]
    fn a_tie_is_a_failure() {
        assert_eq!(judge(&[Success, Failure], -1, -1), Failure);
    }
}
