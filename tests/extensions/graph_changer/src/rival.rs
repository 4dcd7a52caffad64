//! A codelet that wants another entity to leave while that wants the same of it.

use gxf::prelude::*;
use std::sync::Barrier;

/// Where the ticks of two rivals meet.
static MEETING: Barrier = Barrier::new(2);

/// In its first tick it waits for the first tick of the other, and then lets the other leave.
#[derive(Component, Default)]
pub struct Rival {
    /// The other's name.
    other: Parameter<String>,
    /// Removes the other instead of deactivating it.
    #[parameter(default = false)]
    destroy: Parameter<bool>,
}

impl Codelet for Rival {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let name = context.entity_name();
        if !context.is_first_tick() {
            gxf::info!("{name} goes on");
            return Ok(());
        }
        let graph = context.handle();
        let other = graph.find_entity(&self.other)?;
        MEETING.wait();
        let left = if *self.destroy {
            graph.destroy_entity(other)
        } else {
            graph.deactivate_entity(other)
        };
        match left {
            Ok(()) => gxf::info!("{name} made {} leave", *self.other),
            Err(error) => gxf::info!("{name} was refused: {error}"),
        }
        Ok(())
    }
}
