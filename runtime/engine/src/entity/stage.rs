//! A stage of a pipeline, which most entities are: one codelet, at most one receiver with a
//! `MessageAvailable`, and at most one transmitter, with one receiver and perhaps a
//! `DownstreamReceptive`, all of the queues ours and on the same thread; perhaps a `Count`.
//!
//! What an execution does is the same as for any entity, see [`Work`](super::work::Work). A stage has
//! at hand what that needs, and knows that there is nothing else to look for.

use crate::entity::failure::Failure;
use crate::entity::parts::Parts;
use crate::entity::port::{ReceiverPort, TransmitterPort, Wake};
use crate::entity::ports::{Inbox, Outbox, Unsent};
use crate::entity::term::{Term, fill};
use crate::standard::outgoing;
use crate::standard::queue::{DoubleBufferReceiver, DoubleBufferTransmitter};
use crate::standard::term::{
    CountSchedulingTerm, DownstreamReceptiveSchedulingTerm, Limits, MessageAvailableSchedulingTerm,
};
use gxf::Message;
use gxf_plugin::component::{CodeletRef, Native};
use gxf_plugin::message::pool::published;
use gxf_sync::stages::Advanced;
use std::hint::cold_path;

/// What a stage has at hand.
pub(super) struct Stage {
    count: Option<Native<CountSchedulingTerm>>,
    input: Option<Input>,
    next: Option<Next>,
}

/// Where a stage receives.
struct Input {
    term: Native<MessageAvailableSchedulingTerm>,
    limits: Limits,
    receiver: Native<DoubleBufferReceiver>,
    /// Who waits for room there.
    sender: Option<u32>,
    wanted_room: usize,
}

/// Where a stage sends.
struct Next {
    transmitter: Native<DoubleBufferTransmitter>,
    term: Option<Native<DownstreamReceptiveSchedulingTerm>>,
    receiver: Native<DoubleBufferReceiver>,
    /// Who may be ready when a message has arrived there.
    wakes: u32,
}

/// The terms of a stage, at most one of each kind.
#[derive(Default)]
struct Terms<'a> {
    count: Option<&'a Native<CountSchedulingTerm>>,
    messages: Option<Messages<'a>>,
    room: Option<Room<'a>>,
}

type Queue = Native<DoubleBufferReceiver>;
type Messages<'a> = (&'a Native<MessageAvailableSchedulingTerm>, &'a Queue, Limits);
type Room<'a> = (&'a Native<DownstreamReceptiveSchedulingTerm>, &'a [Queue]);

impl<'a> Terms<'a> {
    fn of(terms: &'a [Term]) -> Option<Self> {
        let mut own = Self::default();
        for term in terms {
            let is_second = match term {
                Term::Count(term, _) => own.count.replace(term).is_some(),
                Term::Messages(term, queue, limits) => {
                    own.messages.replace((term, queue, *limits)).is_some()
                }
                Term::Room(term, queues) => own.room.replace((term, queues)).is_some(),
                _ => return None,
            };
            if is_second {
                return None;
            }
        }
        Some(own)
    }
}

impl Input {
    fn of(inbox: &Inbox, (term, watched, limits): Messages<'_>) -> Option<Self> {
        let ReceiverPort::Own(receiver) = &inbox.receiver else { return None };
        if inbox.link.is_some() || watched.component().cid() != receiver.component().cid() {
            return None;
        }
        let sender = match inbox.senders[..] {
            [] => None,
            [sender] => Some(sender),
            _ => return None,
        };
        Some(Self {
            term: term.clone(),
            limits,
            receiver: receiver.clone(),
            sender,
            wanted_room: inbox.wanted_room,
        })
    }
}

impl Next {
    fn of(outbox: &Outbox, room: Option<Room<'_>>) -> Option<Self> {
        let TransmitterPort::Own(transmitter) = &outbox.transmitter else { return None };
        let [target] = &outbox.targets[..] else { return None };
        let ReceiverPort::Own(receiver) = &target.queue else { return None };
        let [wakes] = target.wake[..] else { return None };
        let is_receiver = |queue: &Queue| queue.component().cid() == receiver.component().cid();
        if room.is_some_and(|(_, queues)| !matches!(queues, [queue] if is_receiver(queue))) {
            return None;
        }
        let term = room.map(|(term, _)| term.clone());
        let (transmitter, receiver) = (transmitter.clone(), receiver.clone());
        Some(Self { transmitter, term, receiver, wakes })
    }
}

