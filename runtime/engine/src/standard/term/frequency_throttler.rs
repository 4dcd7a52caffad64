//! `MessageAvailableFrequencyThrottler` and `MultiMessageAvailableTimeoutSchedulingTerm`: one rule
//! under the names of GXF and Holoscan.

use super::sampling::{Enough, SamplingMode, check_sizes, count};
use super::{LastChange, plain};
use gxf::implement;
use gxf::prelude::*;
use gxf::units::parse_period_ns;
use std::sync::atomic::{AtomicI64, Ordering};

/// Latest time of the next tick. Relaxed throughout: only the thread that executes the entity reads
/// it.
#[derive(Default)]
struct Deadline {
    period: AtomicI64,
    /// [`UNSET`] before the first check.
    target: AtomicI64,
    last: LastChange,
}

const UNSET: i64 = i64::MIN;

impl Deadline {
    fn begin(&self) {
        self.target.store(UNSET, Ordering::Relaxed);
    }

    /// Sets the period, also of the tick that is waited for.
    fn set_period(&self, period: i64) {
        let former = self.period.swap(period, Ordering::Relaxed);
        let target = self.target.load(Ordering::Relaxed);
        if target != UNSET {
            let target = target.saturating_add(period - former);
            self.target.store(target, Ordering::Relaxed);
        }
    }

    fn restart(&self, now: i64) {
        let target = now.saturating_add(self.period.load(Ordering::Relaxed));
        self.target.store(target, Ordering::Relaxed);
    }

    fn check(&self, enough: bool, now: i64) -> Condition {
        if self.target.load(Ordering::Relaxed) == UNSET {
            self.restart(now);
        }
        let target = self.target.load(Ordering::Relaxed);
        if enough || target <= now {
            self.last.ready_or_wait(true, now)
        } else {
            plain(ConditionType::WAIT_TIME, target)
        }
    }
}

fn mandatory<T>(value: Option<T>, key: &str, mode: &str) -> Result<T> {
    value.ok_or_else(|| {
        Error::new(
            ResultCode::PARAMETER_MANDATORY_NOT_SET,
            format!("`{key}` is mandatory in mode {mode}"),
        )
    })
}

fn period_of(frequency: &str) -> Result<i64> {
    parse_period_ns(frequency).map_err(|error| {
        Error::new(ResultCode::ARGUMENT_INVALID, format!("`execution_frequency`: {error}"))
    })
}

macro_rules! frequency_term {
    ($type:ident) => {
        impl Lifecycle for $type {
            /// Also called when a parameter has changed while the graph runs.
            fn check_parameters(&self) -> Result<()> {
                let period = period_of(&self.execution_frequency)?;
                match *self.sampling_mode.get() {
                    SamplingMode::SumOfAll => {
                        mandatory(*self.min_sum.get(), "min_sum", "SumOfAll")?;
                    }
                    SamplingMode::PerReceiver => {
                        check_sizes(self.receivers.len(), self.min_sizes.as_ref().map(Vec::len))?;
                    }
                }
                self.deadline.set_period(period);
                Ok(())
            }

            fn initialize(&self, _context: &ComponentContext) -> Result<()> {
                self.deadline.begin();
                // Another component may have changed a parameter since it was checked.
                self.check_parameters()
            }
        }

        impl implement::SchedulingTerm for $type {
            fn check(&self, now: i64) -> Result<Condition> {
                let enough = match *self.sampling_mode.get() {
                    SamplingMode::SumOfAll => Enough::Sum(self.min_sum.unwrap_or(1)),
                    SamplingMode::PerReceiver => {
                        Enough::Each(self.min_sizes.as_deref().unwrap_or(&[]))
                    }
                };
                let enough = enough.met(self.receivers.iter().map(|receiver| count(receiver)));
                Ok(self.deadline.check(enough, now))
            }

            fn on_execute(&self, now: i64) -> Result<()> {
                self.deadline.restart(now);
                Ok(())
            }

            fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
                for receiver in self.receivers.iter() {
                    add(receiver.cid());
                }
            }
        }
    };
}

/// Lets an entity tick when several receivers hold enough messages, or when a period has passed
/// since its last tick, whichever comes first. The first period starts when the entity is first
/// checked (in GXF, at time 0 of the clock).
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MessageAvailableFrequencyThrottler {
    /// Lowest frequency of ticks, such as `10Hz`, or longest period, such as `100ms`.
    #[parameter(headline = "Execution frequency", dynamic)]
    execution_frequency: Parameter<String>,
    /// The receivers to watch.
    #[parameter(headline = "Receivers")]
    receivers: Parameter<Vec<Handle<Receiver>>>,
    /// Whether the sum of messages counts, or each receiver separately.
    #[parameter(headline = "Sampling mode")]
    sampling_mode: Parameter<SamplingMode>,
    /// Minimum number of messages in each receiver, in mode PerReceiver; one number for each
    /// receiver.
    #[parameter(headline = "Minimum message counts", dynamic)]
    min_sizes: Parameter<Option<Vec<u64>>>,
    /// Minimum sum of messages for the entity to tick, in mode SumOfAll.
    #[parameter(headline = "Minimum sum of message counts", dynamic)]
    min_sum: Parameter<Option<u64>>,
    deadline: Deadline,
}

frequency_term!(MessageAvailableFrequencyThrottler);

/// Holoscan's MultiMessageAvailableTimeoutCondition: lets an entity tick when several receivers
/// hold enough messages, or when a period has passed since its last tick, whichever comes first.
/// Like MessageAvailableFrequencyThrottler, but with defaults for the mode and the sum.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MultiMessageAvailableTimeoutSchedulingTerm {
    /// The time-out, such as `100ms`, or its frequency, such as `10Hz`.
    #[parameter(headline = "Execution frequency", dynamic)]
    execution_frequency: Parameter<String>,
    /// The receivers to watch.
    #[parameter(headline = "Receivers")]
    receivers: Parameter<Vec<Handle<Receiver>>>,
    /// Whether the sum of messages counts, or each receiver separately.
    #[parameter(headline = "Sampling mode", default = SamplingMode::SumOfAll)]
    sampling_mode: Parameter<SamplingMode>,
    /// Minimum number of messages in each receiver, in mode PerReceiver; one number for each
    /// receiver.
    #[parameter(headline = "Minimum message counts", dynamic)]
    min_sizes: Parameter<Option<Vec<u64>>>,
    /// Minimum sum of messages for the entity to tick, in mode SumOfAll.
    #[parameter(headline = "Minimum sum of message counts", default = 1, dynamic)]
    min_sum: Parameter<Option<u64>>,
    deadline: Deadline,
}

frequency_term!(MultiMessageAvailableTimeoutSchedulingTerm);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_without_messages_ends_in_a_tick() {
        let deadline = Deadline::default();
        deadline.set_period(100);
        deadline.begin();
        assert_eq!(deadline.check(false, 1000), plain(ConditionType::WAIT_TIME, 1100));
        assert_eq!(deadline.check(true, 1050).condition_type, ConditionType::READY);
        deadline.restart(1050);
        assert_eq!(deadline.check(false, 1149), plain(ConditionType::WAIT_TIME, 1150));
        assert_eq!(deadline.check(false, 1150).condition_type, ConditionType::READY);
        deadline.set_period(300);
        assert_eq!(deadline.check(false, 1150), plain(ConditionType::WAIT_TIME, 1350));
    }
}
