//! `Forward`: one receiver, one transmitter.

use gxf::prelude::*;

/// Forwards messages, one per tick.
#[derive(Component, Default)]
pub struct Forward {
    /// Receiver that the messages arrive in.
    #[parameter(headline = "Input")]
    r#in: Parameter<Handle<Receiver>>,
    /// Transmitter that publishes the messages.
    #[parameter(headline = "Output")]
    out: Parameter<Handle<Transmitter>>,
}

impl Codelet for Forward {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.out.publish_as_is(self.r#in.receive()?)
    }
}
