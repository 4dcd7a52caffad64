//! `SequenceBehavior`.

use crate::children::{Outcome, answer};
use crate::in_order::InOrder;
use gxf::prelude::*;
use gxf::{BtSchedulingTerm, Controller};

/// Runs its children one after the other. Fails with the first that fails, succeeds when all have
/// succeeded.
#[derive(Component, Default)]
pub struct SequenceBehavior {
    /// Terms of the children, in their order.
    children: Parameter<Vec<Handle<BtSchedulingTerm>>>,
    /// Term of the same entity.
    s_term: Parameter<Handle<BtSchedulingTerm>>,
    /// Controller of the same entity. Kept for applications written for GXF; the node finds it
    /// without.
    controller: Parameter<Option<Handle<Controller>>>,
    in_order: InOrder,
}

impl Codelet for SequenceBehavior {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.in_order.start(context, &self.children)
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        answer(self.in_order.tick(context, &self.s_term, Outcome::Success)?)
    }
}
