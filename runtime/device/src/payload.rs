//! Payloads of messages about streams.

use crate::fence::{Fence, Point};
use gxf::abi::{self, tids};
use gxf::{Payload, Tid};
use std::ffi::c_void;
use std::ptr::null_mut;

/// The payload `nvidia::gxf::CudaStreamId`: the stream that the data of a message is written on.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamId(pub abi::CudaStreamId);

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for StreamId {
    const TID: Tid = tids::CUDA_STREAM_ID;
}

/// The payload `nvidia::gxf::StreamSyncId`: the StreamSync that orders the work on the data.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamSyncId(pub abi::StreamSyncId);

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for StreamSyncId {
    const TID: Tid = tids::STREAM_SYNC_ID;
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
    // SAFETY: `user` is the box of `Event::new`, which is released once.
    drop(unsafe { Box::from_raw(user.cast::<Fence>()) });
}

impl Event {
    /// An event that a fence was recorded as.
    #[must_use]
    pub fn new(fence: Fence) -> Self {
        // Whoever finds the event knows nothing of work that is held back. An error comes to whoever
        // makes that work.
        _ = fence.let_go("its event is handed to other code");
        let (event, device) = (fence.point().event().cast(), fence.device());
        let user = Box::into_raw(Box::new(fence)).cast();
        let free = abi::Callback { user, call: None, release: Some(free_fence) };
        Self { raw: abi::CudaEvent { event, device, reserved: 0, free } }
    }

    /// Whether it was not initialised.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        self.raw.event.is_null()
    }

    /// The point that the event was recorded at. An event that was not recorded is reached.
    #[must_use]
    pub fn point(&self) -> Point<'_> {
        Point::of_event(self.raw.event, self.raw.device.max(0))
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
