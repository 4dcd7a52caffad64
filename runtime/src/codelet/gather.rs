//! `Gather`: several receivers, one transmitter.

use gxf::prelude::*;

/// Sends everything that arrived at the receivers of its entity on through one transmitter,
/// receiver after receiver.
#[derive(Component, Default)]
pub(crate) struct Gather {
    /// Transmitter the messages leave through; its `capacity` must hold what one tick sends.
    #[parameter(headline = "Sink channel")]
    sink: Parameter<Handle<Transmitter>>,
    /// Kept for applications written for GXF: all receivers of the entity are sources.
    #[parameter(headline = "Source channels")]
    sources: Parameter<Option<Vec<Handle<Receiver>>>>,
    /// Most messages a tick takes from one receiver; 0 for all.
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
                // A queue may promise more than it has.
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
