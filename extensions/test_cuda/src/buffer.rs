//! `CudaAsyncBufferGenerator`, `Convolve2D`, `CudaBufferRx`.

use crate::tensors::name_work;
use gxf::prelude::*;
use gxf::{CudaAllocator, CudaStreamPool};
use gxf_device::{Buffer, DeviceAllocator, LentStream, Streams, settle};

/// Sends a CudaBuffer of `size` bytes on every tick, which a kernel fills with `float32` ones.
#[derive(Component, Default)]
pub struct CudaAsyncBufferGenerator {
    /// Transmitter of the buffers.
    signal: Parameter<Handle<Transmitter>>,
    /// Allocator of the buffers.
    allocator: Parameter<Handle<CudaAllocator>>,
    /// Where the codelet's stream comes from.
    stream_pool: Parameter<Handle<CudaStreamPool>>,
    /// Bytes of each buffer.
    #[parameter(default = 1)]
    size: Parameter<usize>,
    stream: Option<LentStream>,
}

/// The allocator behind a handle to one that knows streams.
fn pool(context: &TickContext, allocator: &Handle<CudaAllocator>) -> Result<DeviceAllocator> {
    Ok(DeviceAllocator::new(context, &Handle::resolve(context, allocator.cid())?))
}

impl Codelet for CudaAsyncBufferGenerator {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.stream = Some(LentStream::new(context, &self.stream_pool)?);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let lent = self.stream.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let size = *self.size as u64;
        let pool = pool(context, &self.allocator)?;
        let mut memory = pool.allocate(lent.stream(), size, StorageType::DEVICE)?;
        let ((), fence) = lent.stream().enqueue(|work| work.set(&[1.0], &mut memory, size / 4))?;
        let mut message = context.new_message()?;
        message.add("buffer", Buffer::new(memory, fence.clone(), 0))?;
        lent.mark(&mut message, fence)?;
        self.signal.publish(message, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.stream = None;
        settle();
        Ok(())
    }
}

/// Convolves the numbers of a CudaBuffer, seen as a square picture, with `kernel`.
#[derive(Component, Default)]
pub struct Convolve2D {
    /// The small picture, row by row.
    kernel: Parameter<Vec<Vec<f32>>>,
    /// Transmitter of the results.
    output: Parameter<Handle<Transmitter>>,
    /// Receiver of the buffers.
    input: Parameter<Handle<Receiver>>,
    /// Allocator of the results.
    allocator: Parameter<Handle<CudaAllocator>>,
    streams: Streams,
}

impl Codelet for Convolve2D {
    fn check_parameters(&self) -> Result<()> {
        let width = self.kernel.first().map_or(0, Vec::len);
        if width == 0 || self.kernel.iter().any(|row| row.len() != width) {
            let text = "`kernel` needs rows of the same length, and at least one number";
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let buffer = message.get::<Buffer>("")?;
        let pool = pool(context, &self.allocator)?;
        let stream = self.streams.for_message(context, &message, pool.device()?)?;
        let side = (buffer.memory().size() / 4).isqrt();
        let rows = u32::try_from(self.kernel.len()).map_err(|_| ResultCode::ARGUMENT_INVALID)?;
        let columns =
            u32::try_from(self.kernel[0].len()).map_err(|_| ResultCode::ARGUMENT_INVALID)?;
        let numbers: Vec<f32> = self.kernel.iter().flatten().copied().collect();
        let numbers = gxf::MemoryBuffer::from_vec(numbers);
        let size = numbers.size();
        let mut weights = pool.allocate(&stream, size, StorageType::DEVICE)?;
        // Ordinary memory: this call waits until it is copied.
        stream.enqueue(|work| work.copy(&numbers, &mut weights, size))?;
        let mut result = pool.allocate(&stream, side * side * 4, StorageType::DEVICE)?;
        let ((), fence) = stream.enqueue(|work| {
            work.input(&message)?;
            let picture = (buffer.memory(), (side, side));
            work.convolve(picture, (&weights, (columns, rows)), &mut result)
        })?;
        let mut answer = context.new_message()?;
        answer.add("buffer", Buffer::new(result, fence.clone(), 0))?;
        name_work(&mut answer, &message, fence)?;
        self.output.publish(answer, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}

/// Copies a CudaBuffer to the host, and logs the sum of its numbers.
#[derive(Component, Default)]
pub struct CudaBufferRx {
    /// Receiver of the buffers.
    signal: Parameter<Handle<Receiver>>,
    streams: Streams,
}

impl Codelet for CudaBufferRx {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.signal.receive()?;
        let buffer = message.get::<Buffer>("")?;
        let device = gxf_device::Device::get(buffer.memory().device())?;
        let stream = self.streams.for_message(context, &message, device)?;
        let size = buffer.memory().size();
        let mut numbers =
            gxf::MemoryBuffer::from_vec(vec![0u8; usize::try_from(size).unwrap_or_default()]);
        stream.enqueue(|work| {
            work.input(&message)?;
            work.copy(buffer.memory(), &mut numbers, size)
        })?;
        let numbers = numbers.bytes()?.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok());
        let sum: f32 = numbers.map(f32::from_ne_bytes).sum();
        gxf::info!("buffer of {size} bytes, sum {sum}");
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}
