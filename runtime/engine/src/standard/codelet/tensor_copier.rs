//! `TensorCopier`: copies tensors to another kind of memory.

use gxf::prelude::*;

/// Forwards each message with copies of its tensors in the kind of memory that `mode` selects, with
/// the same strides. The copies follow the other payloads, which the new message shares with the
/// original.
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
    /// Kind of memory for the copies: 1 host, 2 system. 0, device memory, needs CUDA.
    #[parameter(headline = "Copy mode")]
    mode: Parameter<i32>,
}

impl TensorCopier {
    /// The storage type for a mode; their numbers differ.
    fn storage(&self) -> Result<StorageType> {
        match *self.mode.get() {
            1 => Ok(StorageType::HOST),
            2 => Ok(StorageType::SYSTEM),
            0 => Err(Error::new(
                ResultCode::MEMORY_INVALID_STORAGE_MODE,
                "`mode` 0 (copy to device memory) needs CUDA, and this gxe is built without it; use \
                 1 (host) or 2 (system)",
            )),
            mode => Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`mode` cannot be {mode}: 0 is device, 1 host, 2 system memory"),
            )),
        }
    }
}

impl Codelet for TensorCopier {
    fn initialize(&mut self, _context: &ComponentContext) -> Result<()> {
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
        let names = message.payloads().filter(|payload| payload.tid == Tensor::TID);
        for (payload, tensor) in names.zip(message.find_all::<Tensor>()) {
            copy.add(payload.name, tensor.copied(&self.allocator, storage)?)?;
        }
        self.transmitter.publish_as_is(copy)
    }
}
