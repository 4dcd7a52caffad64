//! `SwitchBehavior`.

use crate::children::{Children, Outcome, answer};
use gxf::prelude::*;
use gxf::{BtSchedulingTerm, Controller};

/// Runs one of its children and ends as it does.
#[derive(Component, Default)]
pub struct SwitchBehavior {
    /// Terms of the children.
    children: Parameter<Vec<Handle<BtSchedulingTerm>>>,
    /// Term of the same entity.
    s_term: Parameter<Handle<BtSchedulingTerm>>,
    /// Controller of the same entity. Kept for applications written for GXF; the node finds it
    /// without.
    controller: Parameter<Option<Handle<Controller>>>,
    /// Position of the child to run, from 0.
    desired_behavior: Parameter<u64>,
    found: Children,
    /// The child that runs; `None` before the first tick.
    current: Option<usize>,
}

impl SwitchBehavior {
    fn wanted(&self) -> Result<usize> {
        let (wanted, there) = (*self.desired_behavior, self.found.len());
        usize::try_from(wanted).ok().filter(|index| *index < there).ok_or_else(|| {
            let there = match there {
                1 => "is 1 child".to_owned(),
                there => format!("are {there} children"),
            };
            Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("`desired_behavior` is {wanted}, and there {there}, counted from 0"),
            )
        })
    }
}

impl Codelet for SwitchBehavior {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.found = Children::find(context, &self.children)?;
        self.current = None;
        self.wanted().map(|_| ())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let current = match self.current {
            Some(current) => current,
            None => {
                let index = self.wanted()?;
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
