//! `TensorCopier`: copies tensors to another kind of memory.

use gxf::prelude::*;
use gxf_device::{
    Device, DeviceAllocator, Fence, Stream, Streams, remove_fences, set_fence, wait_for_data,
};

/// Forwards each message with copies of its tensors in the kind of memory that `mode` selects, with
/// the same strides. The copies follow the other payloads, which the new message shares with the
/// original.
///
/// Copies to a device are enqueued on the stream that the message names, or on one of the codelet's
/// own if there is none of that device, and the message says with a `gxe::CudaFence` when they are done;
/// it names no streams of other devices. Copies to the host are done when the message is sent.
#[derive(Component, Default)]
pub struct TensorCopier {
    /// Receiver that the messages arrive in.
    #[parameter(headline = "Receiver")]
    receiver: Parameter<Handle<Receiver>>,
    /// Transmitter that publishes the messages.
    #[parameter(headline = "Transmitter")]
    transmitter: Parameter<Handle<Transmitter>>,
    /// Allocator for the copies.
    #[parameter(headline = "Allocator")]
    allocator: Parameter<Handle<Allocator>>,
    /// Kind of memory for the copies: 0 device, 1 host, 2 system. 0 needs CUDA.
    #[parameter(headline = "Copy mode", minimum = 0, maximum = 2)]
    mode: Parameter<i32>,
    pool: Option<DeviceAllocator>,
    streams: Streams,
}

impl TensorCopier {
    /// The storage type for a mode; their numbers differ.
    fn storage(&self) -> Result<StorageType> {
        match *self.mode.get() {
            1 => Ok(StorageType::HOST),
            2 => Ok(StorageType::SYSTEM),
            // 0, the only other one that the parameter can have.
            _ => gxf_device::driver().map(|_| StorageType::DEVICE).map_err(|error| {
                Error::new(
                    ResultCode::MEMORY_INVALID_STORAGE_MODE,
                    format!(
                        "`mode` 0 (copy to device memory) needs CUDA: {}; use 1 (host) or 2 (system)",
                        error.message()
                    ),
                )
            }),
        }
    }

    /// A copy of a tensor of a message by the device.
    fn copied(
        pool: &DeviceAllocator,
        stream: &Stream,
        (message, tensor): (&Message, &Tensor),
        storage: StorageType,
    ) -> Result<(Tensor, Fence)> {
        let size = tensor.memory().size();
        let mut memory = pool.allocate(stream, size, storage)?;
        let ((), fence) = stream.enqueue(|work| {
            work.input(message)?;
            work.copy(tensor.memory(), &mut memory, size)
        })?;
        let mut strides = [0; gxf::abi::MAX_RANK];
        strides[..tensor.rank()].copy_from_slice(tensor.strides());
        let (element, bytes) = (tensor.element_type(), tensor.bytes_per_element());
        Ok((Tensor::from_memory(*tensor.shape(), element, bytes, Some(strides), memory)?, fence))
    }
}

fn is_on_host(storage: StorageType) -> bool {
    matches!(storage, StorageType::HOST | StorageType::SYSTEM)
}

impl Codelet for TensorCopier {
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        self.pool = Some(DeviceAllocator::new(context, &self.allocator));
        self.storage().map(drop)
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let storage = self.storage()?;
        let message = self.receiver.receive()?;
        let mut copy = context.new_message()?;
        copy.share_payloads(&message)?;
        for index in (0..copy.len()).rev() {
            if copy.payloads().nth(index).is_some_and(|payload| payload.tid == Tensor::TID) {
                copy.remove(index)?;
            }
        }
        let pool = self.pool.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let is_to_host = is_on_host(storage);
        // The ends of the streams that copy. Only copies to the host may be those of several devices.
        let mut ends: Vec<Fence> = Vec::new();
        let names = message.payloads().filter(|payload| payload.tid == Tensor::TID);
        for (payload, tensor) in names.zip(message.find_all::<Tensor>()) {
            let copied = if is_to_host && is_on_host(tensor.storage_type()) {
                // A device may still write to it.
                wait_for_data(&context.handle(), &message)?;
                tensor.copied(&self.allocator, storage)?
            } else {
                let device = match is_to_host {
                    true => Device::get(tensor.memory().device())?,
                    false => pool.device()?,
                };
                let stream = self.streams.for_message(context, &message, device)?;
                let (copied, fence) = Self::copied(pool, &stream, (&message, tensor), storage)?;
                ends.retain(|end| end.stream_address() != fence.stream_address());
                ends.push(fence);
                copied
            };
            copy.add(payload.name, copied)?;
        }
        match ends.pop() {
            // Whoever reads host memory expects its content to be there.
            Some(fence) if is_to_host => {
                ends.iter().chain([&fence]).try_for_each(Fence::synchronize)?;
                remove_fences(&mut copy)?;
            }
            Some(fence) => {
                set_fence(&mut copy, fence)?;
                self.streams.remove_others(context, &mut copy, pool.device()?)?;
            }
            None => {}
        }
        self.transmitter.publish_as_is(copy)
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        self.streams.clear();
        gxf_device::settle();
        Ok(())
    }
}
