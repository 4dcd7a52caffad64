//! `DownstreamReceptiveSchedulingTerm`.

use super::{LastChange, plain};
use crate::standard::queue::UNLIMITED;
use gxf::prelude::*;
use gxf::{Queue, implement};
use gxf_plugin::component::Interface;
use spin::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets an entity tick when every receiver connected to its transmitter has room. This lets a slow
/// consumer slow down a fast producer instead of losing messages.
///
/// READY reserves the room until the tick is over, so that several senders are never promised the
/// same. What a receiver of policy 2 has no room for all the same (a tick that publishes more than
/// `min_size`) stays in the transmitter and goes when there is room; until then the term waits.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct DownstreamReceptiveSchedulingTerm {
    /// The transmitter whose receivers must have room.
    #[parameter(headline = "Transmitter")]
    transmitter: Parameter<Handle<Transmitter>>,
    /// Number of messages that every receiver must have room for.
    #[parameter(headline = "Minimum size", default = 1)]
    min_size: Parameter<u64>,
    /// The queues of the receivers. The engine, which asks the term directly, knows them itself.
    receivers: RwLock<Vec<Interface<Queue>>>,
    /// See [`Self::wanted`].
    wanted: AtomicUsize,
    last: LastChange,
}

impl Lifecycle for DownstreamReceptiveSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.wanted.store(self.min_size(), Ordering::Relaxed);
        let is_link = Handle::<gxf::Link>::resolve(context, self.transmitter.cid()).is_ok();
        if !is_link && context.receivers_of(self.transmitter.cid())?.is_empty() {
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

    /// Sets the queues of the transmitter's receivers.
    pub fn lead_to(&self, receivers: &[Interface<Queue>]) {
        *self.receivers.write() = receivers.to_vec();
    }

    /// Number of messages that every receiver must have room for; at most one more than any has.
    pub fn min_size(&self) -> usize {
        let most = UNLIMITED + 1;
        usize::try_from(*self.min_size.get()).map_or(most, |size| size.min(most))
    }

    /// Says whether the transmitter holds a message that a receiver has no room for. As long as it
    /// does, the answer is WAIT.
    pub fn hold(&self, holds: bool) {
        let wanted = if holds { UNLIMITED + 1 } else { self.min_size() };
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Room that every receiver must have; more than any has while the transmitter holds a message.
    #[inline(always)]
    pub fn wanted(&self) -> usize {
        // Relaxed: the thread that executes the entity stores it and asks.
        self.wanted.load(Ordering::Relaxed)
    }

    /// The condition for receivers with this many messages and this capacity, neither more than
    /// [`UNLIMITED`].
    #[inline(always)]
    pub fn condition(
        &self,
        receivers: impl ExactSizeIterator<Item = (usize, usize)>,
        now: i64,
    ) -> Condition {
        if receivers.len() == 0 {
            return plain(ConditionType::NEVER, now);
        }
        self.last.ready_or_wait(self.is_receptive(receivers), now)
    }

    /// Whether the condition is READY, and nothing else if it is not.
    #[inline(always)]
    pub fn is_ready(
        &self,
        receivers: impl ExactSizeIterator<Item = (usize, usize)>,
        now: i64,
    ) -> bool {
        let ready = receivers.len() != 0 && self.is_receptive(receivers);
        if ready {
            self.last.note(true, now);
        }
        ready
    }

    /// Whether receivers with this many messages and this capacity let the entity tick.
    #[inline(always)]
    pub fn is_receptive(&self, mut receivers: impl Iterator<Item = (usize, usize)>) -> bool {
        let wanted = self.wanted();
        receivers.all(|(held, capacity)| held + wanted <= capacity)
    }
}

impl implement::SchedulingTerm for DownstreamReceptiveSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let receivers = self.receivers.read();
        // A foreign queue may say anything.
        let fill = receivers
            .iter()
            .map(|receiver| (held(receiver).min(UNLIMITED), receiver.capacity().min(UNLIMITED)));
        Ok(self.condition(fill, now))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
        add(self.transmitter.cid());
    }
}

/// Messages in both stages of a queue whose owner may be moving them.
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
