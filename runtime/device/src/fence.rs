//! Points in the work of a stream, and the payloads of messages about them.

use crate::device::Device;
use crate::error::{call, failed};
use crate::stream::Queue;
use cudarc::driver::sys::{self, CUresult};
use gxf::abi::{self, tids};
use gxf::{MemoryBuffer, Payload, Result, Tid};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::Arc;

/// A point in the work of a stream. Clones refer to the same point. The default one is reached.
///
/// As the payload `gxe::CudaFence` it says when the data of a message is valid.
#[repr(transparent)]
pub struct Fence {
    raw: abi::CudaFence,
}

// SAFETY: any thread may use events, and owners count references atomically, as the ABI demands.
unsafe impl Send for Fence {}
// SAFETY: as above.
unsafe impl Sync for Fence {}

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for Fence {
    const TID: Tid = tids::CUDA_FENCE;
}

/// An event of a stream, which it returns to when no fence needs it any more.
pub(crate) struct Recorded {
    pub queue: Arc<Queue>,
    /// The event, as a number: an identifier for the driver.
    pub event: usize,
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.queue.take_event_back(self.event);
    }
}

unsafe extern "C" fn retain(owner: *mut c_void) {
    // SAFETY: the holder of a fence owns a reference to this `Arc`.
    unsafe { Arc::increment_strong_count(owner.cast::<Recorded>()) };
}

unsafe extern "C" fn release(owner: *mut c_void) {
    // SAFETY: the holder of a fence gives its reference to this `Arc` back.
    unsafe { Arc::decrement_strong_count(owner.cast::<Recorded>()) };
}

impl Fence {
    pub(crate) fn new(recorded: Recorded, sequence: u64) -> Self {
        let raw = abi::CudaFence {
            event: std::ptr::with_exposed_provenance_mut(recorded.event),
            stream: recorded.queue.raw().cast(),
            device: recorded.queue.device().ordinal(),
            reserved: 0,
            sequence,
            owner: Arc::into_raw(Arc::new(recorded)).cast_mut().cast(),
            retain: Some(retain),
            release: Some(release),
        };
        Self { raw }
    }

    /// Takes a fence over from its ABI form.
    ///
    /// # Safety
    /// `raw` must come with a reference, as the ABI describes.
    pub(crate) unsafe fn from_raw(raw: abi::CudaFence) -> Self {
        Self { raw }
    }

    /// A fence of another library, for as long as it is lent.
    ///
    /// # Safety
    /// `raw` must be a valid fence that outlives the result.
    pub(crate) unsafe fn lent<'a>(raw: *const abi::CudaFence) -> &'a Self {
        // SAFETY: this type is a transparent wrapper.
        unsafe { &*raw.cast::<Self>() }
    }

    pub(crate) fn into_raw(self) -> abi::CudaFence {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither used again nor dropped.
        unsafe { std::ptr::read(&raw const this.raw) }
    }

    /// The driver's event.
    pub(crate) fn event(&self) -> sys::CUevent {
        self.raw.event.cast()
    }

    /// Address of the driver's stream.
    #[must_use]
    pub fn stream_address(&self) -> usize {
        self.raw.stream.addr()
    }

    /// Number of the device.
    #[must_use]
    pub fn device(&self) -> i32 {
        self.raw.device
    }

    /// Number of the fence among those of its stream.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.raw.sequence
    }

    /// Whether there is nothing to wait for, and never was.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.raw.event.is_null()
    }

    /// Whether the device has reached the point.
    ///
    /// # Errors
    /// If the device failed.
    pub fn is_done(&self) -> Result<bool> {
        if self.is_none() {
            return Ok(true);
        }
        let _entered = Device::get(self.device())?.enter()?;
        // SAFETY: the owner keeps the event alive.
        match unsafe { sys::cuEventQuery(self.event()) } {
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_DEINITIALIZED => Ok(true),
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            answer => Err(failed("cuEventQuery", answer)),
        }
    }

    /// Blocks the thread until the device has reached the point.
    ///
    /// # Errors
    /// If the device failed.
    pub fn synchronize(&self) -> Result<()> {
        if self.is_none() {
            return Ok(());
        }
        let _entered = Device::get(self.device())?.enter()?;
        // The owner keeps the event alive.
        call!(cuEventSynchronize(self.event()))
    }
}

