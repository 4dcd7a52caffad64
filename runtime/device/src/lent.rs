//! Streams from pools.

use crate::fence::Fence;
use crate::payload::StreamId;
use crate::stream::Stream;
use crate::streams::set_fence;
use gxf::abi::CudaStreamId;
use gxf::{ComponentContext, ContextHandle, CudaStreamPool, Handle, Message, Result, Uid};

/// A stream that a codelet has from a CudaStreamPool, and gives back when this is dropped.
pub struct LentStream {
    pool: Handle<CudaStreamPool>,
    cid: Uid,
    stream: Stream,
}

impl LentStream {
    /// Takes a stream from a pool.
    ///
    /// # Errors
    /// `EXCEEDING_PREALLOCATED_SIZE` if the pool has no stream left.
    pub fn new(context: &ComponentContext, pool: &Handle<CudaStreamPool>) -> Result<Self> {
        Self::in_context(&context.handle(), pool)
    }

    /// As above.
    pub fn in_context(context: &ContextHandle, pool: &Handle<CudaStreamPool>) -> Result<Self> {
        let cid = pool.allocate_stream()?;
        match context.resolve(cid).and_then(|component| Stream::of(&component)) {
            Ok(stream) => Ok(Self { pool: pool.clone(), cid, stream }),
            Err(error) => {
                pool.release_stream(cid)?;
                Err(error)
            }
        }
    }

    /// The stream.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Id of the stream's component.
    #[must_use]
    pub fn cid(&self) -> Uid {
        self.cid
    }

    /// Says in a message that its data is written on this stream, and valid at the fence.
    pub fn mark(&self, message: &mut Message, fence: Fence) -> Result<()> {
        message.add("stream", StreamId(CudaStreamId { stream_cid: self.cid }))?;
        set_fence(message, fence)
    }
}

impl LentStream {
    /// Does not give the stream back: somebody else does.
    pub(crate) fn keep(self) {
        // The handle to the pool, and one of the references to the stream, end as they would.
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: each field is read once and dropped here; `this` is not used again.
        unsafe {
            drop(std::ptr::read(&raw const this.pool));
            drop(std::ptr::read(&raw const this.stream));
        }
    }
}

impl Drop for LentStream {
    fn drop(&mut self) {
        if let Err(error) = self.pool.release_stream(self.cid) {
            gxf::error!("a CUDA stream is lost: {error}");
        }
    }
}
