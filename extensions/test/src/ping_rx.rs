//! `PingPollRx`, `PingBatchRx`: receivers that poll and that take batches.

use gxf::prelude::*;

/// Polls for a message on every tick, and fails at deinitialize unless it received the expected
/// number of messages.
#[derive(Component, Default)]
pub struct PingPollRx {
    /// Receiver of the messages.
    signal: Parameter<Handle<Receiver>>,
    /// Expected number of messages.
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
    /// Receiver of the messages.
    signal: Parameter<Handle<Receiver>>,
    /// Number of messages per tick.
    #[parameter(minimum = 1)]
    batch_size: Parameter<i64>,
    /// Whether a tick with fewer messages is an error. If not, it takes what is there.
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
