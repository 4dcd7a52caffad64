//! `Broadcast`: one receiver, several transmitters.

use gxf::prelude::*;

/// The recipients of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterEnum)]
pub enum BroadcastMode {
    /// All transmitters.
    Broadcast,
    /// Each transmitter in turn.
    RoundRobin,
}

/// Forwards each message to all transmitters of its entity, or to each in turn. Takes one message
/// per tick; messages are shared, not copied.
#[derive(Component, Default)]
pub struct Broadcast {
    /// Receiver that the messages arrive in.
    #[parameter(headline = "Source channel")]
    source: Parameter<Handle<Receiver>>,
    /// Whether every transmitter gets each message, or only the next one in turn.
    #[parameter(headline = "Broadcast mode", default = BroadcastMode::Broadcast)]
    mode: Parameter<BroadcastMode>,
    transmitters: Vec<Handle<Transmitter>>,
    next: usize,
}

impl Codelet for Broadcast {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.transmitters = context.find_all::<Transmitter>()?;
        self.next = 0;
        if self.transmitters.is_empty() {
            return Err(Error::new(
                ResultCode::ARGUMENT_NULL,
                "the entity has no transmitter to send to",
            ));
        }
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.source.receive()?;
        match *self.mode.get() {
            BroadcastMode::Broadcast => {
                for transmitter in &self.transmitters {
                    transmitter.publish_as_is(message.clone())?;
                }
                Ok(())
            }
            BroadcastMode::RoundRobin => {
                let place = self.next;
                self.next = (place + 1) % self.transmitters.len();
                self.transmitters[place].publish_as_is(message)
            }
        }
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.transmitters.clear();
        Ok(())
    }
}
