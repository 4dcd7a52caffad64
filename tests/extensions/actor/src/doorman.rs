//! A codelet that lets entities come and go while others are busy.

use gxf::prelude::*;
use gxf::{NewValue, Uid};

/// Each tick removes the guest of the previous tick and adds another one; the last tick adds none.
/// A guest has a large queue and takes every message.
#[derive(Component, Default)]
pub struct Doorman {
    /// Number of the last tick.
    ticks: Parameter<i64>,
    /// Transmitter whose messages guests get; without it they get none.
    source: Parameter<Option<Handle<Transmitter>>>,
    guest: Option<Uid>,
}

impl Doorman {
    fn let_in(&self, graph: &ContextHandle) -> Result<Uid> {
        let eid = graph.create_entity("guest")?;
        let queue = graph.add_component(eid, "nvidia::gxf::DoubleBufferReceiver", "rx")?;
        graph.set_parameter(queue, "capacity", NewValue::UInt64(10_000))?;
        let term = graph.add_component(eid, "nvidia::gxf::MessageAvailableSchedulingTerm", "")?;
        graph.set_parameter(term, "receiver", NewValue::Component(queue))?;
        let guest = graph.add_component(eid, "gxe::test::Guest", "guest")?;
        graph.set_parameter(guest, "receiver", NewValue::Component(queue))?;
        if let Some(source) = &*self.source {
            let connection = graph.add_component(eid, "nvidia::gxf::Connection", "")?;
            graph.set_parameter(connection, "source", NewValue::Component(source.cid()))?;
            graph.set_parameter(connection, "target", NewValue::Component(queue))?;
        }
        graph.activate_entity(eid)?;
        Ok(eid)
    }
}

impl Codelet for Doorman {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let graph = context.handle();
        if let Some(guest) = self.guest.take() {
            graph.destroy_entity(guest)?;
        }
        if context.count() < *self.ticks {
            self.guest = Some(self.let_in(&graph)?);
        }
        Ok(())
    }
}

/// Takes every message and logs nothing.
#[derive(Component, Default)]
pub struct Guest {
    /// Receiver of the messages.
    receiver: Parameter<Handle<Receiver>>,
}

impl Codelet for Guest {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        while self.receiver.try_receive()?.is_some() {}
        Ok(())
    }
}

/// Its first tick adds entities with a period.
#[derive(Component, Default)]
pub struct Crowd {
    /// How many.
    count: Parameter<u64>,
    /// Their period, such as `10ms`.
    period: Parameter<String>,
}

impl Codelet for Crowd {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let graph = context.handle();
        for number in 0..if context.is_first_tick() { *self.count } else { 0 } {
            let eid = graph.create_entity(&format!("bystander {number}"))?;
            let term = graph.add_component(eid, "nvidia::gxf::PeriodicSchedulingTerm", "")?;
            let period = NewValue::Text(&self.period);
            graph.set_parameter(term, "recess_period", period)?;
            graph.add_component(eid, "gxe::test::Bystander", "")?;
            graph.activate_entity(eid)?;
        }
        Ok(())
    }
}

/// Does nothing.
#[derive(Component, Default)]
pub struct Bystander {}

impl Codelet for Bystander {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        Ok(())
    }
}
