//! The mail of an entity: its receivers, its transmitters, and where the latter lead.

use crate::entity::failure::Failure;
use crate::message::queue::{DoubleBufferReceiver, DoubleBufferTransmitter, Pushed};
use crate::plugin::component::{Component, Interface, Native};
use gxf::{Message, Queue, Receiver, Transmitter};
use std::sync::Arc;

/// What a scheduler does when an entity has to be looked at again.
pub(crate) trait Wake {
    /// The entity with this number may have become ready.
    fn wake(&mut self, entity: u32);
}

/// What became of a message that was sent to one receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    Kept,
    /// It was kept, and the oldest message of the receiver is lost.
    Displaced,
    Lost,
}

/// Who wants to know of every message that is sent.
pub(crate) trait Watch {
    /// A message was sent to the target at this place of the outbox.
    fn delivered(&mut self, place: usize, queue: &TargetQueue, message: u64, how: Delivery);
}

/// Nobody does.
impl Watch for () {
    #[inline(always)]
    fn delivered(&mut self, _place: usize, _queue: &TargetQueue, _message: u64, _how: Delivery) {}
}

/// What tells a message from all others at a time.
#[inline]
pub(crate) fn identity(message: &Message) -> u64 {
    message.as_raw().as_ptr().addr() as u64
}

/// A receiver of the entity.
pub(crate) struct Inbox {
    pub receiver: Mailslot,
    /// Entities that wait for room here.
    pub senders: Vec<u32>,
    /// The most room one of them waits for.
    pub wanted_room: usize,
    /// Messages in the main stage before the tick.
    pub before: usize,
    /// The queue's policy lost messages when they were taken in, which made room, too.
    pub dropped: bool,
}

impl Inbox {
    /// Whether the tick made room that somebody may wait for.
    ///
    /// Nobody is waiting when at no time during the tick there was too little room. There were never
    /// more messages than those taken in before the tick and those that have arrived by now.
    #[inline]
    pub fn made_room(&self) -> bool {
        if self.senders.is_empty() {
            return false;
        }
        if self.dropped {
            return true;
        }
        self.receiver.message_count() < self.before
            && match &self.receiver {
                Mailslot::Own(receiver) => {
                    let most = self.before + receiver.buffer.back_count();
                    most.saturating_add(self.wanted_room) > receiver.room()
                }
                Mailslot::Other(_) => true,
            }
    }
}

/// A receiver, ours or another's.
pub(crate) enum Mailslot {
    Own(Native<DoubleBufferReceiver>),
    Other(Interface<Receiver>),
}

impl Mailslot {
    pub fn component(&self) -> &Arc<Component> {
        match self {
            Self::Own(receiver) => receiver.component(),
            Self::Other(receiver) => receiver.component(),
        }
    }

    /// Takes the mail in. Whether the queue's policy lost messages thereby.
    #[inline(always)]
    pub fn sync(&self) -> gxf::Result<bool> {
        match self {
            Self::Own(receiver) => receiver.buffer.sync(),
            Self::Other(receiver) => Self::sync_other(receiver),
        }
    }

    /// Another's queue does not say whether it lost messages, so it may have.
    #[inline(never)]
    fn sync_other(receiver: &Interface<Receiver>) -> gxf::Result<bool> {
        receiver.sync_io().and_then(|()| receiver.sync()).map(|()| true)
    }

    /// A message that waits to be taken.
    pub fn peek(&self, index: i32) -> Option<Message> {
        match self {
            Self::Own(receiver) => receiver.buffer.peek(index, false).ok(),
            Self::Other(receiver) => receiver.peek(index).ok(),
        }
    }

    #[inline]
    pub fn message_count(&self) -> usize {
        match self {
            Self::Own(receiver) => receiver.buffer.main_count(),
            Self::Other(receiver) => receiver.message_count(),
        }
    }
}

/// A transmitter of the entity.
pub(crate) struct Outbox {
    pub transmitter: Sender,
    pub targets: Vec<Target>,
}

/// A transmitter, ours or another's.
pub(crate) enum Sender {
    Own(Native<DoubleBufferTransmitter>),
    Other(Interface<Transmitter>),
}

impl Sender {
    pub fn component(&self) -> &Arc<Component> {
        match self {
            Self::Own(transmitter) => transmitter.component(),
            Self::Other(transmitter) => transmitter.component(),
        }
    }

