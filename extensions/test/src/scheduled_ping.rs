//! `ScheduledPingTx`, `TestTimestampTx`, `TestTimestampRx`: pings at target times, and a check of
//! the times they carry.

use gxf::prelude::*;

/// Publishes a message on every tick and asks its term for the next tick after a delay. Acquisition
/// and publication time of a message are the time of that next tick, plus the time of the offset
/// clock.
#[derive(Component, Default)]
pub struct ScheduledPingTx {
    /// Time between two ticks.
    #[parameter(unit = "ns", minimum = 0)]
    delay: Parameter<i64>,
    /// Clock of the scheduling term.
    execution_clock: Parameter<Handle<Clock>>,
    /// Transmitter for the messages.
    signal: Parameter<Handle<Transmitter>>,
    /// Term of the same entity that waits for the target time.
    scheduling_term: Parameter<Handle<TargetTimeSchedulingTerm>>,
    /// Clock whose time is added to the times of a message.
    offset_clock: Parameter<Option<Handle<Clock>>>,
}

impl Codelet for ScheduledPingTx {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.scheduling_term.set_next_target_time(self.execution_clock.timestamp())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let next = self.execution_clock.timestamp().saturating_add(*self.delay);
        let offset = self.offset_clock.as_ref().map_or(0, |clock| clock.timestamp());
        let time = next.saturating_add(offset);
        let mut message = context.new_message()?;
        message.add("timestamp", Timestamp { pubtime: time, acqtime: time })?;
        self.signal.publish_as_is(message)?;
        self.scheduling_term.set_next_target_time(next)
    }
}

/// Publishes a message on every tick and asks its term for the next tick after a delay. Acquisition
/// and publication time of a message are the time of the tick.
#[derive(Component, Default)]
pub struct TestTimestampTx {
    /// Time between two ticks.
    #[parameter(unit = "ns", minimum = 0)]
    delay: Parameter<i64>,
    /// Clock of the scheduling term; it also gives the times.
    execution_clock: Parameter<Handle<Clock>>,
    /// Transmitter for the messages.
    signal: Parameter<Handle<Transmitter>>,
    /// Term of the same entity that waits for the target time.
    scheduling_term: Parameter<Handle<TargetTimeSchedulingTerm>>,
    /// Clock the delay counts from [default: the execution clock].
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

/// Receives a message on every tick. Fails when the message has no timestamp or was acquired less
/// than the delay after the previous one.
#[derive(Component, Default)]
pub struct TestTimestampRx {
    /// Receiver of the messages.
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
                "acquired at {acquired} ns, only {} ns after the previous message; at least {} ns \
                 were expected",
                acquired.saturating_sub(previous),
                *self.delay
            )));
        }
        Ok(())
    }
}
