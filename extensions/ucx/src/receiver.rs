//! `UcxReceiver`.

use crate::address::named;
use crate::buffer::UcxSerializationBuffer;
use crate::inlet::{Inlet, InletNetwork};
use crate::owner::{Opener, Owner};
use gxf::prelude::*;
use gxf::{LinkCounts, LinkState, LinkStatistics};
use parking_lot::{Mutex, RwLock};
use std::sync::{Arc, Weak};

/// Receives messages of a `UcxTransmitter` in another graph, process or host.
///
/// Without a token it accepts connections of this host only; see `UcxContext`.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct UcxReceiver {
    /// Messages that may wait here, in both stages together. The transmitter sends no more than
    /// there is room for.
    #[parameter(headline = "Capacity", default = 10, minimum = 1)]
    capacity: Parameter<u64>,
    /// What happens to a message that does not fit: 0 the oldest is dropped, 1 the newest is
    /// dropped, 2 it waits at the transmitter.
    #[parameter(headline = "Policy", default = 2, minimum = 0, maximum = 2)]
    policy: Parameter<u64>,
    /// Address to listen at; 0.0.0.0 means every address of this host.
    #[parameter(headline = "Address", default = "0.0.0.0")]
    address: Parameter<String>,
    /// Port to listen at.
    #[parameter(headline = "Port", default = 13337)]
    port: Parameter<u32>,
    /// The only transmitter that may connect, `segment.entity.component`; without it, any. A
    /// `GraphDriver` sets it by its connections. Not a parameter of GXF.
    #[parameter(headline = "Transmitter")]
    transmitter: Parameter<Option<String>>,
    /// Buffer for the messages' heads.
    #[parameter(headline = "Serialization buffer")]
    buffer: Parameter<Handle<UcxSerializationBuffer>>,
    opener: Opener,
    inlet: RwLock<Option<Arc<Inlet>>>,
    /// What the link had carried at its end, and the other end, for reports after it.
    former: Mutex<Option<(LinkStatistics, String)>>,
}

impl Lifecycle for UcxReceiver {
    fn check_parameters(&self) -> Result<()> {
        if *self.port.get() == 0 || *self.port.get() > u32::from(u16::MAX) {
            let text = format!("`port` is {}, and ports are 1 to 65535", *self.port.get());
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.opener.clear();
        if let Some(inlet) = self.inlet.write().take() {
            *self.former.lock() = Some((inlet.statistics(), inlet.peer()));
            inlet.clear();
        }
        Ok(())
    }
}

impl UcxReceiver {
    /// Where it listens: address and port.
    pub fn place(&self) -> (String, u16) {
        (named(self.address.get()), u16::try_from(*self.port.get()).unwrap_or_default())
    }

    /// Size that the buffer of the link begins with.
    pub fn buffer_size(&self) -> usize {
        self.buffer.get().size()
    }

    /// Makes the receiving end of a link.
    ///
    /// # Errors
    /// Another network has made one.
    pub fn open(&self, owner: Owner, network: Weak<dyn InletNetwork>) -> Result<Arc<Inlet>> {
        self.opener.set(owner.context.cid(), &owner.name)?;
        let capacity = usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX);
        let transmitter = self.transmitter.get().clone();
        let inlet = Inlet::new(owner, capacity, *self.policy.get(), transmitter, network);
        let inlet = Arc::new(inlet);
        *self.former.lock() = None;
        *self.inlet.write() = Some(inlet.clone());
        Ok(inlet)
    }

    fn with<R>(&self, action: impl FnOnce(&Inlet) -> R) -> Option<R> {
        self.inlet.read().as_deref().map(action)
    }

    fn inlet(&self) -> Result<Arc<Inlet>> {
        self.inlet.read().clone().ok_or_else(|| {
            let text = "no UcxContext of the graph has opened the link";
            Error::new(ResultCode::UNINITIALIZED_VALUE, text)
        })
    }
}

fn empty() -> Error {
    Error::new(ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE, "no message is available")
}

impl implement::Queue for UcxReceiver {
    fn push(&self, message: Message) -> Result<()> {
        self.inlet()?.push(message)
    }

    fn pop(&self) -> Result<Message> {
        self.with(Inlet::pop).flatten().ok_or_else(empty)
    }

    fn peek(&self, index: i32) -> Result<Message> {
        let index = usize::try_from(index).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let found = self.with(|inlet| inlet.peek(index, false)).flatten();
        found.ok_or_else(|| ResultCode::QUERY_NOT_FOUND.into())
    }

    fn capacity(&self) -> usize {
        usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX)
    }

    fn message_count(&self) -> usize {
        self.with(Inlet::main_count).unwrap_or_default()
    }

    fn back_count(&self) -> usize {
        self.with(Inlet::back_count).unwrap_or_default()
    }

    fn sync(&self) -> Result<()> {
        self.with(Inlet::sync);
        Ok(())
    }
}

impl implement::Receiver for UcxReceiver {
    fn receive(&self) -> Result<Message> {
        self.with(Inlet::pop).flatten().ok_or_else(empty)
    }

    fn peek_back(&self, index: i32) -> Result<Message> {
        let index = usize::try_from(index).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let found = self.with(|inlet| inlet.peek(index, true)).flatten();
        found.ok_or_else(|| ResultCode::QUERY_NOT_FOUND.into())
    }
}

impl implement::Link for UcxReceiver {
    fn state(&self) -> LinkState {
        self.with(Inlet::state).unwrap_or(LinkState::ENDED)
    }

    fn room(&self) -> u64 {
        0
    }

    fn send(&self, _message: Message) -> Result<()> {
        Err(ResultCode::NOT_IMPLEMENTED.into())
    }

    fn finish(&self) -> Result<()> {
        self.with(Inlet::finish);
        Ok(())
    }

    fn statistics(&self) -> Result<LinkStatistics> {
        match &*self.former.lock() {
            Some((statistics, _)) => Ok(*statistics),
            None => Ok(self.inlet()?.statistics()),
        }
    }

    fn peer(&self) -> Result<String> {
        match &*self.former.lock() {
            Some((_, peer)) => Ok(peer.clone()),
            None => Ok(self.inlet()?.peer()),
        }
    }
}

impl implement::CountedLink for UcxReceiver {
    fn counts(&self) -> Result<LinkCounts> {
        Ok(self.inlet()?.counts())
    }
}
