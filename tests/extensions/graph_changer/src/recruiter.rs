//! A codelet that adds an entity to the running graph and removes it again.

use gxf::prelude::*;
use gxf::{NewValue, Uid};

/// Publishes a number on every tick. On tick `join_at_tick` it creates an entity `recruit` that
/// takes the numbers; on tick `leave_at_tick` it removes the entity.
#[derive(Component, Default)]
pub struct Recruiter {
    /// Transmitter for the numbers.
    transmitter: Parameter<Handle<Transmitter>>,
    /// Number of the tick on which the recruit joins, from 1.
    #[parameter(default = 2)]
    join_at_tick: Parameter<i64>,
    /// Number of the tick on which it leaves; 0 for never.
    #[parameter(default = 0)]
    leave_at_tick: Parameter<i64>,
    /// Tries to remove itself on `leave_at_tick`, which fails.
    #[parameter(default = false)]
    leave_myself: Parameter<bool>,
    /// Capacity of the recruit's queue.
    #[parameter(default = 64)]
    recruit_capacity: Parameter<u64>,
    /// Messages that the recruit waits for before it takes one.
    #[parameter(default = 1)]
    recruit_min_size: Parameter<u64>,
    /// Whether the recruit watches the executions of all entities.
    #[parameter(default = false)]
    recruit_watches: Parameter<bool>,
    /// Number of ticks after which it starts again with another recruit; 0 for never.
    #[parameter(default = 0)]
    again_after: Parameter<i64>,
    recruit: Uid,
}

impl Recruiter {
    fn recruit(&mut self, graph: &ContextHandle) -> Result<()> {
        let eid = graph.create_entity("recruit")?;
        let queue = graph.add_component(eid, "nvidia::gxf::DoubleBufferReceiver", "input")?;
        graph.set_parameter(queue, "capacity", NewValue::UInt64(*self.recruit_capacity))?;
        let term = graph.add_component(eid, "nvidia::gxf::MessageAvailableSchedulingTerm", "")?;
        graph.set_parameter(term, "receiver", NewValue::Component(queue))?;
        graph.set_parameter(term, "min_size", NewValue::UInt64(*self.recruit_min_size))?;
        let codelet = graph.add_component(eid, "nvidia::gxf::PingRx", "recruit")?;
        graph.set_parameter(codelet, "signal", NewValue::Component(queue))?;
        let connection = graph.add_component(eid, "nvidia::gxf::Connection", "")?;
        graph.set_parameter(connection, "source", NewValue::Component(self.transmitter.cid()))?;
        graph.set_parameter(connection, "target", NewValue::Component(queue))?;
        if *self.recruit_watches {
            graph.add_component(eid, "gxe::test::Watcher", "watcher")?;
        }
        graph.activate_entity(eid)?;
        self.recruit = eid;
        Ok(())
    }
}

impl Codelet for Recruiter {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let graph = context.handle();
        let tick = match *self.again_after {
            0 => context.count(),
            period => context.count() % period,
        };
        if tick == *self.join_at_tick {
            self.recruit(&graph)?;
        }
        if tick == *self.leave_at_tick {
            if *self.leave_myself {
                graph.deactivate_entity(context.eid())?;
            }
            graph.destroy_entity(self.recruit)?;
        }
        let mut message = context.new_message()?;
        message.add("number", context.count())?;
        self.transmitter.publish(message, context.now())
    }
}
