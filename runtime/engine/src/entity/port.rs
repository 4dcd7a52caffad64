//! One queue of an entity, called directly if it is built in.

use crate::standard::queue::{DoubleBuffer, DoubleBufferReceiver, DoubleBufferTransmitter, Synced};
use gxf::{Message, Queue, Receiver, Transmitter};
use gxf_plugin::component::{Component, FromComponent, Interface, Native};
use std::ops::Deref;
use std::sync::Arc;

/// How a scheduler has an entity checked again.
pub trait Wake {
    /// The entity with this index may be ready.
    fn wake(&mut self, entity: u32);

    /// Whether the entity with this index is looked at anyway, so that it need not be woken.
    #[inline(always)]
    fn is_watched(&self, _entity: u32) -> bool {
        false
    }
}

/// A queue, ours or a foreign one.
pub enum Port<N, I> {
    /// Our own queue, called directly.
    Own(Native<N>),
    /// A foreign queue, called through the ABI.
    Other(Interface<I>),
}

/// A receiver.
pub type ReceiverPort = Port<DoubleBufferReceiver, Receiver>;
/// A transmitter.
pub type TransmitterPort = Port<DoubleBufferTransmitter, Transmitter>;

impl<N, I> Port<N, I>
where
    N: AsRef<DoubleBuffer> + 'static,
    I: FromComponent + Deref<Target = Queue>,
{
    /// The port of a component, if it is one.
    pub fn of(component: &Arc<Component>) -> Option<Self> {
        match component.native() {
            Some(own) => Some(Self::Own(own)),
            None => I::from_component(component).map(Self::Other),
        }
    }

    /// The component behind the port.
    pub fn component(&self) -> &Arc<Component> {
        match self {
            Self::Own(own) => own.component(),
            Self::Other(other) => other.component(),
        }
    }

    /// Our own queue.
    pub fn buffer(&self) -> Option<&DoubleBuffer> {
        match self {
            Self::Own(own) => Some((**own).as_ref()),
            Self::Other(_) => None,
        }
    }

    /// Messages in the main stage.
    #[inline]
    pub fn main_count(&self) -> usize {
        match self {
            Self::Own(own) => (**own).as_ref().main_count(),
            Self::Other(other) => other.message_count(),
        }
    }

    /// Messages in both stages.
    pub fn message_count(&self) -> usize {
        match self {
            Self::Own(own) => (**own).as_ref().total(),
            Self::Other(other) => other.message_count() + other.back_count(),
        }
    }

    /// A message that waits to be taken.
    pub fn peek(&self, index: i32) -> Option<Message> {
        match self {
            Self::Own(own) => (**own).as_ref().peek(index, false).ok(),
            Self::Other(other) => other.peek(index).ok(),
        }
    }
}

impl TransmitterPort {
    /// The message that was published last, if the queue can show it.
    pub fn latest(&self) -> Option<Message> {
        let Self::Own(transmitter) = self else { return self.peek(0) };
        let held = transmitter.buffer.counts();
        let (count, is_back) = if held.back > 0 { (held.back, true) } else { (held.main, false) };
        let index = i32::try_from(count).ok()?.checked_sub(1)?;
        transmitter.buffer.peek(index, is_back).ok()
    }

    /// The messages that the queue can show.
    pub fn messages(&self) -> impl Iterator<Item = Message> {
        let (main, back) = match self {
            Self::Own(own) => {
                let held = own.buffer.counts();
                (held.main, held.back)
            }
            Self::Other(other) => (other.message_count(), 0),
        };
        let stages = [(main, false), (back, true)].into_iter();
        let places = stages.flat_map(|(count, is_back)| (0..count).map(move |it| (it, is_back)));
        places.filter_map(|(index, is_back)| {
            let index = i32::try_from(index).ok()?;
            match self {
                Self::Own(own) => own.buffer.peek(index, is_back).ok(),
                Self::Other(other) => other.peek(index).ok(),
            }
        })
    }
}

impl ReceiverPort {
    /// Takes in what arrived.
    #[inline(never)]
    pub fn sync(&self) -> gxf::Result<Synced> {
        match self {
            Self::Own(receiver) => receiver.buffer.sync(),
            Self::Other(receiver) => {
                receiver.call("sync_io", |receiver| receiver.sync_io())?;
                receiver.call("sync", |receiver| receiver.sync())?;
                // A foreign queue does not say whether it lost messages, so it may have.
                Ok(Synced { main: receiver.message_count(), dropped: true })
            }
        }
    }

    /// Messages both stages may hold together.
    pub fn capacity(&self) -> usize {
        match self {
            Self::Own(receiver) => receiver.room(),
            Self::Other(receiver) => receiver.capacity(),
        }
    }
}
