//! Who hears of a link, and of what state.

use gxf::{ContextHandle, Error, Event, LinkState, Result, ResultCode, Uid};
use gxf_link_state::Phase;
use std::sync::atomic::{AtomicI64, Ordering};

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

/// The `UcxContext` that has opened a link: there is no other one for it.
#[derive(Default)]
pub struct Opener(AtomicI64);

impl Opener {
    /// `Err` if another one has opened the link.
    pub fn set(&self, cid: Uid, name: &str) -> Result<()> {
        match self.0.compare_exchange(0, cid, Ordering::Relaxed, Ordering::Relaxed) {
            Err(known) if known != cid => {
                let text = format!(
                    "another UcxContext of the graph has opened `{name}`; leave one of them"
                );
                Err(Error::new(ResultCode::ARGUMENT_INVALID, text))
            }
            _ => Ok(()),
        }
    }

    /// The link is closed.
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}
