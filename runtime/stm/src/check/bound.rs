//! What a schedule claims about its length.

use super::{Checker, Part};
use crate::deduce::Problem;
use crate::read::error;
use crate::time::show_time;

impl Checker<'_> {
    pub(super) fn bound(&mut self, part: &Part<'_>) {
        let plan = part.plan;
        if plan.lower_bound > plan.makespan {
            let message = format!(
                "no schedule is said to be shorter than {}, and this one takes {}",
                show_time(plan.lower_bound),
                show_time(plan.makespan)
            );
            self.push(error("bound", message), plan.place.as_ref());
            return;
        }
        if part.instances.is_empty() {
            self.proven.bounds += 1;
            self.proven.optimal += 1;
            return;
        }
        let Some(proof) = &plan.proof else { return };
        let mut problem = Problem::new(self.graph, &part.instances, plan.keeps_deadlines);
        if part.one_active {
            problem.one_at_a_time();
        }
        let end = i64::try_from(plan.lower_bound).unwrap_or(i64::MAX) - 1;
        match proof.verify(&problem, end) {
            Ok(()) => {
                self.proven.bounds += 1;
                self.proven.optimal += usize::from(plan.lower_bound == plan.makespan);
            }
            Err(why) => {
                let message = format!(
                    "the proof that nothing is shorter than {} is wrong: {why}",
                    show_time(plan.lower_bound)
                );
                self.push(error("bound", message), plan.place.as_ref());
            }
        }
    }
}
