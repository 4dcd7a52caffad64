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
