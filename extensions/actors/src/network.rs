//! `CopyOverNetwork`.

use gxf::prelude::*;

/// Publishes each message as it is. One of its queues leads to another process: a
/// `nvidia::gxf::UcxTransmitter` to send, a `nvidia::gxf::UcxReceiver` to receive. The link numbers
/// the messages, sends no more than there is room for, and transfers no memory of empty tensors. A
/// plan of several ranks has a pair of these actors for each register that leads from one to another.
#[derive(Component, Default)]
pub struct CopyOverNetwork {
    /// Receiver for messages of any kind.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
}

impl Codelet for CopyOverNetwork {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        self.output.publish_as_is(message)
    }
}
