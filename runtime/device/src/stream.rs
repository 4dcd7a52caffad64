//! Streams.

use crate::device::Device;
use crate::error::{call, failed};
use crate::fence::{Fence, Recorded};
use crate::work::Work;
use cudarc::driver::sys::{self, CUevent_flags, CUresult, CUstream};
use gxf::{CudaStream, Error, Handle, Result, ResultCode};
use parking_lot::Mutex;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A queue of work for a device, done in order. Clones are the same stream; any thread may use them.
#[derive(Clone)]
pub struct Stream(Arc<Queue>);

/// The stream and its events.
pub(crate) struct Queue {
    device: Device,
    /// The driver's stream, as a number: an identifier for the driver.
    stream: usize,
    /// Whether it ends with this value.
    is_owned: bool,
    /// The component that it belongs to, which keeps it alive.
    _component: Option<Handle<CudaStream>>,
    /// Events that no fence needs.
    events: Mutex<Vec<usize>>,
    sequence: AtomicU64,
}

/// Most events to keep for the next fences.
const KEPT_EVENTS: usize = 64;

impl Queue {
    pub fn raw(&self) -> CUstream {
        std::ptr::with_exposed_provenance_mut(self.stream)
    }

    pub fn device(&self) -> Device {
        self.device
    }

    pub fn take_event_back(&self, event: usize) {
        let mut events = self.events.lock();
        if events.len() < KEPT_EVENTS {
            events.push(event);
        } else {
            drop(events);
            self.destroy_event(event);
        }
    }

    fn destroy_event(&self, event: usize) {
        let event = std::ptr::with_exposed_provenance_mut(event);
        // No fence refers to the event. An error leaves nothing to do.
        _ = self.device.enter().and_then(|_entered| call!(cuEventDestroy_v2(event)));
    }

    fn event(&self) -> Result<usize> {
        if let Some(event) = self.events.lock().pop() {
            return Ok(event);
        }
        let mut event = null_mut();
        let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // The pointer is valid.
        call!(cuEventCreate(&raw mut event, flags))?;
        Ok(event.expose_provenance())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        for event in std::mem::take(self.events.get_mut()) {
            self.destroy_event(event);
        }
        if self.is_owned {
            // Nothing refers to the stream any more; its work goes on. An error leaves nothing to
            // do.
            let stream = self.raw();
            _ = self.device.enter().and_then(|_entered| call!(cuStreamDestroy_v2(stream)));
        }
    }
}

impl Stream {
    /// A new stream. `flags` are those of the driver: 1 for no waits for the legacy default stream.
    /// A lower `priority` is more urgent.
    pub fn new(device: Device, flags: u32, priority: i32) -> Result<Self> {
        let _entered = device.enter()?;
        let mut stream = null_mut();
        // The pointer is valid.
        call!(cuStreamCreateWithPriority(&raw mut stream, flags, priority))?;
        Ok(Self::wrap(device, stream.expose_provenance(), true, None))
    }

    /// The stream of a component, which lives as long as the result.
    ///
    /// # Errors
    /// If the component has no stream.
    pub fn of(component: &Handle<CudaStream>) -> Result<Self> {
        let stream = component.stream();
        if stream.is_null() {
            return Err(Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the component CudaStream has no stream; streams come from a CudaStreamPool",
            ));
        }
        let device = Device::get(component.device())?;
        Ok(Self::wrap(device, stream.expose_provenance(), false, Some(component.clone())))
    }

    /// A stream of the driver that somebody else owns. It must not end before the last clone of the
    /// result; a call for one that ended fails.
    #[must_use]
    pub fn adopt(device: Device, stream: *mut std::ffi::c_void) -> Self {
        Self::wrap(device, stream.expose_provenance(), false, None)
    }

    fn wrap(
        device: Device,
        stream: usize,
        is_owned: bool,
        component: Option<Handle<CudaStream>>,
    ) -> Self {
        let (events, sequence) = (Mutex::default(), AtomicU64::new(0));
        let _component = component;
        Self(Arc::new(Queue { device, stream, is_owned, _component, events, sequence }))
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.0.raw()
    }

    /// The driver's stream.
    #[must_use]
    pub fn handle(&self) -> *mut std::ffi::c_void {
        self.raw().cast()
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Whether the fence is in this stream, whose work comes after it anyway.
    pub(crate) fn has(&self, fence: &Fence) -> bool {
        fence.stream_address() == self.0.stream
    }

    /// Marks this point in the work.
    pub fn record(&self) -> Result<Fence> {
        let _entered = self.device().enter()?;
        let recorded = Recorded { event: self.0.event()?, queue: self.0.clone() };
        let event = std::ptr::with_exposed_provenance_mut(recorded.event);
        // Both are alive.
        call!(cuEventRecord(event, self.raw()))?;
        Ok(Fence::new(recorded, self.0.sequence.fetch_add(1, Ordering::Relaxed)))
    }

    /// Records an event of somebody else's: one of the driver's, which must be alive.
    pub fn record_event(&self, event: *mut std::ffi::c_void) -> Result<()> {
        let _entered = self.device().enter()?;
        // The caller's event is alive; the driver answers an error to anything else.
        call!(cuEventRecord(event.cast(), self.raw()))
    }

    /// Makes the device, and no thread, wait for a fence before the following work.
    pub fn wait(&self, fence: &Fence) -> Result<()> {
        if fence.is_none() || self.has(fence) {
            return Ok(());
        }
        let _entered = self.device().enter()?;
        // Both are alive.
        call!(cuStreamWaitEvent(self.raw(), fence.event(), 0))
    }

    /// Whether the device has done all work.
    ///
    /// # Errors
    /// If the device failed.
    pub fn is_done(&self) -> Result<bool> {
        let _entered = self.device().enter()?;
        // SAFETY: the stream is alive.
        match unsafe { sys::cuStreamQuery(self.raw()) } {
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_DEINITIALIZED => Ok(true),
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            answer => Err(failed("cuStreamQuery", answer)),
        }
    }

    /// Blocks the thread until the device has done all work.
    ///
    /// # Errors
    /// If the device failed.
    pub fn synchronize(&self) -> Result<()> {
        let _entered = self.device().enter()?;
        // The stream is alive.
        call!(cuStreamSynchronize(self.raw()))
    }

    /// Enqueues work, and returns the fence behind it. The device has not done the work when this
    /// returns.
    ///
    /// # Errors
    /// Those of `enqueue`; what it enqueued before the error is ordered all the same.
    pub fn enqueue<'a, T>(
        &self,
        enqueue: impl FnOnce(&mut Work<'a>) -> Result<T>,
    ) -> Result<(T, Fence)> {
        let _entered = self.device().enter()?;
        let mut work = Work::new(self.clone());
        let result = enqueue(&mut work);
        let fence = work.finish();
        Ok((result?, fence?))
    }
}
