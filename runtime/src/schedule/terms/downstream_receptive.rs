//! `DownstreamReceptiveSchedulingTerm`.

use super::{LastChange, plain};
use crate::plugin::component::Interface;
use gxf::prelude::*;
use gxf::{Queue, implement};
use spin::RwLock;

/// Lets an entity tick when every receiver its transmitter is connected to has room. This is how a
/// slow consumer holds a fast producer back instead of losing messages.
#[derive(Component, Default)]
#[component(lifecycle)]
pub(crate) struct DownstreamReceptiveSchedulingTerm {
    /// The transmitter whose receivers are looked at.
    #[parameter(headline = "Transmitter")]
    transmitter: Parameter<Handle<Transmitter>>,
    /// Messages every receiver must have room for.
    #[parameter(headline = "Minimum size", default = 1)]
    min_size: Parameter<u64>,
    /// The queues of the receivers; whoever asks the term directly knows them by itself.
    receivers: RwLock<Vec<Interface<Queue>>>,
    last: LastChange,
}

impl Lifecycle for DownstreamReceptiveSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        if context.receivers_of(self.transmitter.cid())?.is_empty() {
            gxf::warning!(
                "entity `{}`: transmitter `{}` is not connected to a receiver, so its \
                 DownstreamReceptiveSchedulingTerm never lets the entity tick",
                context.entity_name(),
                context.component_name(self.transmitter.cid())
            );
        }
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.receivers.write().clear();
        Ok(())
    }
}

impl DownstreamReceptiveSchedulingTerm {
    /// Id of the transmitter.
    pub fn transmitter(&self) -> gxf::Uid {
        self.transmitter.cid()
    }

    /// From now on these are the queues behind the transmitter.
    pub fn lead_to(&self, receivers: &[Interface<Queue>]) {
        *self.receivers.write() = receivers.to_vec();
    }

    /// Messages every receiver must have room for.
    pub fn wanted(&self) -> usize {
        usize::try_from(*self.min_size.get()).unwrap_or(usize::MAX)
    }

    /// The condition with receivers that hold and can hold this many messages.
    #[inline]
    pub fn condition(
        &self,
        mut receivers: impl ExactSizeIterator<Item = (usize, usize)>,
        now: i64,
    ) -> Condition {
        if receivers.len() == 0 {
            return plain(ConditionType::NEVER, now);
        }
        let wanted = self.wanted();
        let receptive = receivers.all(|(held, capacity)| held.saturating_add(wanted) <= capacity);
        self.last.ready_or_wait(receptive, now)
    }
}

impl implement::SchedulingTerm for DownstreamReceptiveSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let receivers = self.receivers.read();
        let fill = receivers.iter().map(|receiver| (held(receiver), receiver.capacity()));
        Ok(self.condition(fill, now))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
        add(self.transmitter.cid());
    }
}

/// Messages in both stages of a queue whose owner may move them meanwhile.
fn held(receiver: &Interface<Queue>) -> usize {
    let mut back = receiver.back_count();
    loop {
        let main = receiver.message_count();
        let back_then = std::mem::replace(&mut back, receiver.back_count());
        if back == back_then {
            return main.saturating_add(back);
        }
    }
}
