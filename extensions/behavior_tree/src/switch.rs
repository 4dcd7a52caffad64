//! `SwitchBehavior`.

use crate::children::{Children, Outcome, answer};
use gxf::BtSchedulingTerm;
use gxf::prelude::*;

/// Runs one of its children and ends as it does.
#[derive(Component, Default)]
pub struct SwitchBehavior {
    /// Terms of the children.
    children: Parameter<Vec<Handle<BtSchedulingTerm>>>,
    /// Term of the own entity.
    s_term: Parameter<Handle<BtSchedulingTerm>>,
    /// Position of the child to run, from 0.
    desired_behavior: Parameter<u64>,
    found: Children,
    /// The child that runs; `None` before the first tick.
    current: Option<usize>,
}

impl Codelet for SwitchBehavior {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.found = Children::find(context, &self.children)?;
        self.current = None;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let current = match self.current {
            Some(current) => current,
            None => {
                let wanted = *self.desired_behavior;
                let index = usize::try_from(wanted).ok().filter(|index| *index < self.found.len());
                let index = index.ok_or_else(|| {
                    Error::new(
                        ResultCode::ARGUMENT_OUT_OF_RANGE,
                        format!(
                            "`desired_behavior` is {wanted}, and there are {} children, counted \
                             from 0",
                            self.found.len()
                        ),
                    )
                })?;
                self.found.arm(context, index)?;
                *self.current.insert(index)
            }
        };
        let outcome = self.found.outcome(context, current, &self.s_term)?;
        if outcome != Outcome::Running {
            self.current = None;
        }
        answer(outcome)
    }
}
