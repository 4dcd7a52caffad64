//! The scheduling terms of an entity, for its runner.

use crate::entity::condition::checked;
use crate::entity::register::{Link, Register};
use crate::entity::remote::RemoteTerm;
use crate::standard::queue::DoubleBufferReceiver;
use crate::standard::term::{
    CountSchedulingTerm, DownstreamReceptiveSchedulingTerm, Limits, MessageAvailableSchedulingTerm,
};
use gxf::SchedulingTerm;
use gxf_plugin::component::{Component, FromComponent, Interface, Native};
use gxf_plugin_abi::{Condition, Uid};
use gxf_sync::stages::Counts;
use smallvec::SmallVec;
use std::hint::cold_path;
use std::sync::Arc;

/// A scheduling term of the entity. The most frequent kinds are called directly.
///
/// The kind is a separate field and not part of an unused pointer value, so that reading it is one
/// comparison.
#[repr(u8)]
pub enum Term {
    /// `MessageAvailable` for a built-in queue, with the limits of its parameters.
    Messages(Native<MessageAvailableSchedulingTerm>, Native<DoubleBufferReceiver>, Limits),
    /// `DownstreamReceptive` for built-in queues.
    Room(Native<DownstreamReceptiveSchedulingTerm>, Vec<Native<DoubleBufferReceiver>>),
    /// The same with receivers on other threads, whose registers count the room.
    Credits(Native<DownstreamReceptiveSchedulingTerm>, Vec<Room>),
    /// `CountSchedulingTerm`, which must hear about ticks.
    Count(Native<CountSchedulingTerm>, Interface<SchedulingTerm>),
    /// A term that watches queues which lead to other processes.
    Remote(Box<RemoteTerm>),
    /// Any other term, called through the ABI.
    Other(Interface<SchedulingTerm>),
}

/// A receiver that must have room.
pub enum Room {
    /// On the same thread.
    Near(Native<DoubleBufferReceiver>),
    /// On another thread.
    Far(Arc<Register>),
}

impl Room {
    /// Messages that it holds or that are on their way, and how many there may be; see [`fill`].
    fn fill(&self, wanted: usize) -> (usize, usize) {
        match self {
            Self::Near(queue) => fill(queue, wanted),
            Self::Far(register) => (register.out(), register.instances),
        }
    }
}

/// The queues and allocators whose events change a term's answer.
pub fn watched(component: &Arc<Component>) -> SmallVec<[Uid; 2]> {
    let mut watched = SmallVec::new();
    if let Some(term) = SchedulingTerm::from_component(component) {
        term.call("watched", |term| term.watched(&mut |cid| watched.push(cid)));
    }
    watched
}

impl Term {
    pub fn component(&self) -> &Arc<Component> {
        match self {
            Self::Messages(term, ..) => term.component(),
            Self::Room(term, _) | Self::Credits(term, _) => term.component(),
            Self::Count(_, term) | Self::Other(term) => term.component(),
            Self::Remote(remote) => remote.term().component(),
        }
    }

    #[inline(always)]
    pub fn condition(&self, now: i64) -> gxf::Result<Condition> {
        match self {
            Self::Messages(term, queue, limits) => {
                Ok(term.condition(*limits, held(queue, *limits), now))
            }
            Self::Room(term, queues) if let [queue] = &queues[..] => {
                Ok(term.condition(std::iter::once(fill(queue, term.wanted())), now))
            }
            Self::Count(term, _) => Ok(term.condition()),
            _ => {
                cold_path();
                self.condition_of_any(now)
            }
        }
    }

    /// The same for a term of any kind. Separate, so that what most entities have takes one or two
    /// comparisons and no loop.
    #[inline(never)]
    fn condition_of_any(&self, now: i64) -> gxf::Result<Condition> {
        match self {
            Self::Messages(term, queue, limits) => {
                Ok(term.condition(*limits, held(queue, *limits), now))
            }
            Self::Room(term, queues) => Ok(term.condition(fills(term, queues), now)),
            Self::Credits(term, rooms) => Ok(term.condition(credits(term, rooms), now)),
            Self::Count(term, _) => Ok(term.condition()),
            Self::Other(term) => Self::ask(term, now),
            Self::Remote(remote) => remote.condition(now),
        }
    }

    /// Whether the term is one that is called directly and says READY. If not, it must be asked.
    #[inline(always)]
    pub fn is_ready(&self, now: i64) -> bool {
        match self {
            Self::Messages(term, queue, limits) => {
                term.is_ready(*limits, held(queue, *limits), now)
            }
            Self::Room(term, queues) if let [queue] = &queues[..] => {
                term.is_ready(std::iter::once(fill(queue, term.wanted())), now)
            }
            _ => {
                cold_path();
                self.any_is_ready(now)
            }
        }
    }

    /// The same for a term of any kind.
    #[inline(never)]
    pub fn any_is_ready(&self, now: i64) -> bool {
        match self {
            Self::Messages(term, queue, limits) => {
                term.is_ready(*limits, held(queue, *limits), now)
            }
            Self::Room(term, queues) => term.is_ready(fills(term, queues), now),
            Self::Credits(term, rooms) => term.is_ready(credits(term, rooms), now),
            Self::Count(term, _) => term.has_more(),
            Self::Remote(remote) => remote.is_ready(now),
            Self::Other(_) => false,
        }
    }

