//! The tensors that the codelets exchange.

use gxf::prelude::*;
use gxf::{MemoryBuffer, PrimitiveType, Shape};
use gxf_device::{DeviceAllocator, Fence, Stream, StreamId, set_fence};

/// Numbers of each tensor.
const NUMBERS: u64 = 1024;

/// Its rows and columns: few enough columns that NPP's components take them for channels.
const SHAPE: [i32; 2] = [256, 4];

/// A tensor of `float32`.
pub fn tensor_of(memory: MemoryBuffer, shape: Shape) -> Result<Tensor> {
    Tensor::from_memory(shape, PrimitiveType::FLOAT32, 4, None, memory)
}

/// The first two tensors of a message.
pub fn two_of(message: &Message) -> Result<(&Tensor, &Tensor)> {
    let mut tensors = message.find_all::<Tensor>();
    tensors.next().zip(tensors.next()).ok_or_else(|| {
        Error::new(ResultCode::INVALID_DATA_FORMAT, "the message has no two tensors")
    })
}

/// Two tensors on the host, and the same on the device once the fence is reached.
pub fn make_pair(
    context: &TickContext,
    stream: &Stream,
    (host_pool, cuda_pool): (&Handle<Allocator>, &Handle<Allocator>),
) -> Result<(Message, Message, Fence)> {
    let on_host = DeviceAllocator::new(context, host_pool);
    let on_device = DeviceAllocator::new(context, cuda_pool);
    let mut host_message = context.new_message()?;
    let mut message = context.new_message()?;
    let tick = context.count().unsigned_abs();
    let shape = Shape::new(&SHAPE)?;
    let mut last = Fence::default();
    for (name, factor, limit) in [("tensor_a", 1, 7), ("tensor_b", 3, 5)] {
        let size = NUMBERS * 4;
        let mut numbers = on_host.allocate(stream, size, StorageType::HOST)?;
        for (index, bytes) in (0u64..).zip(numbers.bytes_mut()?.chunks_exact_mut(4)) {
            let number = (index * factor + tick) % limit;
            bytes.copy_from_slice(&(number as f32).to_ne_bytes());
        }
        let mut memory = on_device.allocate(stream, size, StorageType::DEVICE)?;
        ((), last) = stream.enqueue(|work| work.copy(&numbers, &mut memory, size))?;
        message.add(name, tensor_of(memory, shape)?)?;
        host_message.add(name, tensor_of(numbers, shape)?)?;
    }
    Ok((host_message, message, last))
}

/// Says in an answer on which stream its data is written, as the message that it answers does, and
/// when that is done.
pub fn name_work(answer: &mut Message, message: &Message, fence: Fence) -> Result<()> {
    if let Some(id) = message.try_get::<StreamId>("") {
        answer.add("stream", *id)?;
    }
    set_fence(answer, fence)
}
