//! What an entity sees of links to other graphs, processes and hosts.
//!
//! A message may come over an open link at any moment, and so may room. So a term that waits for
//! one waits for an event, and the graph is not in a deadlock. Once the link has ended, the
//! ordinary rules apply.

use crate::entity::condition::checked;
use crate::standard::queue::UNLIMITED;
use crate::standard::term::DownstreamReceptiveSchedulingTerm;
use gxf::{LinkState, SchedulingTerm};
use gxf_plugin::component::{Component, FromComponent, Interface, Native};
use gxf_plugin_abi::{Condition, ConditionType, tids};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A receiver or transmitter of the entity whose other end is elsewhere.
pub struct RemotePort {
    link: Interface<gxf::Link>,
    sends: bool,
    /// Whether the link was seen to be connected, or ended: it is never opening again.
    has_opened: AtomicBool,
}

impl RemotePort {
    /// The port of a component, if it is one.
    pub fn of(component: &Arc<Component>) -> Option<Self> {
        let link = gxf::Link::from_component(component)?;
        let sends = component.is_a(tids::TRANSMITTER);
        Some(Self { link, sends, has_opened: AtomicBool::new(false) })
    }

    fn is(&self, state: LinkState) -> bool {
        self.link.state() == state
    }

    /// Whether the link was never connected. Asks the link no more once it was.
    fn is_opening(&self) -> bool {
        if self.has_opened.load(Ordering::Relaxed) {
            return false;
        }
        let is_opening = self.is(LinkState::OPENING);
        self.has_opened.store(!is_opening, Ordering::Relaxed);
        is_opening
    }

    /// Whether the terms of the entity say all that [`with_links`] would say of this port, as long as
    /// there are no combiners. Does not ask the link: whether one to send over has opened is known from
    /// an earlier look.
    pub fn needs_no_look(&self, is_polled: bool) -> bool {
        if self.sends { self.has_opened.load(Ordering::Relaxed) } else { !is_polled }
    }

    /// Whether the link was ever connected, or has ended.
    pub fn has_been_open(&self) -> bool {
        !self.is_opening()
    }

    /// Ends the link regularly.
    pub fn finish(&self) {
        if let Err(error) = self.link.call("finish", |link| link.finish()) {
            tracing::error!("{}: {error}", self.link.component().description());
        }
    }
}

/// The condition of an entity with these ports and this combined condition of its terms: it does not
/// tick before its messages can be sent. A combiner does not say what it waits for, so it may be any
/// of the links; so may a term that does not announce its changes, if a message can come over one.
pub fn with_links(
    ports: &[RemotePort],
    combined: Condition,
    has_combiners: bool,
    is_polled: bool,
) -> Condition {
    let opens = ports.iter().any(|port| port.sends && port.is_opening());
    let may_wait = |port: &RemotePort| has_combiners || (is_polled && !port.sends);
    let awaited = combined.condition_type == ConditionType::WAIT
        && ports.iter().any(|port| may_wait(port) && !port.is(LinkState::ENDED));
    if combined.condition_type != ConditionType::NEVER && (opens || awaited) {
        return Condition { condition_type: ConditionType::WAIT_EVENT, ..combined };
    }
    combined
}

/// A term that watches links.
pub struct RemoteTerm {
    term: Interface<SchedulingTerm>,
    /// The term, if it asks for room behind a transmitter.
    room: Option<Native<DownstreamReceptiveSchedulingTerm>>,
    links: Vec<Interface<gxf::Link>>,
}

impl RemoteTerm {
    /// The term of a component that watches these links.
    pub fn of(component: &Arc<Component>, links: Vec<Interface<gxf::Link>>) -> Option<Self> {
        let term = SchedulingTerm::from_component(component)?;
        Some(Self { term, room: component.native(), links })
    }

    /// Whether it waits for messages although the links that it watches have ended.
    pub fn misses_messages(&self) -> bool {
        self.room.is_none()
            && self.links.iter().all(|link| link.state() == LinkState::ENDED)
            && self
                .term
                .call("check", |term| term.check(0))
                .is_ok_and(|condition| condition.condition_type == ConditionType::WAIT)
    }

    /// The term.
    pub fn term(&self) -> &Interface<SchedulingTerm> {
        &self.term
    }

    /// Messages behind each link, and the room for them: the peer says only how many more it takes.
    fn rooms(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        let rooms = self.links.iter().map(|link| link.room());
        rooms.map(|room| (0, usize::try_from(room).map_or(UNLIMITED, |room| room.min(UNLIMITED))))
    }

    /// Whether it asks for room, and there is enough. If not, it must be asked.
    pub fn is_ready(&self, now: i64) -> bool {
        self.room.as_ref().is_some_and(|room| room.is_ready(self.rooms(), now))
    }

    /// Whether it must hear about ticks: one that asks for room does not count them.
    pub fn counts_ticks(&self) -> bool {
        self.room.is_none()
    }

    /// Its condition if nothing more came over its links.
    ///
    /// # Errors
    /// Those of the term.
    pub fn ordinary_condition(&self, now: i64) -> gxf::Result<Condition> {
        match &self.room {
            Some(room) => Ok(room.condition(self.rooms(), now)),
            None => {
                self.term.call("update_state", |term| term.update_state(now))?;
                checked(self.term.call("check", |term| term.check(now))?)
            }
        }
    }

    /// Its condition.
    ///
    /// # Errors
    /// Those of the term.
    pub fn condition(&self, now: i64) -> gxf::Result<Condition> {
        let mut condition = self.ordinary_condition(now)?;
        if condition.condition_type == ConditionType::WAIT
            && self.links.iter().any(|link| link.state() != LinkState::ENDED)
        {
            condition.condition_type = ConditionType::WAIT_EVENT;
        }
        Ok(condition)
    }
}
