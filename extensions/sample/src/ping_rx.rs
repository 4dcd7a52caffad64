//! `PingRx`, `MultiPingRx`, `PingBatchRx`: receivers of pings.

use gxf::prelude::*;

/// Receives one message on every tick and logs the integer it carries. A tick without a message
/// is an error: let a MessageAvailableSchedulingTerm decide when to tick.
#[derive(Component, Default)]
pub struct PingRx {
    /// Receiver of the messages.
    signal: Parameter<Handle<Receiver>>,
}

impl Codelet for PingRx {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        log_message(&receive(&self.signal)?);
        Ok(())
    }
}

/// Receives one message from every receiver that has one, on every tick.
#[derive(Component, Default)]
pub struct MultiPingRx {
    /// Receivers of the messages.
    receivers: Parameter<Vec<Handle<Receiver>>>,
}

impl Codelet for MultiPingRx {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        for receiver in self.receivers.iter() {
            if let Some(message) = receiver.try_receive()? {
                log_message(&message);
            }
        }
        Ok(())
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
        while received < *self.batch_size {
            let Some(message) = self.signal.try_receive()? else { break };
            log_message(&message);
            received += 1;
        }
        if received < *self.batch_size && *self.assert_full_batch {
            return Err(Error::new(
                ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE,
                format!(
                    "a full batch has {} messages, but the receiver `signal` held only {received}; \
                     set `min_size` of its MessageAvailableSchedulingTerm to the batch size",
                    *self.batch_size
                ),
            ));
        }
        gxf::info!("Batch Received: {received} messages");
        Ok(())
    }
}

fn receive(signal: &Receiver) -> Result<Message> {
    signal.try_receive()?.ok_or_else(|| {
        Error::new(
            ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE,
            "ticked while the receiver `signal` holds no message; \
             add a MessageAvailableSchedulingTerm for it",
        )
    })
}

/// Logs the integer of a ping; a message from another sender may not have one.
fn log_message(message: &Message) {
    match message.find_all::<i32>().next() {
        Some(value) => gxf::info!("Message Received: rx_value = {value}"),
        None => gxf::info!("Message Received"),
    }
}
