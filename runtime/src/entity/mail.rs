//! The mail of an entity: its receivers, its transmitters, and where the latter lead.

use crate::entity::failure::Failure;
use crate::message::queue::{DoubleBufferReceiver, DoubleBufferTransmitter};
use crate::plugin::component::{Component, Interface, Native};
use gxf::{Message, Queue, Receiver, Transmitter};
use std::sync::Arc;

/// What a scheduler does when an entity has to be looked at again.
pub(crate) trait Wake {
    /// The entity with this number may have become ready.
    fn wake(&mut self, entity: u32);
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
}

impl Inbox {
    /// Whether the tick made room that somebody may wait for.
    ///
    /// Nobody is waiting when at no time during the tick there was too little room. There were never
    /// more messages than those taken in before the tick and those that have arrived by now.
    #[inline]
    pub fn made_room(&self) -> bool {
        !self.senders.is_empty()
            && self.receiver.message_count() < self.before
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

    #[inline]
    pub fn sync(&self) -> gxf::Result<()> {
        match self {
            Self::Own(receiver) => receiver.buffer.sync(),
            Self::Other(receiver) => receiver.sync_io().and_then(|()| receiver.sync()),
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

impl Outbox {
    #[inline(always)]
    pub fn send(&mut self, waker: &mut dyn Wake) -> std::result::Result<(), Failure> {
        match &self.transmitter {
            Sender::Own(transmitter) => {
                let buffer = &transmitter.buffer;
                if buffer.back_count() == 0 {
                    return Ok(());
                }
                while let Some(message) = buffer.take() {
                    deliver(&mut self.targets, message);
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
                    deliver(&mut self.targets, message);
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
#[inline]
fn deliver(targets: &mut [Target], message: Message) {
    let Some((last, others)) = targets.split_last_mut() else { return };
    for target in others {
        target.deliver(message.clone());
    }
    last.deliver(message);
}

impl Target {
    /// A refused message is lost, as in GXF, but not silently.
    #[inline]
    fn deliver(&mut self, message: Message) {
        match &self.queue {
            TargetQueue::Own(queue) => {
                if !queue.buffer.try_push(message) {
                    let error = queue.buffer.full();
                    self.refused(&error);
                }
            }
            TargetQueue::Other(queue) => {
                if let Err(error) = queue.push(message) {
                    self.refused(&error);
                }
            }
        }
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
