//! One child after the other, as sequences and selectors do.

use crate::children::{Children, Outcome};
use gxf::BtSchedulingTerm;
use gxf::prelude::*;

/// Runs the children in order while they end in one way, and ends as the last one did.
#[derive(Default)]
pub struct InOrder {
    children: Children,
    /// The child that runs; `None` before the first tick.
    current: Option<usize>,
}

impl InOrder {
    /// Finds the children.
    pub fn start(
        &mut self,
        context: &TickContext,
        terms: &[Handle<BtSchedulingTerm>],
    ) -> Result<()> {
        *self = Self { children: Children::find(context, terms)?, current: None };
        Ok(())
    }

    /// The status of the node. Without children it ends with `go_on`.
    pub fn tick(
        &mut self,
        context: &TickContext,
        own: &BtSchedulingTerm,
        go_on: Outcome,
    ) -> Result<Outcome> {
        let mut next = 0;
        if let Some(current) = self.current {
            match self.children.outcome(context, current, own)? {
                Outcome::Running => return Ok(Outcome::Running),
                outcome if outcome == go_on => next = current + 1,
                outcome => return Ok(self.end(outcome)),
            }
        }
        if next == self.children.len() {
            return Ok(self.end(go_on));
        }
        self.children.arm(context, next)?;
        self.current = Some(next);
        // Another thread may have run the child already; then the term is ready at once.
        self.children.wait(next, own)?;
        Ok(Outcome::Running)
    }

    /// Arming the node again starts from the first child.
    fn end(&mut self, outcome: Outcome) -> Outcome {
        self.current = None;
        outcome
    }
}
