//! Moments on the clock of a device, and how it compares with the host's.

use crate::device::Device;
use crate::error::call;
use crate::stream::Stream;
use cudarc::driver::sys::{CUevent, CUevent_flags};
use gxf::Result;
use parking_lot::Mutex;
use std::ptr::null_mut;
use std::sync::Arc;

/// An event with a time.
pub(crate) struct TimedEvent {
    spare: Arc<Spare>,
    /// The driver's event, as a number.
    event: usize,
}

/// Events with times that nobody needs at the moment: to make one takes the driver longer than to record it.
struct Spare {
    device: Device,
    events: Mutex<Vec<usize>>,
}

/// Most events to keep for later.
const SPARE_EVENTS: usize = 256;

fn raw(event: usize) -> CUevent {
    std::ptr::with_exposed_provenance_mut(event)
}

impl Spare {
    /// An event to record. The device's context must be current.
    fn take(&self) -> Result<usize> {
        if let Some(event) = self.events.lock().pop() {
            return Ok(event);
        }
        let mut event = null_mut();
        // The pointer is valid.
        call!(cuEventCreate(&raw mut event, CUevent_flags::CU_EVENT_DEFAULT as u32))?;
        Ok(event.expose_provenance())
    }

    fn destroy(&self, event: usize) {
        // Nobody refers to the event. An error leaves nothing to do.
        _ = self.device.enter().and_then(|_entered| call!(cuEventDestroy_v2(raw(event))));
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        for event in std::mem::take(self.events.get_mut()) {
            self.destroy(event);
        }
    }
}

impl TimedEvent {
    fn record_with(spare: &Arc<Spare>, stream: &Stream) -> Result<Self> {
        let _entered = spare.device.enter()?;
        let timed = Self { spare: spare.clone(), event: spare.take()? };
        // Both are alive.
        call!(cuEventRecord(raw(timed.event), stream.raw()))?;
        Ok(timed)
    }

    /// Nanoseconds from this event to another one, both reached.
    pub fn until(&self, other: &Self) -> Result<i64> {
        let _entered = self.spare.device.enter()?;
        let mut milliseconds = 0.0;
        // Both are alive, and the pointer is valid.
        call!(cuEventElapsedTime(&raw mut milliseconds, raw(self.event), raw(other.event)))?;
        Ok((f64::from(milliseconds) * 1e6) as i64)
    }
}

impl Drop for TimedEvent {
    fn drop(&mut self) {
        let mut events = self.spare.events.lock();
        if events.len() < SPARE_EVENTS {
            events.push(self.event);
        } else {
            drop(events);
            self.spare.destroy(self.event);
        }
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
    /// Compares the clocks now. The new value shares the events of a former one.
    pub fn new(device: Device, former: Option<&Self>) -> Result<Self> {
        let new = || Arc::new(Spare { device, events: Mutex::default() });
        let spare = former.map_or_else(new, |former| former.event.spare.clone());
        let stream = device.new_stream()?;
        let event = TimedEvent::record_with(&spare, &stream)?;
        stream.synchronize()?;
        Ok(Self { event, time: gxf::trace::now() })
    }

    /// Marks this point in the work of a stream of the device.
    pub fn record(&self, stream: &Stream) -> Result<TimedEvent> {
        TimedEvent::record_with(&self.event.spare, stream)
    }

    pub fn is_recent(&self) -> bool {
        gxf::trace::now() - self.time < RECENT
    }
}
