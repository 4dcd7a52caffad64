//! `MessageAvailableSchedulingTerm`.

use super::LastChange;
use gxf::implement;
use gxf::prelude::*;

/// Lets an entity tick when a receiver holds enough messages.
#[derive(Component, Default)]
pub(crate) struct MessageAvailableSchedulingTerm {
    /// The receiver to look at.
    #[parameter(headline = "Queue channel")]
    receiver: Parameter<Handle<Receiver>>,
    /// Number of messages, in both stages together, from which on the entity may tick.
    #[parameter(headline = "Minimum message count", default = 1)]
    min_size: Parameter<u64>,
    /// If set, the entity may tick only while the main stage holds at most this many messages.
    /// Useful for a codelet that does not take all messages at once.
    #[parameter(headline = "Maximum front stage message count")]
    front_stage_max_size: Parameter<Option<u64>>,
    last: LastChange,
}

impl implement::SchedulingTerm for MessageAvailableSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let receiver = self.receiver.get();
        let main = receiver.message_count() as u64;
        let total = main + receiver.back_count() as u64;
        let room = self.front_stage_max_size.is_none_or(|most| main <= most);
        Ok(self.last.ready_or_wait(room && total >= *self.min_size.get(), now))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
        add(self.receiver.cid());
    }
}
