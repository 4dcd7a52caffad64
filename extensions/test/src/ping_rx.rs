//! `PingPollRx`, `PingBatchRx`: receivers that poll and that take batches.

use gxf::prelude::*;

/// Looks for a message on every tick, finds one or not, and fails at deinitialize when it found
/// another number of messages than expected.
#[derive(Component, Default)]
pub struct PingPollRx {
    /// Receiver the messages arrive at.
    signal: Parameter<Handle<Receiver>>,
    /// Number of messages that must have been received in the end.
    expected_counter: Parameter<u64>,
    received: u64,
}

impl Codelet for PingPollRx {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        if self.signal.try_receive()?.is_some() {
            self.received += 1;
        }
        Ok(())
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        let (received, expected) = (std::mem::take(&mut self.received), *self.expected_counter);
        if received == expected {
            return Ok(());
        }
        Err(Error::failure(format!("received {received} messages instead of {expected}")))
    }
}

/// Receives several messages on every tick.
#[derive(Component, Default)]
pub struct PingBatchRx {
    /// Receiver the messages arrive at.
    signal: Parameter<Handle<Receiver>>,
    /// Number of messages to take on a tick.
    #[parameter(minimum = 1)]
    batch_size: Parameter<i64>,
    /// Whether a tick that finds fewer messages is an error. If not, it takes what is there.
    #[parameter(default = true)]
    assert_full_batch: Parameter<bool>,
}

impl Codelet for PingBatchRx {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let mut received = 0;
        while received < *self.batch_size && self.signal.try_receive()?.is_some() {
            received += 1;
        }
        if received < *self.batch_size && *self.assert_full_batch {
            return Err(Error::new(
                ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE,
                format!("received {received} messages instead of {}", *self.batch_size),
            ));
        }
        Ok(())
    }
}
