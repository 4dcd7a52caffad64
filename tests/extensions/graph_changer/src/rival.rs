//! A codelet that removes another entity while that one tries to remove it.

use gxf::prelude::*;
use std::sync::Barrier;

/// Meeting point of two rivals' ticks.
static MEETING: Barrier = Barrier::new(2);

/// In its first tick, waits for the first tick of the other, and then deactivates it.
#[derive(Component, Default)]
pub struct Rival {
    /// Name of the other entity.
    other: Parameter<String>,
    /// Destroys the other instead of deactivating it.
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
