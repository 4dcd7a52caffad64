//! Moments on the clock of a device, and how it compares with the host's.

use crate::device::Device;
use crate::error::call;
use crate::stream::Stream;
use cudarc::driver::sys::{CUevent, CUevent_flags};
use gxf::Result;
use std::ptr::null_mut;

/// An event with a time.
pub(crate) struct TimedEvent {
    device: Device,
    /// The driver's event, as a number.
    event: usize,
}

impl TimedEvent {
    /// Marks this point in the work of a stream.
    pub fn record(stream: &Stream) -> Result<Self> {
        let device = stream.device();
        let _entered = device.enter()?;
        let mut event = null_mut();
        // The pointer is valid.
        call!(cuEventCreate(&raw mut event, CUevent_flags::CU_EVENT_DEFAULT as u32))?;
        let timed = Self { device, event: event.expose_provenance() };
        // Both are alive.
        call!(cuEventRecord(timed.raw(), stream.raw()))?;
        Ok(timed)
    }

    fn raw(&self) -> CUevent {
        std::ptr::with_exposed_provenance_mut(self.event)
    }

    /// Nanoseconds from this event to another one, both reached.
    pub fn until(&self, other: &Self) -> Result<i64> {
        let _entered = self.device.enter()?;
        let mut milliseconds = 0.0;
        // Both are alive, and the pointer is valid.
        call!(cuEventElapsedTime(&raw mut milliseconds, self.raw(), other.raw()))?;
        Ok((f64::from(milliseconds) * 1e6) as i64)
    }
}

impl Drop for TimedEvent {
    fn drop(&mut self) {
        let event = self.raw();
        // Nobody refers to the event. An error leaves nothing to do.
        _ = self.device.enter().and_then(|_entered| call!(cuEventDestroy_v2(event)));
    }
}

/// A moment on the clocks of a device and of the host.
pub(crate) struct DeviceClock {
    pub event: TimedEvent,
    /// Nanoseconds of the trace's time.
    pub time: i64,
}

/// Nanoseconds after which clocks are compared again: the driver's times are floats, which then know
/// less than 0.1 microseconds.
const RECENT: i64 = 1_000_000_000;

impl DeviceClock {
    pub fn new(device: Device) -> Result<Self> {
        let stream = device.new_stream()?;
        let event = TimedEvent::record(&stream)?;
        stream.synchronize()?;
        Ok(Self { event, time: gxf::trace::now() })
    }

    pub fn is_recent(&self) -> bool {
        gxf::trace::now() - self.time < RECENT
    }
}
