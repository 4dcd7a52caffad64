//! `SerializationTester`: messages to bytes and back.

use gxf::prelude::*;
use gxf::{Endpoint, EntitySerializer};

/// Writes each message to a buffer, reads a new message from it and publishes that one.
#[derive(Component, Default)]
pub struct SerializationTester {
    /// Receiver of the messages.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the new messages.
    output: Parameter<Handle<Transmitter>>,
    /// Turns messages into bytes and back.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Keeps the bytes in between.
    serialization_buffer: Parameter<Handle<Endpoint>>,
    /// The last message, kept alive for serializers that write only its id.
    last: Option<Message>,
}

impl Codelet for SerializationTester {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        self.entity_serializer.write_to(&message, &self.serialization_buffer)?;
        let mut copy = context.new_message()?;
        self.entity_serializer.read_from(&mut copy, &self.serialization_buffer)?;
        self.last = Some(message);
        self.output.publish_as_is(copy)
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.last = None;
        Ok(())
    }
}
