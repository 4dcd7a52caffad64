//! `ScheduledPingTx`, `TestTimestampTx`, `TestTimestampRx`: pings at target times, and a check of
//! the times they carry.

use gxf::prelude::*;

/// Publishes a message on every tick and asks its term for the next tick after a delay.
#[derive(Component, Default)]
pub struct ScheduledPingTx {
    /// Time between two ticks.
    #[parameter(unit = "ns", minimum = 0)]
    delay: Parameter<i64>,
    /// Clock of the scheduling term; it also gives the acquisition time.
    execution_clock: Parameter<Handle<Clock>>,
    /// Transmitter the messages leave through.
    signal: Parameter<Handle<Transmitter>>,
    /// Term of the own entity that waits for the target time.
    scheduling_term: Parameter<Handle<TargetTimeSchedulingTerm>>,
    /// Clock the delay is counted from; the execution clock without it.
    offset_clock: Parameter<Option<Handle<Clock>>>,
}

impl Codelet for ScheduledPingTx {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        self.signal.publish(context.new_message()?, self.execution_clock.timestamp())?;
        let clock = self.offset_clock.as_ref().unwrap_or(&self.execution_clock);
        self.scheduling_term.set_next_target_time(clock.timestamp().saturating_add(*self.delay))
    }
}

/// As ScheduledPingTx, but puts the timestamp into the message itself: acquisition and publication
/// time are both the time of the execution clock.
#[derive(Component, Default)]
pub struct TestTimestampTx {
    /// Time between two ticks.
    #[parameter(unit = "ns", minimum = 0)]
    delay: Parameter<i64>,
    /// Clock of the scheduling term; it also gives the times.
    execution_clock: Parameter<Handle<Clock>>,
    /// Transmitter the messages leave through.
    signal: Parameter<Handle<Transmitter>>,
    /// Term of the own entity that waits for the target time.
    scheduling_term: Parameter<Handle<TargetTimeSchedulingTerm>>,
    /// Clock the delay is counted from; the execution clock without it.
    offset_clock: Parameter<Option<Handle<Clock>>>,
}

impl Codelet for TestTimestampTx {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let now = self.execution_clock.timestamp();
        let mut message = context.new_message()?;
        message.add("timestamp", Timestamp { pubtime: now, acqtime: now })?;
        self.signal.publish_as_is(message)?;
        let clock = self.offset_clock.as_ref().unwrap_or(&self.execution_clock);
        self.scheduling_term.set_next_target_time(clock.timestamp().saturating_add(*self.delay))
    }
}

/// Receives a message on every tick and fails when it has no timestamp, or was acquired less than
/// the delay after the one before.
#[derive(Component, Default)]
pub struct TestTimestampRx {
    /// Receiver the messages arrive at.
    signal: Parameter<Handle<Receiver>>,
    /// Smallest time between the acquisition of two messages.
    #[parameter(unit = "ns", minimum = 0)]
    delay: Parameter<i64>,
    previous: Option<i64>,
}

impl Codelet for TestTimestampRx {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.previous = None;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.signal.receive()?;
        let acquired = message.get::<Timestamp>("timestamp")?.acqtime;
        if let Some(previous) = self.previous.replace(acquired)
            && acquired.saturating_sub(previous) < *self.delay
        {
            return Err(Error::failure(format!(
                "acquired at {acquired} ns, only {} ns after the message before; at least {} ns \
                 were expected",
                acquired.saturating_sub(previous),
                *self.delay
            )));
        }
        Ok(())
    }
}
