//! `StdEntityIdSerializer`.

use gxf::prelude::*;
use gxf::{Endpoint, MessageRef};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes the ids of messages instead of their content: 8 bytes id, 8 bytes sequence number. A
/// message that is read shares the payloads of the one with that id, which must still exist: both
/// sides are in one process, and the writing side holds the message meanwhile.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct StdEntityIdSerializer {
    written: AtomicU64,
    context: OnceLock<ContextHandle>,
}

impl Lifecycle for StdEntityIdSerializer {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.written.store(0, Ordering::Relaxed);
        self.context.get_or_init(|| context.handle());
        Ok(())
    }
}

impl implement::EntitySerializer for StdEntityIdSerializer {
    fn serialize(&self, message: MessageRef, endpoint: Endpoint) -> Result<u64> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        endpoint.write_all(&message.eid().to_le_bytes())?;
        endpoint.write_all(&number.to_le_bytes())?;
        Ok(16)
    }

    fn deserialize(&self, mut message: MessageRef, endpoint: Endpoint) -> Result<()> {
        let mut bytes = [0; 16];
        endpoint.read_exact(&mut bytes)?;
        let [id, _number] = [0, 8].map(|at| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            i64::from_le_bytes(number)
        });
        let context = self.context.get().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let source = context.message(id)?;
        message.share_payloads(&source)
    }
}
