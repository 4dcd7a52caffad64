//! `RepeatBehavior`.

use crate::children::{Children, Outcome, answer};
use gxf::prelude::*;
use gxf::{BtSchedulingTerm, Controller};

/// Repeats its only child until it fails. With any other number of children it succeeds at once.
#[derive(Component, Default)]
pub struct RepeatBehavior {
    /// Term of the child.
    children: Parameter<Vec<Handle<BtSchedulingTerm>>>,
    /// Term of the same entity.
    s_term: Parameter<Handle<BtSchedulingTerm>>,
    /// Controller of the same entity. Kept for applications written for GXF; the node finds it
    /// without.
    controller: Parameter<Option<Handle<Controller>>>,
    /// Repeats the child after a failure, too.
    repeat_after_failure: Parameter<bool>,
    found: Children,
    armed: bool,
}

impl Codelet for RepeatBehavior {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.found = Children::find(context, &self.children)?;
        self.armed = false;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        if self.found.len() != 1 {
            return answer(Outcome::Success);
        }
        if self.armed {
            match self.found.outcome(context, 0, &self.s_term)? {
                Outcome::Running => return answer(Outcome::Running),
                Outcome::Failure if !*self.repeat_after_failure => {
                    self.armed = false;
                    return answer(Outcome::Failure);
                }
                Outcome::Success | Outcome::Failure => {}
            }
        }
        self.found.arm(context, 0)?;
        self.armed = true;
        // Another thread may have run the child already; then the term is ready at once.
        self.found.wait(0, &self.s_term)?;
        answer(Outcome::Running)
    }
}
