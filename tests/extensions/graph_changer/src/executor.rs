//! A codelet that executes an entity, perhaps its own.

use gxf::prelude::*;

/// In its first tick it executes another entity.
#[derive(Component, Default)]
pub struct Executor {
    /// The other's name.
    other: Parameter<String>,
}

impl Codelet for Executor {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let name = context.entity_name();
        if !context.is_first_tick() {
            return Ok(());
        }
        let graph = context.handle();
        let other = graph.find_entity(&self.other)?;
        match graph.execute_entity(other, context.now()) {
            Ok(_) => gxf::info!("{name} executed {}", *self.other),
            Err(error) => gxf::info!("{name} was refused: {error}"),
        }
        Ok(())
    }
}
