//! Who hears of a link, and of what state.

use gxf::{ContextHandle, Event, LinkState, Uid};
use gxf_link_state::Phase;

/// Who hears of a link.
pub struct Owner {
    /// The graph; its component is the network context.
    pub context: ContextHandle,
    /// The entity of the queue.
    pub eid: Uid,
    /// The queue, `entity/component`, as in traces, which have a part for each segment.
    pub queue: String,
    /// The queue for people of all processes, with its segment if there is one.
    pub name: String,
}

impl Owner {
    /// Has the entity checked again. The graph may be gone.
    pub fn notify(&self) {
        _ = self.context.notify_entity(self.eid, Event::MESSAGE_SYNC);
    }
}

/// What the scheduler sees of a phase.
pub fn state_of(phase: Phase) -> LinkState {
    match phase {
        Phase::Init => LinkState::OPENING,
        Phase::Connected | Phase::Reset => LinkState::OPEN,
        Phase::Closed => LinkState::ENDED,
    }
}
