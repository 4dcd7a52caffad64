//! The payload `nvidia::gxf::CudaBuffer`.

use crate::buffer::DeviceAllocator;
use crate::completion::{Action, when_done};
use crate::fence::Fence;
use crate::lent::LentStream;
use crate::stream::Stream;
use gxf::abi::{self, tids};
use gxf::{MemoryBuffer, Payload, Result, StorageType, Tid};

/// The payload `nvidia::gxf::CudaBuffer`: memory on a device that becomes valid some time.
#[derive(Default)]
#[repr(C)]
pub struct Buffer {
    memory: MemoryBuffer,
    fence: Fence,
    stream_cid: gxf::Uid,
    /// Whether it was given a point to wait for; what has no point is unset.
    is_marked: u32,
    reserved: u32,
}

const _: () = {
    assert!(size_of::<Buffer>() == size_of::<abi::CudaBuffer>());
    assert!(align_of::<Buffer>() == align_of::<abi::CudaBuffer>());
};

// SAFETY: the ABI defines this layout for this id, see above.
unsafe impl Payload for Buffer {
    const TID: Tid = tids::CUDA_BUFFER;
}

/// GXF's states of a CudaBuffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferState {
    /// Nothing was enqueued that makes the memory valid.
    Unset = 0,
    /// The device has not reached the point at which it is valid.
    CallbackRegistered = 1,
    /// It is valid.
    DataAvailable = 2,
}

impl Buffer {
    /// Memory that is valid once `fence` is reached; `stream_cid` is the component of its stream, or
    /// 0.
    #[must_use]
    pub fn new(memory: MemoryBuffer, fence: Fence, stream_cid: gxf::Uid) -> Self {
        Self { memory, fence, stream_cid, is_marked: 1, reserved: 0 }
    }

    /// Replaces the memory by `size` bytes for work on the stream of a component, which the buffer
    /// remembers. The former memory goes home behind its uses.
    pub fn resize_async(
        &mut self,
        allocator: &DeviceAllocator,
        lent: &LentStream,
        size: u64,
    ) -> Result<()> {
        *self = Self {
            memory: allocator.allocate(lent.stream(), size, StorageType::DEVICE)?,
            stream_cid: lent.cid(),
            ..Self::default()
        };
        Ok(())
    }

    /// Says that the memory is valid once the stream has done its work so far, and calls back then
    /// (GXF's `registerCallbackOnStream`).
    pub fn call_on_stream(
        &mut self,
        stream: &Stream,
        callback: impl FnOnce() + Send + 'static,
    ) -> Result<()> {
        let fence = stream.record()?;
        self.fence = fence.clone();
        self.is_marked = 1;
        when_done(fence.point(), Action::Run(Box::new(callback)))
    }

    /// Takes the stream out of the buffer: its id, which somebody else gives back to its pool. 0 if
    /// there is none.
    pub fn transfer_stream_ownership(&mut self) -> gxf::Uid {
        std::mem::take(&mut self.stream_cid)
    }

    /// What is known of the data now.
    ///
    /// # Errors
    /// If the device failed.
    pub fn state(&self) -> Result<BufferState> {
        Ok(if self.is_unset() {
            BufferState::Unset
        } else if self.fence.is_done()? {
            BufferState::DataAvailable
        } else {
            BufferState::CallbackRegistered
        })
    }

    /// Whether nothing was enqueued that makes the memory valid.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        self.is_marked == 0
    }

    /// The memory.
    #[must_use]
    pub fn memory(&self) -> &MemoryBuffer {
        &self.memory
    }

    /// The memory, to enqueue work that writes it.
    pub fn memory_mut(&mut self) -> &mut MemoryBuffer {
        &mut self.memory
    }

    /// When the memory is valid.
    #[must_use]
    pub fn fence(&self) -> &Fence {
        &self.fence
    }

    /// Id of the stream's component, or 0.
    #[must_use]
    pub fn stream_cid(&self) -> gxf::Uid {
        self.stream_cid
    }
}
