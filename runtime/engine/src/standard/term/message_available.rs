//! `MessageAvailableSchedulingTerm`.

use super::LastChange;
use gxf::implement;
use gxf::prelude::*;
use gxf_sync::stages::Counts;

/// Lets an entity tick when a receiver holds enough messages.
#[derive(Component, Default)]
pub struct MessageAvailableSchedulingTerm {
    /// The receiver to watch.
    #[parameter(headline = "Queue channel")]
    receiver: Parameter<Handle<Receiver>>,
    /// Minimum number of messages, in both stages together, for the entity to tick.
    #[parameter(headline = "Minimum message count", default = 1, dynamic)]
    min_size: Parameter<u64>,
    /// If set, the entity can tick only while the main stage holds at most this many messages.
    /// Useful for a codelet that does not take all messages at once.
    #[parameter(headline = "Maximum front stage message count", dynamic)]
    front_stage_max_size: Parameter<Option<u64>>,
    last: LastChange,
}

/// When a [`MessageAvailableSchedulingTerm`] is ready.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Messages in both stages that it waits for.
    pub fewest: u64,
    /// Messages in the main stage that it allows.
    most_in_main: u64,
}

impl Limits {
    /// Whether these messages in the two stages let the entity tick.
    #[inline(always)]
    pub fn allow(self, Counts { main, back }: Counts) -> bool {
        main as u64 <= self.most_in_main && !self.misses(Counts { main, back })
    }

    /// Whether only more messages can let the entity tick.
    #[inline(always)]
    pub fn misses(self, Counts { main, back }: Counts) -> bool {
        (main.saturating_add(back) as u64) < self.fewest
    }
}

impl MessageAvailableSchedulingTerm {
    /// Id of the receiver.
    pub fn receiver(&self) -> gxf::Uid {
        self.receiver.cid()
    }

    /// The limits that its parameters set now.
    pub fn limits(&self) -> Limits {
        Limits {
            fewest: *self.min_size.get(),
            most_in_main: self.front_stage_max_size.unwrap_or(u64::MAX),
        }
    }

    /// The condition for this many messages in the two stages.
    #[inline(always)]
    pub fn condition(&self, limits: Limits, held: Counts, now: i64) -> Condition {
        self.last.ready_or_wait(limits.allow(held), now)
    }

    /// Whether the condition is READY, and nothing else if it is not.
    #[inline(always)]
    pub fn is_ready(&self, limits: Limits, held: Counts, now: i64) -> bool {
        let ready = limits.allow(held);
        if ready {
            self.last.note(true, now);
        }
        ready
    }
}

impl implement::SchedulingTerm for MessageAvailableSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let receiver = self.receiver.get();
        let held = Counts { main: receiver.message_count(), back: receiver.back_count() };
        Ok(self.condition(self.limits(), held, now))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
        add(self.receiver.cid());
    }
}
