//! `Synchronization`: forwards messages that belong together in time.

use gxf::prelude::*;

/// Waits until every input holds a message with about the same acquisition time, and forwards
/// these, each to the output at the same position. Drops messages that are too old to find
/// partners.
#[derive(Component, Default)]
pub struct Synchronization {
    /// Receivers that the messages arrive in, at least two.
    #[parameter(headline = "Inputs")]
    inputs: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitters that publish the messages, one for each input.
    #[parameter(headline = "Outputs")]
    outputs: Parameter<Vec<Handle<Transmitter>>>,
    /// Largest difference between the acquisition times of messages that belong together.
    #[parameter(headline = "Synchronization threshold", unit = "ns", default = 0, minimum = 0)]
    sync_threshold: Parameter<i64>,
}

/// What to do with the messages of all inputs.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    /// By input: how many of the oldest messages are dropped.
    drop: Vec<usize>,
    /// Whether to send the first remaining message of each input.
    send: bool,
}

/// Decides from the acquisition times of what each input holds, oldest first and never empty.
fn plan(times: &[Vec<i64>], threshold: i64) -> Plan {
    let latest = times.iter().map(|times| times[0]).max().unwrap_or(0);
    let (earliest, last) = (latest.saturating_sub(threshold), latest.saturating_add(threshold));
    let (mut from, mut to) = (earliest, last);
    // Each message narrows the window for the inputs that follow, so that all are close together.
    let together = times.iter().all(|times| {
        let fit = times.iter().find(|time| (from..=to).contains(*time));
        if let Some(time) = fit {
            from = from.max(time.saturating_sub(threshold));
            to = to.min(time.saturating_add(threshold));
        }
        fit.is_some()
    });
    let drop: Vec<usize> = times
        .iter()
        .map(|times| times.iter().take_while(|time| **time < earliest).count())
        .collect();
    let passes = |(times, drop): (&Vec<i64>, &usize)| times.get(*drop).is_some_and(|t| *t <= last);
    let send = together && times.iter().zip(&drop).all(passes);
    Plan { drop, send }
}

fn times_of(receiver: &Receiver) -> Result<Vec<i64>> {
    let mut times = Vec::new();
    for index in 0..i32::try_from(receiver.message_count()).unwrap_or(i32::MAX) {
        let message = receiver.peek(index)?;
        let stamp = message.timestamp().ok_or_else(|| {
            Error::new(
                ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                "a message has no timestamp, so it cannot be synchronized",
            )
        })?;
        times.push(stamp.acqtime);
    }
    if times.is_empty() {
        return Err(Error::new(
            ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE,
            "ticked while an input holds no message; add a MessageAvailableSchedulingTerm for each",
        ));
    }
    Ok(times)
}

impl Codelet for Synchronization {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        let (inputs, outputs) = (self.inputs.len(), self.outputs.len());
        if inputs != outputs || inputs < 2 {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "{inputs} inputs and {outputs} outputs; there must be as many outputs as \
                     inputs, and at least two"
                ),
            ));
        }
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let times: Vec<_> =
            self.inputs.iter().map(|input| times_of(input)).collect::<Result<_>>()?;
        let plan = plan(&times, *self.sync_threshold.get());
        for ((input, output), drop) in self.inputs.iter().zip(self.outputs.iter()).zip(&plan.drop) {
            for _ in 0..*drop {
                input.receive()?;
            }
            if plan.send {
                output.publish_as_is(input.receive()?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_pass() {
        let plan = plan(&[vec![10], vec![10, 20]], 0);
        assert_eq!(plan, Plan { drop: vec![0, 0], send: true });
    }

    #[test]
    fn old_messages_are_dropped_with_and_without_partners() {
        assert_eq!(plan(&[vec![1, 5, 10], vec![10]], 2), Plan { drop: vec![2, 0], send: true });
        assert_eq!(plan(&[vec![1, 5], vec![10]], 2), Plan { drop: vec![2, 0], send: false });
    }

    #[test]
    fn a_gap_beyond_the_threshold_holds_back() {
        assert_eq!(plan(&[vec![10], vec![4, 14]], 3), Plan { drop: vec![0, 1], send: false });
    }

    #[test]
    fn the_window_narrows() {
        // 8 and 12 are close to 10, but not to each other.
        assert!(!plan(&[vec![8, 20], vec![10, 20], vec![6, 12]], 2).send);
    }
}
