//! `MemCpy2Host`.

use crate::tensors::name_work;
use gxf::prelude::*;
use gxf_device::{DeviceAllocator, Streams, settle};

/// Copies the first tensor of a message to the host, on the stream that the message names. The result
/// is valid when the stream has done the copy: it needs a CudaStreamSync or a
/// CudaStreamSchedulingTerm behind it.
#[derive(Component, Default)]
pub struct MemCpy2Host {
    /// Transmitter of the copies.
    #[parameter(carries = Tensor)]
    tx: Parameter<Handle<Transmitter>>,
    /// Receiver of the tensors.
    #[parameter(carries = Tensor)]
    rx: Parameter<Handle<Receiver>>,
    /// Allocator of host memory.
    tensor_pool: Parameter<Handle<Allocator>>,
    streams: Streams,
}

impl Codelet for MemCpy2Host {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.rx.receive()?;
        let tensor = message.get::<Tensor>("")?;
        let pool = DeviceAllocator::new(context, &self.tensor_pool);
        let stream = self.streams.for_message(context, &message, pool.device()?)?;
        let size = tensor.memory().size();
        let mut memory = pool.allocate(&stream, size, StorageType::HOST)?;
        let ((), fence) = stream.enqueue(|work| {
            work.input(&message)?;
            work.copy(tensor.memory(), &mut memory, size)
        })?;
        let (element, bytes) = (tensor.element_type(), tensor.bytes_per_element());
        let copy = Tensor::from_memory(*tensor.shape(), element, bytes, None, memory)?;
        let mut answer = context.new_message()?;
        answer.add("copy", copy)?;
        name_work(&mut answer, &message, fence)?;
        self.tx.publish(answer, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}
