//! `TimedThrottler`: gives messages the pace at which they were acquired.

use gxf::prelude::*;

/// Sends messages on at the distances of their acquisition times, for example to replay a
/// recording. A message that was sent carries new times of the execution clock: acquired when it
/// was due, published when it was sent.
///
/// A tick takes in one message, sends the one before, and sets the time of the next tick. So the
/// entity needs a MessageAvailableSchedulingTerm, and the last message stays inside.
#[derive(Component, Default)]
pub(crate) struct TimedThrottler {
    /// Transmitter the messages leave through.
    #[parameter(headline = "Transmitter")]
    transmitter: Parameter<Handle<Transmitter>>,
    /// Receiver the messages arrive at.
    #[parameter(headline = "Receiver")]
    receiver: Parameter<Handle<Receiver>>,
    /// Clock that paces the output; that of the scheduling term.
    #[parameter(headline = "Execution clock")]
    execution_clock: Parameter<Handle<Clock>>,
    /// Clock of the input: a message without a timestamp counts as acquired at the time of this
    /// clock when it was taken in.
    #[parameter(headline = "Throttling clock")]
    throttling_clock: Parameter<Handle<Clock>>,
    /// Term of the own entity that waits for the time of the next message.
    #[parameter(headline = "Execution scheduling term")]
    scheduling_term: Parameter<Handle<TargetTimeSchedulingTerm>>,
    held: Option<Held>,
}

/// The message that is sent next.
struct Held {
    message: Message,
    acquired: i64,
    /// In the time of the execution clock.
    due: i64,
}

/// When a message is due: as long after the one before as it was acquired after it, at once if that
/// is over.
fn due(before: Option<(i64, i64)>, acquired: i64, now: i64) -> i64 {
    let Some((due_before, acquired_before)) = before else { return now };
    let distance = acquired.saturating_sub(acquired_before).max(0);
    due_before.saturating_add(distance).max(now)
}

impl Codelet for TimedThrottler {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.receiver.receive()?;
        let now = self.execution_clock.timestamp();
        let before = match self.held.take() {
            Some(held) => {
                let before = (held.due, held.acquired);
                let mut sent = held.message.stamped(held.due)?;
                sent.get_mut::<Timestamp>("timestamp")?.pubtime = now;
                self.transmitter.publish_as_is(sent)?;
                Some(before)
            }
            None => None,
        };
        let acquired = message
            .timestamp()
            .map_or_else(|| self.throttling_clock.timestamp(), |stamp| stamp.acqtime);
        let due = due(before, acquired, now);
        self.held = Some(Held { message, acquired, due });
        self.scheduling_term.set_next_target_time(due)
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.held = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::due;

    #[test]
    fn distances_of_the_input_are_those_of_the_output() {
        assert_eq!(due(None, 77, 1000), 1000);
        assert_eq!(due(Some((1000, 77)), 87, 1000), 1010);
        // Late: at once, not in the past.
        assert_eq!(due(Some((1000, 77)), 87, 1050), 1050);
        // Out of order: at once.
        assert_eq!(due(Some((1000, 77)), 7, 1000), 1000);
    }
}
