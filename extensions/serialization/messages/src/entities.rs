//! `Entities`: the shared part of entity serializers.

use gxf::serialization::{Layout, read_entity, write_entity};
use gxf::{ComponentSerializer, ContextHandle, Endpoint, Handle, Message, PayloadInfo, Result};
use gxf_device::wait_for_data;
use parking_lot::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes entities in GXF's layout, numbered from 0, and reads them. Writing skips payloads that no
/// component serializer supports; reading one is an error, because its end is unknown.
#[derive(Default)]
pub struct Entities {
    layout: Layout,
    written: AtomicU64,
    next_number: AtomicU64,
    left_out: AtomicU64,
    /// If data that a device still works on is awaited.
    awaiting: RwLock<Option<ContextHandle>>,
}

impl Entities {
    /// Entities in this layout.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        Self { layout, ..Self::default() }
    }

    /// Starts at 0 again.
    pub fn reset(&self) {
        for counter in [&self.written, &self.next_number, &self.left_out] {
            counter.store(0, Ordering::Relaxed);
        }
    }

    /// Makes [`Entities::write`] block until the data of a message is valid, which a device may still
    /// work on. The context is that of the serializer, which sets `None` when it is deinitialised.
    pub fn await_data(&self, context: Option<ContextHandle>) {
        *self.awaiting.write() = context;
    }

    /// Writes the payloads of a message that are `wanted` and returns the number of bytes. If
    /// `warns`, logs a warning for the first payload it skips for lack of a serializer.
    ///
    /// # Errors
    /// A serializer or the endpoint fails.
    pub fn write(
        &self,
        message: &Message,
        serializers: &[Handle<ComponentSerializer>],
        wanted: impl Fn(&PayloadInfo) -> bool,
        endpoint: &Endpoint,
        warns: bool,
    ) -> Result<u64> {
        if let Some(context) = &*self.awaiting.read() {
            wait_for_data(context, message)?;
        }
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let written = write_entity(self.layout, message, serializers, number, wanted, endpoint)
            .inspect_err(|_| _ = self.written.fetch_sub(1, Ordering::Relaxed))?;
        if let Some(payload) = written.left_out
            && self.left_out.fetch_add(1, Ordering::Relaxed) == 0
            && warns
        {
            let context = self.awaiting.read();
            let name = context.as_ref().map(|context| context.type_name(payload.tid));
            gxf::warning!(
                "payload `{}` of type {} is skipped: no component serializer supports it",
                payload.name,
                name.unwrap_or_else(|| payload.tid.to_string())
            );
        }
        Ok(written.size)
    }

    /// Reads an entity into an empty message. Returns its number, and the expected one where that
    /// differs.
    ///
    /// # Errors
    /// The endpoint ends or fails, or a payload is unknown or damaged.
    pub fn read(
        &self,
        message: &mut Message,
        serializers: &[Handle<ComponentSerializer>],
        endpoint: &Endpoint,
    ) -> Result<(u64, Option<u64>)> {
        let number = read_entity(self.layout, message, serializers, endpoint)?;
        let expected = self.next_number.swap(number.wrapping_add(1), Ordering::Relaxed);
        Ok((number, (number != expected).then_some(expected)))
    }
}
