//! The interface of observers, which follow the executions of an entity. Its runner calls them. An
//! entity without an observer pays one test per execution.

use crate::entity::parts::Parts;
use crate::entity::ports::{Inbox, Outbox, Watch};
use crate::graph::store::Entity;
use crate::standard::deadline::Missed;
use gxf_plugin_abi::Condition;

/// Follows one entity.
pub trait Observer: Watch + Send {
    /// Records the condition of the term or combiner at this position.
    fn term(&mut self, index: usize, condition: Condition, now: i64);

    /// Records the combined answer; `culprit` is the term that decided.
    fn condition(&mut self, condition: Condition, culprit: usize, now: i64);

    /// Records that the entity was not asked, because devices have not done the work of its ticks.
    fn held(&mut self, now: i64);

    /// Records that the receivers were synced and the first codelet is about to tick.
    fn tick_begins(&mut self, inboxes: &[Inbox]);

    /// Records that the codelet at this position returned from its tick.
    fn codelet_ended(&mut self, index: usize);

    /// Records the end of the last codelet, or of the one that failed.
    fn tick_ended(&mut self, succeeded: bool, inboxes: &[Inbox]);

    /// Records that a transmitter is about to send its messages.
    fn send_begins(&mut self, outbox: &Outbox);

    /// Records the number of messages that the transmitter at this position sent; [`Watch`] got
    /// each of them.
    fn send_ended(&mut self, index: usize, messages: usize);

    /// Whether it has seen what it was made for, so that it can leave the entity.
    fn has_finished(&self) -> bool;
}

/// Creates observers.
pub trait Observe: Send + Sync {
    /// The observer for an entity with this index, if it is observed.
    fn observer(&self, entity: &Entity, number: u32, parts: &Parts) -> Option<Box<dyn Observer>>;

    /// The time of the run's clock; `None` outside of a run.
    fn now(&self) -> Option<i64>;

    /// Records a tick that ended now, after the entity's deadline.
    fn missed_deadline(&self, entity: &Entity, missed: &Missed);
}
