//! `StreamTensorGenerator`.

use gxf::prelude::*;
use gxf::{CudaStreamPool, MemoryBuffer, PrimitiveType, Shape};
use gxf_device::{DeviceAllocator, Event, LentStream, settle};

/// Numbers of each tensor.
pub const NUMBERS: u64 = 1024;

/// Sends two tensors of `float32` numbers on every tick: on the device, with stream, fence and event,
/// and perhaps on the host. The numbers are small integers, so that sums of their products are exact
/// in any order.
#[derive(Component, Default)]
pub struct StreamTensorGenerator {
    /// Transmitter of the tensors on the device.
    #[parameter(carries = Tensor)]
    cuda_tx: Parameter<Handle<Transmitter>>,
    /// Transmitter of the tensors on the host.
    #[parameter(carries = Tensor)]
    host_tx: Parameter<Option<Handle<Transmitter>>>,
    /// Allocator of device memory.
    cuda_tensor_pool: Parameter<Handle<Allocator>>,
    /// Allocator of host memory.
    host_tensor_pool: Parameter<Handle<Allocator>>,
    /// Where the codelet's stream comes from.
    stream_pool: Parameter<Handle<CudaStreamPool>>,
    stream: Option<LentStream>,
}

/// A tensor of one row of `float32`.
pub fn tensor_of(memory: MemoryBuffer, length: u64) -> Result<Tensor> {
    let length = i32::try_from(length).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
    Tensor::from_memory(Shape::new(&[length])?, PrimitiveType::FLOAT32, 4, None, memory)
}

impl Codelet for StreamTensorGenerator {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.stream = Some(LentStream::new(context, &self.stream_pool)?);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let lent = self.stream.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let stream = lent.stream();
        let on_host = DeviceAllocator::new(context, &self.host_tensor_pool);
        let on_device = DeviceAllocator::new(context, &self.cuda_tensor_pool);
        let mut host_message = context.new_message()?;
        let mut message = context.new_message()?;
        let tick = context.count().unsigned_abs();
        let mut last = None;
        for (name, factor, limit) in [("tensor_a", 1, 7), ("tensor_b", 3, 5)] {
            let size = NUMBERS * 4;
            let mut numbers = on_host.allocate(stream, size, StorageType::HOST)?;
            for (index, bytes) in (0u64..).zip(numbers.bytes_mut()?.chunks_exact_mut(4)) {
                let number = (index * factor + tick) % limit;
                bytes.copy_from_slice(&(number as f32).to_ne_bytes());
            }
            let mut memory = on_device.allocate(stream, size, StorageType::DEVICE)?;
            let ((), fence) = stream.enqueue(|work| work.copy(&numbers, &mut memory, size))?;
            message.add(name, tensor_of(memory, NUMBERS)?)?;
            host_message.add(name, tensor_of(numbers, NUMBERS)?)?;
            last = Some(fence);
        }
        let fence = last.unwrap_or_default();
        message.add("event", Event::new(fence.clone()))?;
        lent.mark(&mut message, fence)?;
        self.cuda_tx.publish(message, context.now())?;
        match self.host_tx.as_ref() {
            Some(host_tx) => host_tx.publish(host_message, context.now()),
            None => Ok(()),
        }
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.stream = None;
        settle();
        Ok(())
    }
}
