//! `TimedThrottler`: sends messages at the times they were acquired at.

use gxf::prelude::*;

/// Sends each message on at its acquisition time, for example to replay a recording. A message that
/// was sent carries the time it was sent at, as acquisition and as publication time.
///
/// A tick sends the message that is held, takes in the next one, and waits for the acquisition time
/// of that. With a MessageAvailableSchedulingTerm the last message therefore stays inside; without,
/// the receiver may be empty whenever a message is held.
#[derive(Component, Default)]
pub struct TimedThrottler {
    /// Transmitter that publishes the messages.
    #[parameter(headline = "Transmitter")]
    transmitter: Parameter<Handle<Transmitter>>,
    /// Receiver that the messages arrive in.
    #[parameter(headline = "Receiver")]
    receiver: Parameter<Handle<Receiver>>,
    /// Clock that shows when a message is due; that of the scheduling term.
    #[parameter(headline = "Execution clock")]
    execution_clock: Parameter<Handle<Clock>>,
    /// Clock of the input: a message without a timestamp counts as acquired at the time of this
    /// clock when it was taken in.
    #[parameter(headline = "Throttling clock")]
    throttling_clock: Parameter<Handle<Clock>>,
    /// Term of the own entity that waits for the time of the next message.
    #[parameter(headline = "Execution scheduling term")]
    scheduling_term: Parameter<Handle<TargetTimeSchedulingTerm>>,
    /// The message that is sent next.
    held: Option<Message>,
}

impl Codelet for TimedThrottler {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let now = self.execution_clock.timestamp();
        let next = match self.held.take() {
            Some(held) => {
                let mut sent = held.stamped(now)?;
                sent.get_mut::<Timestamp>("timestamp")?.pubtime = now;
                self.transmitter.publish_as_is(sent)?;
                self.receiver.try_receive()?
            }
            None => Some(self.receiver.receive()?),
        };
        let Some(next) = next else { return Ok(()) };
        let acquired = next
            .timestamp()
            .map_or_else(|| self.throttling_clock.timestamp(), |stamp| stamp.acqtime);
        self.held = Some(next);
        // An overdue message is sent at once: the term refuses times before the one it waited for.
        self.scheduling_term.set_next_target_time(acquired.max(now))
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.held = None;
        Ok(())
    }
}
