//! Moments on the clock of a device, and how it compares with the host's.

use crate::device::Device;
use crate::error::call;
use crate::events::{Events, raw};
use crate::stream::Stream;
use cudarc::driver::sys::CUevent_flags;
use gxf::Result;
use std::sync::Arc;

/// An event with a time.
pub(crate) struct TimedEvent {
    /// Where it goes when nobody needs it any more.
    events: Arc<Events>,
    /// The driver's event, as a number.
    event: usize,
}

/// Most events to keep for later.
const KEPT_EVENTS: usize = 256;

impl TimedEvent {
    fn record(events: &Arc<Events>, stream: &Stream) -> Result<Self> {
        let _entered = events.device().enter()?;
        let timed = Self { events: events.clone(), event: events.take()? };
        // Both are alive.
        call!(cuEventRecord(raw(timed.event), stream.raw()))?;
        Ok(timed)
    }

    /// Nanoseconds from this event to another one, both reached.
    pub fn until(&self, other: &Self) -> Result<i64> {
        let _entered = self.events.device().enter()?;
        let mut milliseconds = 0.0;
        // Both are alive, and the pointer is valid.
        call!(cuEventElapsedTime(&raw mut milliseconds, raw(self.event), raw(other.event)))?;
        Ok((f64::from(milliseconds) * 1e6) as i64)
    }
}

impl Drop for TimedEvent {
    fn drop(&mut self) {
        self.events.give_back(self.event);
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
        let new = || Events::new(device, CUevent_flags::CU_EVENT_DEFAULT, KEPT_EVENTS);
        let events = former.map_or_else(|| Arc::new(new()), |former| former.event.events.clone());
        let stream = device.new_stream()?;
        let event = TimedEvent::record(&events, &stream)?;
        stream.synchronize()?;
        Ok(Self { event, time: gxf::trace::now() })
    }

    /// Marks this point in the work of a stream of the device.
    pub fn record(&self, stream: &Stream) -> Result<TimedEvent> {
        TimedEvent::record(&self.event.events, stream)
    }

    pub fn is_recent(&self) -> bool {
        gxf::trace::now() - self.time < RECENT
    }
}
