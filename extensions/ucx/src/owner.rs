//! Who hears of a link.

use gxf::{ContextHandle, Event, Uid};

/// Who hears of a link.
pub struct Owner {
    /// The graph; its component is the network context.
    pub context: ContextHandle,
    /// The entity of the queue.
    pub eid: Uid,
    /// The queue, `entity/component`.
    pub name: String,
}

impl Owner {
    /// Has the entity checked again. The graph may be gone.
    pub fn notify(&self) {
        _ = self.context.notify_entity(self.eid, Event::MESSAGE_SYNC);
    }
}
