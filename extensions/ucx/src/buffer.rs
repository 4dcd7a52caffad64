//! `UcxSerializationBuffer`.

use gxf::prelude::*;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Keeps written bytes until they are read: what a message consists of besides the memory of its
/// tensors. A link has buffers of its own, which grow to this one's size at first and further if a
/// message needs it.
#[derive(Component, Default)]
pub struct UcxSerializationBuffer {
    /// Allocator of received tensors in GXF; here the component serializer's is used.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
    /// Size that a link's buffer begins with.
    #[parameter(headline = "Buffer size", unit = "bytes", default = 4096)]
    buffer_size: Parameter<u64>,
    content: Mutex<VecDeque<u8>>,
}

impl UcxSerializationBuffer {
    /// The size that a link's buffer begins with, within reason.
    pub fn size(&self) -> usize {
        const MOST: u64 = 1 << 20;
        usize::try_from((*self.buffer_size.get()).min(MOST)).unwrap_or_default()
    }

    /// Bytes that may be written.
    fn room(&self) -> usize {
        let size = usize::try_from(*self.buffer_size.get()).unwrap_or(usize::MAX);
        size.saturating_sub(self.content.lock().len())
    }
}

impl gxf::ByteStream for UcxSerializationBuffer {
    fn is_writable(&self) -> bool {
        self.room() > 0
    }

    fn is_readable(&self) -> bool {
        !self.content.lock().is_empty()
    }

    fn write_bytes(&self, bytes: &[u8]) -> Result<usize> {
        if bytes.len() > self.room() {
            let text = format!("{} bytes do not fit; enlarge `buffer_size`", bytes.len());
            return Err(Error::new(ResultCode::EXCEEDING_PREALLOCATED_SIZE, text));
        }
        self.content.lock().extend(bytes);
        Ok(bytes.len())
    }

    fn read_bytes(&self, bytes: &mut [u8]) -> Result<usize> {
        let mut content = self.content.lock();
        let count = bytes.len().min(content.len());
        for (place, byte) in bytes.iter_mut().zip(content.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }
}
