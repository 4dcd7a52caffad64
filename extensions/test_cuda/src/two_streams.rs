//! `gxe::test::cuda::TwoStreams`.

use gxf::MemoryBuffer;
use gxf::prelude::*;
use gxf_device::{DeviceAllocator, Stream, settle};

/// Bytes of the memory.
const SIZE: u64 = 4096;

/// Gives memory from stream to stream without a message, and checks what is in it: one stream reads
/// what another wrote, and memory that a stream may still write goes to another one, and to anybody.
#[derive(Component, Default)]
pub struct TwoStreams {
    /// Allocator of device memory. With a single block, all memory is the same.
    tensor_pool: Parameter<Handle<Allocator>>,
    streams: Option<[Stream; 2]>,
}

impl Codelet for TwoStreams {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let device = DeviceAllocator::new(context, &self.tensor_pool).device()?;
        self.streams = Some([device.new_stream()?, device.new_stream()?]);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let [one, other] = self.streams.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let pool = DeviceAllocator::new(context, &self.tensor_pool);
        let first = 4 * context.count().unsigned_abs() as u8;
        let fill = |stream: &Stream, mut memory: MemoryBuffer, byte: u8| {
            stream.enqueue(|work| work.fill(&mut memory, byte))?;
            Result::Ok(memory)
        };
        let filled = |byte| fill(one, pool.allocate(one, SIZE, StorageType::DEVICE)?, byte);
        require(other, &filled(first)?, first)?;
        drop(filled(first + 1)?);
        let memory = pool.allocate(other, SIZE, StorageType::DEVICE)?;
        require(other, &fill(other, memory, first + 2)?, first + 2)?;
        drop(filled(first + 1)?);
        let memory = pool.allocate_for_all(SIZE, StorageType::DEVICE)?;
        require(other, &fill(other, memory, first + 3)?, first + 3)
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams = None;
        settle();
        Ok(())
    }
}

/// Fails unless the memory has nothing but this byte, as a stream sees it.
fn require(stream: &Stream, memory: &MemoryBuffer, byte: u8) -> Result<()> {
    let mut host = MemoryBuffer::from_vec(vec![!byte; SIZE as usize]);
    stream.enqueue(|work| work.copy(memory, &mut host, SIZE))?;
    match host.bytes()?.iter().find(|found| **found != byte) {
        None => Ok(()),
        Some(found) => Err(Error::failure(format!("{found} where {byte} was written"))),
    }
}
