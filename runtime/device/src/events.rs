//! The driver's events, used again.

use crate::device::Device;
use crate::error::call;
use cudarc::driver::sys::{CUevent, CUevent_flags};
use gxf::Result;
use parking_lot::Mutex;
use std::ptr::null_mut;

/// Events that nobody needs at the moment: to make one takes the driver longer than to record it.
pub(crate) struct Events {
    device: Device,
    flags: CUevent_flags,
    /// Most to keep.
    most: usize,
    /// As numbers: identifiers for the driver.
    kept: Mutex<Vec<usize>>,
}

/// The driver's event of a number.
pub(crate) fn raw(event: usize) -> CUevent {
    std::ptr::with_exposed_provenance_mut(event)
}

impl Events {
    /// Events of a device with these flags, none so far.
    pub fn new(device: Device, flags: CUevent_flags, most: usize) -> Self {
        Self { device, flags, most, kept: Mutex::default() }
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// An event to record. The device's context must be current.
    pub fn take(&self) -> Result<usize> {
        if let Some(event) = self.kept.lock().pop() {
            return Ok(event);
        }
        let mut event = null_mut();
        // The pointer is valid.
        call!(cuEventCreate(&raw mut event, self.flags as u32))?;
        Ok(event.expose_provenance())
    }

    /// Keeps an event that nobody needs any more.
    pub fn give_back(&self, event: usize) {
        let mut kept = self.kept.lock();
        if kept.len() < self.most {
            kept.push(event);
        } else {
            drop(kept);
            self.destroy(event);
        }
    }

    fn destroy(&self, event: usize) {
        // The driver needs no context for what it finds by its handle, if it refuses that.
        let _entered = self.device.enter();
        // Nobody refers to the event. An error leaves nothing to do.
        _ = call!(cuEventDestroy_v2(raw(event)));
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        for event in std::mem::take(self.kept.get_mut()) {
            self.destroy(event);
        }
    }
}
