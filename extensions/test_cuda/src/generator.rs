//! `StreamTensorGenerator`.

use crate::tensors::make_pair;
use gxf::CudaStreamPool;
use gxf::prelude::*;
use gxf_device::{Event, LentStream, settle};

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

impl Codelet for StreamTensorGenerator {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.stream = Some(LentStream::new(context, &self.stream_pool)?);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let lent = self.stream.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let pools = (&*self.host_tensor_pool, &*self.cuda_tensor_pool);
        let (host_message, mut message, fence) = make_pair(context, lent.stream(), pools)?;
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