    /// Messages in both stages.
    pub fn message_count(&self) -> usize {
        match self {
            Self::Own(own) => own.buffer.main_count() + own.buffer.back_count(),
            Self::Other(other) => other.message_count() + other.back_count(),
        }
    }
}

/// A receiver a transmitter is connected to.
pub(crate) struct Target {
    pub queue: TargetQueue,
    /// Entities to wake when a message arrives: the receiver's own and those that watch it.
    pub wake: Vec<u32>,
    /// Messages the receiver refused.
    pub lost: u64,
    /// The transmitter as files write it, `entity/component`.
    pub from: Box<str>,
    /// The receiver as files write it.
    pub to: Box<str>,
}

/// The queue of a target, ours or another's.
pub(crate) enum TargetQueue {
    Own(Native<DoubleBufferReceiver>),
    Other(Interface<Queue>),
}

impl TargetQueue {
    /// Messages in both stages.
    pub fn message_count(&self) -> usize {
        match self {
            Self::Own(own) => own.buffer.main_count() + own.buffer.back_count(),
            Self::Other(other) => other.message_count() + other.back_count(),
        }
    }

    pub fn component(&self) -> &Arc<Component> {
        match self {
            Self::Own(queue) => queue.component(),
            Self::Other(queue) => queue.component(),
        }
    }
}

impl Outbox {
    #[inline(always)]
    pub fn send(
        &mut self,
        waker: &mut impl Wake,
        watch: &mut impl Watch,
    ) -> std::result::Result<(), Failure> {
        match &self.transmitter {
            Sender::Own(transmitter) => {
                let buffer = &transmitter.buffer;
                if buffer.back_count() == 0 {
                    return Ok(());
                }
                while let Some(message) = buffer.take() {
                    deliver(&mut self.targets, message, watch);
                    if buffer.back_count() == 0 {
                        break;
                    }
                }
            }
            Sender::Other(transmitter) => {
                let component = transmitter.component();
                let failed = |error| Failure::of(component, "sync of the transmitter", error);
                transmitter.sync().map_err(failed)?;
                transmitter.sync_io().map_err(failed)?;
                for _ in 0..transmitter.message_count() {
                    let message = transmitter.pop().map_err(failed)?;
                    deliver(&mut self.targets, message, watch);
                }
            }
        }
        for target in &self.targets {
            for entity in &target.wake {
                waker.wake(*entity);
            }
        }
        Ok(())
    }
}

/// Hands a message to every target; the last one gets it without another reference.
#[inline(always)]
fn deliver(targets: &mut [Target], message: Message, watch: &mut impl Watch) {
    let identity = identity(&message);
    let last_place = targets.len().wrapping_sub(1);
    let Some((last, others)) = targets.split_last_mut() else { return };
    for (place, target) in others.iter_mut().enumerate() {
        let how = target.deliver(message.clone());
        watch.delivered(place, &target.queue, identity, how);
    }
    let how = last.deliver(message);
    watch.delivered(last_place, &last.queue, identity, how);
}

impl Target {
    /// A refused message is lost, as in GXF, but not silently.
    #[inline(always)]
    fn deliver(&mut self, message: Message) -> Delivery {
        match &self.queue {
            TargetQueue::Own(queue) => match queue.buffer.try_push(message) {
                Pushed::Kept => return Delivery::Kept,
                Pushed::Displaced => return Delivery::Displaced,
                Pushed::Rejected => {}
                Pushed::Refused => {
                    let error = queue.buffer.full();
                    self.refused(&error);
                }
            },
            TargetQueue::Other(queue) => match queue.push(message) {
                Ok(()) => return Delivery::Kept,
                Err(error) => self.refused(&error),
            },
        }
        Delivery::Lost
    }

    #[cold]
    fn refused(&mut self, error: &gxf::Error) {
        self.lost += 1;
        if self.lost == 1 {
            tracing::warn!(
                "a message from transmitter `{}` to receiver `{}` is lost: {error}. Further losses \
                 on this connection are counted, not logged",
                self.from,
                self.to,
            );
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.lost > 1 {
            tracing::warn!(
                "receiver `{}` refused {} messages of `{}` in all",
                self.to,
                self.lost,
                self.from
            );
        }
    }
}
