//! `ConstantBehavior`.

use crate::children::{Outcome, answer};
use gxf::prelude::*;
use gxf::{BtSchedulingTerm, Controller};

/// Succeeds or fails on every tick.
#[derive(Component, Default)]
pub struct ConstantBehavior {
    /// Term of the same entity. Kept for applications written for GXF: the controller handles it.
    s_term: Parameter<Handle<BtSchedulingTerm>>,
    /// Controller of the same entity. Kept for applications written for GXF; the node finds it
    /// without.
    controller: Parameter<Option<Handle<Controller>>>,
    /// 0 for success, 1 for failure.
    #[parameter(maximum = 1)]
    constant_status: Parameter<u64>,
    outcome: Option<Outcome>,
}

impl Codelet for ConstantBehavior {
    fn initialize(&mut self, _context: &ComponentContext) -> Result<()> {
        self.outcome = Some(match *self.constant_status {
            0 => Outcome::Success,
            1 => Outcome::Failure,
            other => {
                return Err(Error::new(
                    ResultCode::PARAMETER_OUT_OF_RANGE,
                    format!("`constant_status` is 0 for success or 1 for failure, not {other}"),
                ));
            }
        });
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        answer(self.outcome.unwrap_or(Outcome::Failure))
    }
}
