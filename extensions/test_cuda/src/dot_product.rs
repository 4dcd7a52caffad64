//! `CublasDotProduct`.

use crate::tensors::{name_work, tensor_of, two_of};
use gxf::Shape;
use gxf::prelude::*;
use gxf_device::kernels::PARTS;
use gxf_device::{DeviceAllocator, Streams, settle};

/// Multiplies the two tensors of a message on the device, on the stream that the message names. The
/// name is GXF's; the kernel is our own.
#[derive(Component, Default)]
pub struct CublasDotProduct {
    /// Transmitter of the products.
    #[parameter(carries = Tensor)]
    tx: Parameter<Handle<Transmitter>>,
    /// Receiver of the tensors.
    #[parameter(carries = Tensor)]
    rx: Parameter<Handle<Receiver>>,
    /// Allocator of device memory.
    tensor_pool: Parameter<Handle<Allocator>>,
    streams: Streams,
}

impl Codelet for CublasDotProduct {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.rx.receive()?;
        let (left, right) = two_of(&message)?;
        let pool = DeviceAllocator::new(context, &self.tensor_pool);
        let stream = self.streams.for_message(context, &message, pool.device()?)?;
        let count = left.element_count()?.min(right.element_count()?);
        let mut parts = pool.allocate(&stream, PARTS * 4, StorageType::DEVICE)?;
        let mut product = pool.allocate(&stream, 4, StorageType::DEVICE)?;
        let ((), fence) = stream.enqueue(|work| {
            work.input(&message)?;
            work.dot((left.memory(), right.memory()), &mut parts, &mut product, count)
        })?;
        let mut answer = context.new_message()?;
        answer.add("product", tensor_of(product, Shape::new(&[1])?)?)?;
        name_work(&mut answer, &message, fence)?;
        self.tx.publish(answer, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}