    /// Whether the term only counts messages, room or ticks, so that [`Self::allows`] is all that
    /// it says, and WAIT or NEVER if not.
    pub fn only_counts(&self) -> bool {
        match self {
            Self::Messages(..) | Self::Count(..) => true,
            Self::Room(_, queues) => !queues.is_empty(),
            Self::Credits(..) => true,
            Self::Other(_) | Self::Remote(_) => false,
        }
    }

    /// Whether the term lets the entity tick, if it only counts.
    #[inline(always)]
    pub fn allows(&self) -> bool {
        match self {
            Self::Messages(_, queue, limits) => limits.allow(held(queue, *limits)),
            Self::Room(term, queues) if let [queue] = &queues[..] => {
                term.is_receptive(std::iter::once(fill(queue, term.wanted())))
            }
            _ => {
                cold_path();
                self.any_allows()
            }
        }
    }

    /// The same for a term of any kind.
    #[inline(never)]
    pub fn any_allows(&self) -> bool {
        match self {
            Self::Messages(_, queue, limits) => limits.allow(held(queue, *limits)),
            Self::Room(term, queues) => term.is_receptive(fills(term, queues)),
            Self::Credits(term, rooms) => term.is_receptive(credits(term, rooms)),
            Self::Count(term, _) => term.has_more(),
            Self::Other(_) | Self::Remote(_) => false,
        }
    }

    /// Whether the term ends the entity, if it only counts.
    #[inline(always)]
    pub fn ends(&self) -> bool {
        matches!(self, Self::Count(term, _) if !term.has_more())
    }

    /// Separate, to keep the other two small where they are called.
    #[inline(never)]
    fn ask(term: &Interface<SchedulingTerm>, now: i64) -> gxf::Result<Condition> {
        term.call("update_state", |term| term.update_state(now))?;
        checked(term.call("check", |term| term.check(now))?)
    }

    /// Counts the room of receivers on other threads by their registers from now on.
    pub fn use_registers(&mut self, links: &[Link]) {
        let Self::Room(term, queues) = self else { return };
        let register = |queue: &Native<DoubleBufferReceiver>| {
            let cid = queue.component().cid();
            let mut registers = links.iter().map(|link| &link.register);
            registers.find(|one| {
                one.receiver.component().cid() == cid && one.transmitter == term.transmitter()
            })
        };
        if queues.iter().all(|queue| register(queue).is_none()) {
            return;
        }
        let rooms = queues.iter().map(|queue| match register(queue) {
            Some(register) => Room::Far(register.clone()),
            None => Room::Near(queue.clone()),
        });
        *self = Self::Credits(term.clone(), rooms.collect());
    }

    /// Counts the room of all receivers by their queues again.
    pub fn forget_registers(&mut self) {
        let Self::Credits(term, rooms) = self else { return };
        let queues = rooms.iter().map(|room| match room {
            Room::Near(queue) => queue.clone(),
            Room::Far(register) => register.receiver.clone(),
        });
        *self = Self::Room(term.clone(), queues.collect());
    }

    /// Reads the parameters again.
    pub fn refresh(&mut self) {
        if let Self::Messages(term, _, limits) = self {
            *limits = term.limits();
        }
    }

    /// The term if it needs to know about ticks; those that watch queues do not.
    pub fn counts_ticks(&self) -> Option<Interface<SchedulingTerm>> {
        match self {
            Self::Messages(..) | Self::Room(..) | Self::Credits(..) => None,
            Self::Count(_, term) | Self::Other(term) => Some(term.clone()),
            Self::Remote(remote) => remote.counts_ticks().then(|| remote.term().clone()),
        }
    }
}

/// Messages in the two stages of a receiver; only those of the main stage if they are enough.
#[inline(always)]
fn held(queue: &Native<DoubleBufferReceiver>, limits: Limits) -> Counts {
    queue.buffer.counts_up_to(limits.fewest)
}

/// Room from which on a queue is seldom nearly full.
const MUCH_ROOM: usize = 16;

/// Messages in both stages of a receiver, and its capacity. If there is much room, and enough in any
/// case, there may be fewer messages: so an entity that sends need not look at what the receiver
/// changes, perhaps on another core.
#[inline(always)]
pub fn fill(queue: &Native<DoubleBufferReceiver>, wanted: usize) -> (usize, usize) {
    let room = queue.room();
    if room >= MUCH_ROOM {
        let most = queue.buffer.at_most();
        if most + wanted <= room {
            return (most, room);
        }
    }
    (queue.buffer.total_of_sender(), room)
}

/// The same for each of several receivers.
fn fills(
    term: &DownstreamReceptiveSchedulingTerm,
    queues: &[Native<DoubleBufferReceiver>],
) -> impl ExactSizeIterator<Item = (usize, usize)> {
    let wanted = term.wanted();
    queues.iter().map(move |queue| fill(queue, wanted))
}

/// The same for receivers of which some are on other threads.
fn credits(
    term: &DownstreamReceptiveSchedulingTerm,
    rooms: &[Room],
) -> impl ExactSizeIterator<Item = (usize, usize)> {
    let wanted = term.wanted();
    rooms.iter().map(move |room| room.fill(wanted))
}
