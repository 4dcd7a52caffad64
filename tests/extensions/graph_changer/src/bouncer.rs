//! A component that removes another entity during its initialisation, while a tick of that entity
//! changes the graph.

use gxf::NewValue;
use gxf::prelude::*;
use std::sync::Barrier;

/// Meeting point of a [`Bouncer`]'s initialisation and a [`Host`]'s tick.
static MEETING: Barrier = Barrier::new(2);

/// Removes another entity as soon as it is in the middle of a tick.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Bouncer {
    /// Name of the other entity.
    other: Parameter<String>,
}

impl Lifecycle for Bouncer {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let graph = context.handle();
        let other = graph.find_entity(&self.other)?;
        MEETING.wait();
        match graph.deactivate_entity(other) {
            Ok(()) => gxf::info!("{} left", *self.other),
            Err(error) => gxf::info!("bouncer was refused: {error}"),
        }
        Ok(())
    }
}

/// Adds an entity in its first tick.
#[derive(Component, Default)]
pub struct Host {
    /// Name of the new entity.
    guest: Parameter<String>,
    /// Makes the new entity a [`Bouncer`] for this one. Without it, the new entity joins as soon as
    /// another entity's bouncer is about to remove this one.
    bounces: Parameter<Option<String>>,
}

impl Codelet for Host {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let name = context.entity_name();
        if !context.is_first_tick() {
            gxf::info!("{name} goes on");
            return Ok(());
        }
        let graph = context.handle();
        let guest = graph.create_entity(&self.guest)?;
        if let Some(other) = &*self.bounces {
            let bouncer = graph.add_component(guest, "gxe::test::Bouncer", "bouncer")?;
            graph.set_parameter(bouncer, "other", NewValue::Text(other))?;
        } else {
            MEETING.wait();
        }
        match graph.activate_entity(guest) {
            Ok(()) => gxf::info!("{} joined", *self.guest),
            Err(error) => gxf::info!("{name} was refused: {error}"),
        }
        Ok(())
    }
}
