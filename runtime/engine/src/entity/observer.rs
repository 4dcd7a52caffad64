//! How somebody follows the executions of an entity. Whoever executes it calls; an entity nobody
//! observes pays one test an execution.

use crate::entity::parts::Parts;
use crate::entity::ports::{Inbox, Watch};
use crate::graph::store::Entity;
use gxf_plugin_abi::Condition;

/// Follows one entity.
pub trait Observer: Watch + Send {
    /// What one term or combiner says, by its position.
    fn term(&mut self, index: usize, condition: Condition, now: i64);

    /// Records the combined answer; `culprit` is the term that decided.
    fn condition(&mut self, condition: Condition, culprit: usize, now: i64);

    /// The receivers were synced, the first codelet is about to tick.
    fn tick_begins(&mut self, inboxes: &[Inbox]);

    /// The codelet at this position returned from its tick.
    fn codelet_ended(&mut self, index: usize);

    /// Records the end of the last codelet, or of the one that failed.
    fn tick_ended(&mut self, succeeded: bool, inboxes: &[Inbox]);

    /// A transmitter is about to send its messages.
    fn send_begins(&mut self);

    /// The transmitter at this position sent so many messages; each was told through [`Watch`].
    fn send_ended(&mut self, index: usize, messages: usize);
}

/// Says who follows an entity.
pub trait Observe: Send + Sync {
    /// The observer of an entity with this number, if anybody wants to know.
    fn observer(&self, entity: &Entity, number: u32, parts: &Parts) -> Option<Box<dyn Observer>>;
}