impl Stage {
    /// The entity of these parts as a stage, if it is one.
    pub fn of(parts: &Parts) -> Option<Box<Self>> {
        let [_] = &parts.codelets[..] else { return None };
        let Terms { count, messages, room } = Terms::of(&parts.terms)?;
        let input = match (&parts.inbox[..], messages) {
            ([], None) if !parts.terms.is_empty() => None,
            ([inbox], Some(term)) => Some(Input::of(inbox, term)?),
            _ => return None,
        };
        let next = match (&parts.outbox[..], room) {
            ([], None) => None,
            ([outbox], room) => Some(Next::of(outbox, room)?),
            _ => return None,
        };
        Some(Box::new(Self { count: count.cloned(), input, next }))
    }

    /// If its terms let it tick, takes in what has arrived, and says how many messages there are then.
    /// `NOTED` says whether the terms remember since when they do.
    #[inline(always)]
    pub fn begin<const NOTED: bool>(&self, now: i64) -> Advanced {
        if self.count.as_ref().is_some_and(|count| !count.has_more()) {
            cold_path();
            return Advanced::Undecided;
        }
        if let Some(Next { term: Some(term), receiver, .. }) = &self.next {
            let room = std::iter::once(fill(receiver, term.wanted()));
            let has_room = if NOTED { term.is_ready(room, now) } else { term.is_receptive(room) };
            if !has_room {
                return Advanced::NotAllowed;
            }
        }
        let Some(Input { term, limits, receiver, .. }) = &self.input else {
            return Advanced::To(0);
        };
        let (term, limits) = (&**term, *limits);
        receiver.buffer.sync_if(move |held| match NOTED {
            true => term.is_ready(limits, held, now),
            false => limits.allow(held),
        })
    }

    /// Ticks the codelet; returns the message that it published first, unless the transmitter's queue
    /// has that.
    #[inline(always)]
    pub fn tick(
        &self,
        codelet: &mut CodeletRef,
        now: i64,
    ) -> std::result::Result<Option<Message>, Failure> {
        let transmitter = self.next.as_ref().map_or(0, |next| next.transmitter.address());
        outgoing::expect(transmitter);
        let code = codelet.tick(now);
        let first = outgoing::collect(transmitter);
        if code.is_success() {
            return Ok(first);
        }
        cold_path();
        Err(Failure::of_codelet(codelet, "tick", code))
    }

    /// Counts the tick, and wakes the entity that waits for the room that it made. There were so many
    /// messages before.
    #[inline(always)]
    pub fn ticked(&self, before: usize, now: i64, waker: &mut impl Wake) {
        if let Some(count) = &self.count {
            count.tick(now);
        }
        if let Some(input) = &self.input
            && let Some(sender) = input.sender
            && !waker.is_watched(sender)
            && input.receiver.made_room(before, input.wanted_room)
        {
            waker.wake(sender);
        }
    }

    /// Sends what the tick published: the `first` message, and what is in the transmitter's queue, which
    /// the `parts` belong to.
    #[inline(always)]
    pub fn send(
        &self,
        first: Option<Message>,
        parts: &mut Parts,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<(), Unsent> {
        let Some(next) = &self.next else { return Ok(()) };
        let buffer = &next.transmitter.buffer;
        let Some(message) = first else {
            return if buffer.is_empty() {
                Ok(())
            } else {
                parts.outbox[0].send_queued(now, waker)
            };
        };
        let message = match published(message, now) {
            Ok(message) => message,
            Err(code) => return Err(parts.outbox[0].failed(code.into())),
        };
        if let Some(message) = next.receiver.buffer.push_into_room(message) {
            cold_path();
            buffer.put_back(message);
            return parts.outbox[0].send_queued(now, waker);
        }
        waker.wake(next.wakes);
        if !buffer.is_empty() {
            cold_path();
            return parts.outbox[0].send_queued(now, waker);
        }
        Ok(())
    }
}
