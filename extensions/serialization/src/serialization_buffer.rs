//! `SerializationBuffer`: an endpoint in memory.

use gxf::MemoryBuffer;
use gxf::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps written bytes until they are read. It does not grow: writing more than fits is an error.
/// It is empty again once everything is read.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct SerializationBuffer {
    /// Allocator of the memory.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
    /// Capacity.
    #[parameter(headline = "Buffer size", unit = "bytes", default = 4096)]
    buffer_size: Parameter<u64>,
    /// Storage type of the memory: 0 host, 2 system.
    #[parameter(headline = "Storage type", default = 2)]
    storage_type: Parameter<i32>,
    content: Mutex<Content>,
}

#[derive(Default)]
struct Content {
    memory: MemoryBuffer,
    /// Bytes written and read since the buffer was empty.
    written: usize,
    read: usize,
}

impl SerializationBuffer {
    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Content {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let (start, room) = (self.written, self.memory.size());
        let end = start.checked_add(bytes.len());
        let place = end.and_then(|end| self.memory.bytes_mut().ok()?.get_mut(start..end));
        let place = place.ok_or_else(|| {
            Error::new(
                ResultCode::EXCEEDING_PREALLOCATED_SIZE,
                format!(
                    "{} bytes do not fit behind {start} in a buffer of {room}; enlarge \
                     `buffer_size`",
                    bytes.len()
                ),
            )
        })?;
        place.copy_from_slice(bytes);
        self.written += bytes.len();
        Ok(())
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let size = bytes.len().min(self.written - self.read);
        let start = self.read;
        bytes[..size].copy_from_slice(&self.memory.bytes()?[start..start + size]);
        self.read += size;
        if self.read == self.written {
            (self.read, self.written) = (0, 0);
        }
        Ok(size)
    }
}

impl Lifecycle for SerializationBuffer {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let storage = StorageType(*self.storage_type);
        let memory = MemoryBuffer::allocate(&self.allocator, *self.buffer_size, storage)?;
        *self.content() = Content { memory, written: 0, read: 0 };
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.content() = Content::default();
        Ok(())
    }
}

impl gxf::ByteStream for SerializationBuffer {
    fn is_writable(&self) -> bool {
        let content = self.content();
        (content.written as u64) < content.memory.size()
    }

    fn is_readable(&self) -> bool {
        let content = self.content();
        content.read < content.written
    }

    fn write_bytes(&self, bytes: &[u8]) -> Result<usize> {
        self.content().write(bytes).map(|()| bytes.len())
    }

    fn read_bytes(&self, bytes: &mut [u8]) -> Result<usize> {
        self.content().read(bytes)
    }
}

impl gxf::implement::SerializationBuffer for SerializationBuffer {
    fn resize(&self, size: u64, storage: StorageType) -> Result<()> {
        let memory = MemoryBuffer::allocate(&self.allocator, size, storage)?;
        gxf::implement::SerializationBuffer::wrap(self, memory)
    }

    fn wrap(&self, memory: MemoryBuffer) -> Result<()> {
        *self.content() = Content { memory, written: 0, read: 0 };
        Ok(())
    }

    fn reset(&self) -> Result<()> {
        let mut content = self.content();
        (content.written, content.read) = (0, 0);
        Ok(())
    }

    fn data(&self) -> *const u8 {
        self.content().memory.pointer()
    }

    fn capacity(&self) -> u64 {
        self.content().memory.size()
    }

    fn written(&self) -> u64 {
        self.content().written as u64
    }

    fn storage_type(&self) -> StorageType {
        self.content().memory.storage_type()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_in_order_and_the_room_is_used_again() {
        let memory = MemoryBuffer::from_vec(vec![0u8; 4]);
        let mut content = Content { memory, written: 0, read: 0 };
        content.write(b"abc").unwrap();
        let full = content.write(b"de").unwrap_err();
        assert_eq!(full.code(), ResultCode::EXCEEDING_PREALLOCATED_SIZE);
        let mut bytes = [0; 8];
        assert_eq!(content.read(&mut bytes[..2]).unwrap(), 2);
        assert_eq!(content.read(&mut bytes[2..]).unwrap(), 1);
        assert_eq!(content.read(&mut bytes).unwrap(), 0);
        content.write(b"defg").unwrap();
        assert_eq!(content.read(&mut bytes).unwrap(), 4);
        assert_eq!(&bytes[..4], b"defg");
    }
}
