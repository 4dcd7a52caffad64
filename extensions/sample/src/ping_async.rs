//! `PingTxAsync`, `PingRxAsync`: sender and receiver at different paces.
//!
//! Use them with AsyncBuffer queues, where the receiver sees the latest value, maybe more than
//! once, and misses values when it is too slow.

use crate::INTEGER;
use gxf::prelude::*;
use std::thread::sleep;
use std::time::Duration;

/// Publishes the next integer on every tick, counting from 0, then sleeps.
#[derive(Component, Default)]
pub struct PingTxAsync {
    /// Transmitter for the messages.
    #[parameter(carries = i32)]
    signal: Parameter<Handle<Transmitter>>,
    /// How long each tick sleeps after publishing, in real time.
    #[parameter(unit = "us", default = 10, minimum = 0)]
    sleep_time_us: Parameter<i64>,
    count: i32,
}

impl Codelet for PingTxAsync {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.count = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut message = context.new_message()?;
        message.add(INTEGER, self.count)?;
        self.signal.publish(message, context.now())?;
        gxf::debug!("Message Sent: int_value = {}", self.count);
        self.count = self.count.wrapping_add(1);
        pause(*self.sleep_time_us);
        Ok(())
    }
}

/// Receives the latest integer on every tick and checks that it lies in a range and is not older
/// than the previous one, then sleeps. A tick before the first message does nothing.
#[derive(Component, Default)]
pub struct PingRxAsync {
    /// Receiver of the messages.
    #[parameter(carries = i32)]
    signal: Parameter<Handle<Receiver>>,
    /// How long each tick sleeps after receiving, in real time.
    #[parameter(unit = "us", default = 1000, minimum = 0)]
    sleep_time_us: Parameter<i64>,
    /// Smallest integer that is not an error.
    #[parameter(default = 0)]
    verification_range_min: Parameter<i32>,
    /// Largest integer that is not an error.
    #[parameter(default = 500)]
    verification_range_max: Parameter<i32>,
    latest: Option<i32>,
}

impl Codelet for PingRxAsync {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.latest = None;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        if let Some(message) = self.signal.try_receive()? {
            let value = *message.get::<i32>(INTEGER)?;
            self.verify(value)?;
            gxf::debug!("Message Received: rx_value = {value}");
            self.latest = Some(value);
        }
        pause(*self.sleep_time_us);
        Ok(())
    }
}

impl PingRxAsync {
    fn verify(&self, value: i32) -> Result<()> {
        let (minimum, maximum) = (*self.verification_range_min, *self.verification_range_max);
        if !(minimum..=maximum).contains(&value) {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("received {value}, which is not in {minimum}..={maximum}"),
            ));
        }
        match self.latest {
            Some(latest) if value < latest => {
                Err(Error::failure(format!("received {value} after {latest}: older than before")))
            }
            _ => Ok(()),
        }
    }
}

fn pause(microseconds: i64) {
    sleep(Duration::from_micros(u64::try_from(microseconds).unwrap_or_default()));
}
