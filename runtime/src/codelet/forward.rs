//! `Forward`: one receiver, one transmitter.

use gxf::prelude::*;

/// Sends each message on, one a tick.
#[derive(Component, Default)]
pub(crate) struct Forward {
    /// Receiver the messages arrive at.
    #[parameter(headline = "Input")]
    r#in: Parameter<Handle<Receiver>>,
    /// Transmitter the messages leave through.
    #[parameter(headline = "Output")]
    out: Parameter<Handle<Transmitter>>,
}

impl Codelet for Forward {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.out.publish_as_is(self.r#in.receive()?)
    }
}
