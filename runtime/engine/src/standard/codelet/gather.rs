//! `Gather`: several receivers, one transmitter.

use gxf::prelude::*;

/// Forwards everything in the receivers of its entity to one transmitter, receiver by receiver.
#[derive(Component, Default)]
pub struct Gather {
    /// Transmitter that publishes the messages. Its `capacity` must hold everything that one tick
    /// sends.
    #[parameter(headline = "Sink channel")]
    sink: Parameter<Handle<Transmitter>>,
    /// Ignored; for compatibility with GXF. The sources are all receivers of the entity.
    #[parameter(headline = "Source channels")]
    sources: Parameter<Option<Vec<Handle<Receiver>>>>,
    /// Most messages to take from one receiver in a tick; 0 for all.
    #[parameter(headline = "Tick source limit", default = 0, minimum = 0)]
    tick_source_limit: Parameter<i64>,
    receivers: Vec<Handle<Receiver>>,
}

impl Codelet for Gather {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.receivers = context.find_all::<Receiver>()?;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let limit = usize::try_from(*self.tick_source_limit.get()).unwrap_or(0);
        for receiver in &self.receivers {
            let arrived = receiver.message_count();
            let taken = if limit == 0 { arrived } else { arrived.min(limit) };
            for _ in 0..taken {
                // A queue may report more messages than it has.
                let Some(message) = receiver.try_receive()? else { break };
                self.sink.publish_as_is(message)?;
            }
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.receivers.clear();
        Ok(())
    }
}