impl Default for Fence {
    fn default() -> Self {
        Self {
            raw: abi::CudaFence {
                event: null_mut(),
                stream: null_mut(),
                device: 0,
                reserved: 0,
                sequence: 0,
                owner: null_mut(),
                retain: None,
                release: None,
            },
        }
    }
}

impl Clone for Fence {
    fn clone(&self) -> Self {
        if let Some(retain) = self.raw.retain {
            // SAFETY: this value owns a reference.
            unsafe { retain(self.raw.owner) };
        }
        Self { raw: abi::CudaFence { ..self.raw } }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        if let Some(release) = self.raw.release {
            // SAFETY: this value owns a reference.
            unsafe { release(self.raw.owner) };
        }
    }
}

/// The payload `nvidia::gxf::CudaStreamId`: the stream that the data of a message is written on.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamId(pub abi::CudaStreamId);

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for StreamId {
    const TID: Tid = tids::CUDA_STREAM_ID;
}

/// The payload `nvidia::gxf::CudaEvent`.
#[repr(transparent)]
pub struct Event {
    raw: abi::CudaEvent,
}

// SAFETY: any thread may use events and free them, as the ABI demands.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for Event {
    const TID: Tid = tids::CUDA_EVENT;
}

unsafe extern "C" fn free_fence(user: *mut c_void) {
    // SAFETY: `user` is the box of `Event::new`, released once.
    drop(unsafe { Box::from_raw(user.cast::<Fence>()) });
}

impl Event {
    /// An event that a fence was recorded as.
    #[must_use]
    pub fn new(fence: Fence) -> Self {
        let (event, device) = (fence.raw.event, fence.device());
        let user = Box::into_raw(Box::new(fence)).cast();
        let free = abi::Callback { user, call: None, release: Some(free_fence) };
        Self { raw: abi::CudaEvent { event, device, reserved: 0, free } }
    }

    /// The event as a fence that is lent as long as this value.
    pub fn as_fence(&self) -> LentFence<'_> {
        let raw = abi::CudaFence {
            event: self.raw.event,
            // Shadow streams are by stream; the event's address is as good.
            stream: self.raw.event,
            device: self.raw.device.max(0),
            ..Fence::default().into_raw()
        };
        LentFence { fence: Fence { raw }, event: PhantomData }
    }
}

/// A fence that belongs to an [`Event`].
pub struct LentFence<'a> {
    fence: Fence,
    event: PhantomData<&'a Event>,
}

impl std::ops::Deref for LentFence<'_> {
    type Target = Fence;

    fn deref(&self) -> &Fence {
        &self.fence
    }
}

impl Default for Event {
    fn default() -> Self {
        let free = abi::Callback { user: null_mut(), call: None, release: None };
        Self { raw: abi::CudaEvent { event: null_mut(), device: -1, reserved: 0, free } }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let abi::Callback { user, call, release } = self.raw.free;
        // SAFETY: the ABI lets the owner of the event call both, once.
        unsafe {
            if let Some(call) = call {
                call(user);
            }
            if let Some(release) = release {
                release(user);
            }
        }
    }
}

/// The payload `nvidia::gxf::CudaBuffer`: memory on a device that becomes valid some time.
#[derive(Default)]
#[repr(C)]
pub struct Buffer {
    memory: MemoryBuffer,
    fence: Fence,
    stream_cid: gxf::Uid,
    state: u32,
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

impl Buffer {
    /// Memory that is valid once `fence` is reached; `stream_cid` is the component of its stream, or
    /// 0.
    #[must_use]
    pub fn new(memory: MemoryBuffer, fence: Fence, stream_cid: gxf::Uid) -> Self {
        Self { memory, fence, stream_cid, state: 0, reserved: 0 }
    }

    /// The memory.
    #[must_use]
    pub fn memory(&self) -> &MemoryBuffer {
        &self.memory
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
