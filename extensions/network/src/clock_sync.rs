//! `ClockSyncPrimary` and `ClockSyncSecondary`.

use gxf::prelude::*;
use gxf::{Clock, SyntheticClock};

/// Sends the time of its clock: each tick publishes a message with the time as its acquisition
/// time.
#[derive(Component, Default)]
pub struct ClockSyncPrimary {
    /// Transmitter for the times.
    #[parameter(headline = "Time transmitter")]
    tx_timestamp: Parameter<Handle<Transmitter>>,
    /// Clock whose time is sent.
    #[parameter(headline = "Clock")]
    clock: Parameter<Handle<Clock>>,
}

impl Codelet for ClockSyncPrimary {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        self.tx_timestamp.publish(context.new_message()?, self.clock.timestamp())
    }
}

/// Moves a `SyntheticClock` to the times that a `ClockSyncPrimary` sends. The clock never goes
/// back: a time before its own is ignored.
#[derive(Component, Default)]
pub struct ClockSyncSecondary {
    /// Receiver of the times.
    #[parameter(headline = "Time receiver")]
    rx_timestamp: Parameter<Handle<Receiver>>,
    /// Clock that is moved.
    #[parameter(headline = "Synthetic clock")]
    synthetic_clock: Parameter<Handle<SyntheticClock>>,
}

impl Codelet for ClockSyncSecondary {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.rx_timestamp.receive()?;
        let timestamp = message.timestamp().ok_or_else(|| {
            let text = "a message without a timestamp says no time";
            Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, text)
        })?;
        let is_later = || timestamp.acqtime > self.synthetic_clock.timestamp();
        if !is_later() {
            return Ok(());
        }
        match self.synthetic_clock.advance_to(timestamp.acqtime) {
            // Another component moved the clock meanwhile.
            Err(_) if !is_later() => Ok(()),
            moved => moved,
        }
    }
}
