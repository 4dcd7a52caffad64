//! `StreamTensorGeneratorNew`, `CublasDotProductNew`: the two ends of a StreamSync.

use crate::tensors::{make_pair, tensor_of, two_of};
use gxf::abi;
use gxf::prelude::*;
use gxf::{CudaStreamPool, Shape, StreamSync};
use gxf_device::kernels::PARTS;
use gxf_device::{DeviceAllocator, LentStream, StreamSyncId, Streams, set_fence, settle};

/// Sends two tensors of `float32` numbers on every tick, on the device and perhaps on the host. A
/// StreamSync says when those on the device are valid.
#[derive(Component, Default)]
pub struct StreamTensorGeneratorNew {
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
    /// Is signaled behind the work.
    stream_sync: Parameter<Handle<StreamSync>>,
    /// Kept for GXF's app files.
    #[parameter(default = 0)]
    signaler: Parameter<i32>,
    /// Kept for GXF's app files.
    #[parameter(default = 0)]
    waiter: Parameter<i32>,
    stream: Option<LentStream>,
}

impl Codelet for StreamTensorGeneratorNew {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.stream = Some(LentStream::new(context, &self.stream_pool)?);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let lent = self.stream.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let pools = (&*self.host_tensor_pool, &*self.cuda_tensor_pool);
        let (host_message, mut message, _) = make_pair(context, lent.stream(), pools)?;
        self.stream_sync.signal(lent.stream().handle())?;
        let stream_sync_cid = self.stream_sync.cid();
        message.add("stream_sync", StreamSyncId(abi::StreamSyncId { stream_sync_cid }))?;
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

/// Multiplies the two tensors of a message on the device, on a stream of its own, which waits for the
/// StreamSync that the message names.
#[derive(Component, Default)]
pub struct CublasDotProductNew {
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

impl Codelet for CublasDotProductNew {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.rx.receive()?;
        let (left, right) = two_of(&message)?;
        let pool = DeviceAllocator::new(context, &self.tensor_pool);
        let stream = self.streams.own(pool.device()?)?;
        for id in message.find_all::<StreamSyncId>() {
            let sync: Handle<StreamSync> = Handle::resolve(context, id.0.stream_sync_cid)?;
            sync.wait(stream.handle())?;
        }
        let count = left.element_count()?.min(right.element_count()?);
        let mut parts = pool.allocate(&stream, PARTS * 4, StorageType::DEVICE)?;
        let mut product = pool.allocate(&stream, 4, StorageType::DEVICE)?;
        let ((), fence) = stream.enqueue(|work| {
            work.dot((left.memory(), right.memory()), &mut parts, &mut product, count)
        })?;
        let mut answer = context.new_message()?;
        answer.add("product", tensor_of(product, Shape::new(&[1])?)?)?;
        set_fence(&mut answer, fence)?;
        self.tx.publish(answer, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}
