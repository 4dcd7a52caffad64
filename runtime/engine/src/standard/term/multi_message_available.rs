//! `MultiMessageAvailableSchedulingTerm`.

use super::LastChange;
use super::sampling::{Enough, SamplingMode, check_sizes, count};
use gxf::implement;
use gxf::prelude::*;

/// Lets an entity tick when several receivers hold enough messages.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MultiMessageAvailableSchedulingTerm {
    /// The receivers to watch.
    #[parameter(headline = "Receivers")]
    receivers: Parameter<Vec<Handle<Receiver>>>,
    /// Minimum sum of messages for the entity to tick, in mode SumOfAll.
    #[parameter(headline = "Minimum message count", default = 1, dynamic)]
    min_size: Parameter<Option<u64>>,
    /// Whether the sum of messages counts, or each receiver separately.
    #[parameter(headline = "Sampling mode", default = SamplingMode::SumOfAll)]
    sampling_mode: Parameter<SamplingMode>,
    /// Minimum number of messages in each receiver, in mode PerReceiver; one number for each
    /// receiver.
    #[parameter(headline = "Minimum message counts", dynamic)]
    min_sizes: Parameter<Option<Vec<u64>>>,
    /// Minimum sum of messages for the entity to tick, in mode SumOfAll; overrides `min_size`.
    #[parameter(headline = "Minimum sum of message counts", dynamic)]
    min_sum: Parameter<Option<u64>>,
    last: LastChange,
}

impl Lifecycle for MultiMessageAvailableSchedulingTerm {
    fn check_parameters(&self) -> Result<()> {
        if *self.sampling_mode.get() == SamplingMode::PerReceiver {
            check_sizes(self.receivers.len(), self.min_sizes.as_ref().map(Vec::len))?;
        }
        Ok(())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        // Another component may have changed a parameter since it was checked.
        self.check_parameters()
    }
}

impl implement::SchedulingTerm for MultiMessageAvailableSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let enough = match *self.sampling_mode.get() {
            SamplingMode::SumOfAll => {
                Enough::Sum(self.min_sum.or(*self.min_size.get()).unwrap_or(1))
            }
            SamplingMode::PerReceiver => Enough::Each(self.min_sizes.as_deref().unwrap_or(&[])),
        };
        let ready = enough.met(self.receivers.iter().map(|receiver| count(receiver)));
        Ok(self.last.ready_or_wait(ready, now))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
        for receiver in self.receivers.iter() {
            add(receiver.cid());
        }
    }
}
