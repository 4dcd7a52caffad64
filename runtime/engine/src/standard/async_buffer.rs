//! `AsyncBufferReceiver` and `AsyncBufferTransmitter`: exchange of the latest value between
//! entities that run at different rates. Neither waits for the other.

use gxf::implement;
use gxf::prelude::*;

/// Holds the newest message. The spin lock covers only the exchange of a pointer.
struct Latest(spin::mutex::SpinMutex<Option<Message>, spin::Yield>);

impl Default for Latest {
    fn default() -> Self {
        Self(spin::mutex::SpinMutex::new(None))
    }
}

impl Latest {
    fn replace(&self, message: Option<Message>) -> Option<Message> {
        // The caller drops the result, because that may call into an extension, outside the lock.
        std::mem::replace(&mut *self.0.lock(), message)
    }

    fn look(&self) -> Result<Message> {
        self.0.lock().clone().ok_or_else(nothing_yet)
    }

    fn peek(&self, index: i32) -> Result<Message> {
        if index != 0 {
            return Err(ResultCode::QUERY_NOT_FOUND.into());
        }
        self.look()
    }
}

#[cold]
fn nothing_yet() -> Error {
    Error::new(ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE, "no message has arrived yet")
}

/// Returns the newest message, repeatedly, until a newer one arrives. Before the first one it is
/// empty, although, as in GXF, it always reports one message: a MessageAvailableSchedulingTerm
/// never waits for it.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct AsyncBufferReceiver {
    latest: Latest,
}

impl Lifecycle for AsyncBufferReceiver {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        drop(self.latest.replace(None));
        Ok(())
    }
}

impl implement::Queue for AsyncBufferReceiver {
    fn push(&self, message: Message) -> Result<()> {
        drop(self.latest.replace(Some(message)));
        Ok(())
    }

    fn pop(&self) -> Result<Message> {
        self.latest.look()
    }

    fn peek(&self, index: i32) -> Result<Message> {
        self.latest.peek(index)
    }

    fn capacity(&self) -> usize {
        2
    }

    fn message_count(&self) -> usize {
        1
    }

    fn back_count(&self) -> usize {
        0
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }
}

impl implement::Receiver for AsyncBufferReceiver {
    fn receive(&self) -> Result<Message> {
        self.latest.look()
    }

    fn peek_back(&self, _index: i32) -> Result<Message> {
        Err(ResultCode::QUERY_NOT_FOUND.into())
    }
}

/// Sends only the newest of the messages that a tick publishes, and drops the others.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct AsyncBufferTransmitter {
    latest: Latest,
}

impl Lifecycle for AsyncBufferTransmitter {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        drop(self.latest.replace(None));
        Ok(())
    }
}

impl implement::Queue for AsyncBufferTransmitter {
    fn push(&self, message: Message) -> Result<()> {
        drop(self.latest.replace(Some(message)));
        Ok(())
    }

    fn pop(&self) -> Result<Message> {
        self.latest.replace(None).ok_or_else(nothing_yet)
    }

    fn peek(&self, index: i32) -> Result<Message> {
        self.latest.peek(index)
    }

    fn capacity(&self) -> usize {
        2
    }

    fn message_count(&self) -> usize {
        usize::from(self.latest.0.lock().is_some())
    }

    fn back_count(&self) -> usize {
        0
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }
}

impl implement::Transmitter for AsyncBufferTransmitter {
    fn publish_as_is(&self, message: Message) -> Result<()> {
        drop(self.latest.replace(Some(message)));
        Ok(())
    }
}
