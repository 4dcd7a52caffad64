//! Codelets that declare what they exchange, for `gxe inspect`.

use gxf::Tensor;
use gxf::prelude::*;

/// A payload of this extension.
#[derive(Default)]
pub struct Pose {
    _angle: f64,
}

/// Publishes poses.
#[derive(Component, Default)]
pub struct PoseSource {
    /// Transmitter of poses, each with its image.
    #[parameter(carries = [Pose, Tensor, "somebody::Else"])]
    signal: Parameter<Handle<Transmitter>>,
    /// Any transmitter.
    others: Parameter<Option<Vec<Handle<Transmitter>>>>,
}

impl Codelet for PoseSource {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        for transmitter in self.others.iter().flatten() {
            transmitter.publish(context.new_message()?, context.now())?;
        }
        self.signal.publish(context.new_message()?, context.now())
    }
}

/// Passes poses on.
#[derive(Component, Default)]
pub struct PoseFilter {
    /// Receiver of poses.
    #[parameter(carries = Pose)]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter of poses.
    #[parameter(carries = Pose)]
    output: Parameter<Handle<Transmitter>>,
}

impl Codelet for PoseFilter {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.output.publish_as_is(self.input.receive()?)
    }
}

/// A payload of plain data.
#[derive(Default)]
pub struct Count(u64);

/// Publishes a count for each message that it takes.
#[derive(Component, Default)]
pub struct Counted {
    /// Receiver of any messages.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter of counts.
    #[parameter(carries = Count)]
    output: Parameter<Handle<Transmitter>>,
}

impl Codelet for Counted {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        drop(self.input.receive()?);
        let mut message = context.new_message()?;
        let mut count = Count(0);
        count.0 += context.count().unsigned_abs();
        message.add("count", count)?;
        self.output.publish(message, context.now())
    }
}

/// A receiver of poses, always empty.
#[derive(Component, Default)]
#[component(carries = [Pose, "somebody::Else"])]
pub struct PoseReceiver {}

fn empty() -> Result<Message> {
    Err(ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE.into())
}

impl implement::Queue for PoseReceiver {
    fn push(&self, _message: Message) -> Result<()> {
        Ok(())
    }

    fn pop(&self) -> Result<Message> {
        empty()
    }

    fn peek(&self, _index: i32) -> Result<Message> {
        empty()
    }

    fn capacity(&self) -> usize {
        0
    }

    fn message_count(&self) -> usize {
        0
    }

    fn back_count(&self) -> usize {
        0
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }
}

impl implement::Receiver for PoseReceiver {
    fn receive(&self) -> Result<Message> {
        empty()
    }

    fn peek_back(&self, _index: i32) -> Result<Message> {
        empty()
    }
}
