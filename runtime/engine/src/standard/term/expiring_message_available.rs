//! `ExpiringMessageAvailableSchedulingTerm`.

use super::{LastChange, plain};
use gxf::implement;
use gxf::prelude::*;

/// Lets an entity tick when a receiver holds a full batch, or when the oldest message is too old to
/// wait for more. Every message needs a timestamp.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct ExpiringMessageAvailableSchedulingTerm {
    /// Number of messages, in both stages together, that makes the entity tick at once.
    #[parameter(headline = "Maximum batch size", minimum = 1, dynamic)]
    max_batch_size: Parameter<i64>,
    /// Longest time from the acquisition of the oldest message to the tick.
    #[parameter(headline = "Maximum delay", unit = "ns", minimum = 0, dynamic)]
    max_delay_ns: Parameter<i64>,
    /// The receiver to watch.
    #[parameter(headline = "Receiver")]
    receiver: Parameter<Handle<Receiver>>,
    /// The clock of the acquisition times. It may show a different time than the scheduler's, but
    /// must run at the same speed.
    #[parameter(headline = "Clock")]
    clock: Parameter<Handle<Clock>>,
    last: LastChange,
}

impl Lifecycle for ExpiringMessageAvailableSchedulingTerm {
    fn check_parameters(&self) -> Result<()> {
        for (key, value, least) in
            [("max_batch_size", *self.max_batch_size, 1), ("max_delay_ns", *self.max_delay_ns, 0)]
        {
            if value < least {
                return Err(Error::new(
                    ResultCode::PARAMETER_OUT_OF_RANGE,
                    format!("`{key}` must be at least {least}, not {value}"),
                ));
            }
        }
        Ok(())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        // Another component may have changed a parameter since it was checked.
        self.check_parameters()
    }
}

impl implement::SchedulingTerm for ExpiringMessageAvailableSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let receiver = self.receiver.get();
        let (main, back) = (receiver.message_count(), receiver.back_count());
        let count = i64::try_from(main + back).unwrap_or(i64::MAX);
        if count == 0 || count >= *self.max_batch_size.get() {
            return Ok(self.last.ready_or_wait(count > 0, now));
        }
        let oldest = if main > 0 { receiver.peek(0)? } else { receiver.peek_back(0)? };
        let acquired = oldest.timestamp().ok_or_else(|| {
            Error::failure(
                "a message without a timestamp cannot expire; make the sender publish with an \
                 acquisition time",
            )
        })?;
        let expires = acquired.acqtime.saturating_add(*self.max_delay_ns.get());
        let remaining = expires.saturating_sub(self.clock.timestamp());
        if remaining <= 0 {
            return Ok(self.last.ready_or_wait(true, now));
        }
        Ok(plain(ConditionType::WAIT_TIME, now.saturating_add(remaining)))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
        add(self.receiver.cid());
    }
}
