//! The scheduling terms of an entity as its runner asks them.

use crate::message::queue::DoubleBufferReceiver;
use crate::plugin::component::{Component, Interface, Native};
use crate::schedule::terms::{DownstreamReceptiveSchedulingTerm, MessageAvailableSchedulingTerm};
use gxf::SchedulingTerm;
use gxf_plugin_abi::Condition;
use std::sync::Arc;

/// A scheduling term of the entity. What nearly every entity has is asked without a detour.
///
/// The kind stands on its own, not in the unused values of a pointer: reading it is one comparison.
#[repr(u8)]
pub(crate) enum Term {
    /// `MessageAvailable` at one of our own queues.
    Messages(Native<MessageAvailableSchedulingTerm>, Native<DoubleBufferReceiver>),
    /// `DownstreamReceptive` in front of our own queues.
    Room(Native<DownstreamReceptiveSchedulingTerm>, Vec<Native<DoubleBufferReceiver>>),
    /// Any other, through the border.
    Other(Interface<SchedulingTerm>),
}

impl Term {
    pub fn component(&self) -> &Arc<Component> {
        match self {
            Self::Messages(term, _) => term.component(),
            Self::Room(term, _) => term.component(),
            Self::Other(term) => term.component(),
        }
    }

    #[inline(always)]
    pub fn condition(&self, now: i64) -> gxf::Result<Condition> {
        match self {
            Self::Messages(term, queue) => {
                let held = queue.buffer.counts();
                Ok(term.condition(held.main, held.back, now))
            }
            Self::Room(term, queues) => {
                let fill = queues.iter().map(|queue| {
                    let held = queue.buffer.counts();
                    (held.main + held.back, queue.room())
                });
                Ok(term.condition(fill, now))
            }
            Self::Other(term) => Self::ask(term, now),
        }
    }

    /// Kept apart, so that the other two stay small where they are asked.
    #[inline(never)]
    fn ask(term: &Interface<SchedulingTerm>, now: i64) -> gxf::Result<Condition> {
        term.update_state(now).and_then(|()| term.check(now))
    }

    /// The term if it wants to know of ticks; those that look at queues do not.
    pub fn counts_ticks(&self) -> Option<Interface<SchedulingTerm>> {
        match self {
            Self::Messages(..) | Self::Room(..) => None,
            Self::Other(term) => Some(term.clone()),
        }
    }
}
