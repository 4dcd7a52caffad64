//! How long work takes on a device, for a graph with statistics or a trace.
//!
//! Events with times stand before and behind the work. The device's clock is compared with the
//! host's once a second, and the host learns of the work once the device has done it. Where nobody
//! watches, this costs one call that looks at a flag.

use crate::completion::clock;
use crate::device::Device;
use crate::error::call;
use crate::stream::Stream;
use cudarc::driver::sys::{CUevent, CUevent_flags};
use gxf::Result;
use gxf::abi::{DeviceWork, DeviceWorkTable, tids};
use gxf::host::host;
use std::ffi::c_void;
use std::ptr::{NonNull, null, null_mut};
use std::sync::{Arc, OnceLock};

/// The host's table; `None` if the host is older than ABI 1.9.
fn table() -> Option<&'static DeviceWorkTable> {
    static TABLE: OnceLock<Option<&DeviceWorkTable>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        // SAFETY: the host's table with this id is a `DeviceWorkTable` that lives as long as the
        // process.
        unsafe { (host().host_interface)(tids::DEVICE_WORK).cast::<DeviceWorkTable>().as_ref() }
    })
}

/// Whether the graph that this thread executes waits for the device after each piece of work.
pub(crate) fn is_synchronous() -> bool {
    // SAFETY: the function may be called at any time.
    table().is_some_and(|table| unsafe { (table.is_synchronous)() })
}

/// What a graph waits to hear about a piece of work.
struct Watch(NonNull<c_void>);

// SAFETY: the ABI lets any thread end it.
unsafe impl Send for Watch {}

impl Watch {
    /// `None` if nobody watches.
    fn of_this_thread() -> Option<Self> {
        // SAFETY: the function may be called at any time.
        NonNull::new(unsafe { (table()?.begin)() }).map(Self)
    }

    fn end(self, work: *const DeviceWork) {
        if let Some(table) = table() {
            // SAFETY: it began, and ends once: `self` is forgotten. `work` is null or valid.
            unsafe { (table.end)(self.0.as_ptr(), work) };
        }
        std::mem::forget(self);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        Self(self.0).end(null());
    }
}

/// An event with a time.
struct TimedEvent {
    device: Device,
    /// The driver's event, as a number.
    event: usize,
}

impl TimedEvent {
    /// Marks this point in the work of a stream.
    fn record(stream: &Stream) -> Result<Self> {
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
    fn until(&self, other: &Self) -> Result<i64> {
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
    event: TimedEvent,
    /// Nanoseconds of the trace's time.
    time: i64,
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

/// Where a copy leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    ToDevice,
    ToHost,
    /// From device memory to device memory, or from host memory to host memory.
    Between,
}

/// A piece of work that is being enqueued, and that a graph watches.
pub(crate) struct Measured {
    watch: Watch,
    clock: Arc<DeviceClock>,
    /// Before the first operation.
    begin: Option<TimedEvent>,
    to_device: u64,
    to_host: u64,
    between: u64,
}

impl Measured {
    /// `None` if nobody watches.
    pub fn new(device: Device) -> Result<Option<Self>> {
        let Some(watch) = Watch::of_this_thread() else { return Ok(None) };
        let clock = clock(device)?;
        Ok(Some(Self { watch, clock, begin: None, to_device: 0, to_host: 0, between: 0 }))
    }

    /// An operation follows on the stream.
    pub fn operates(&mut self, stream: &Stream, copied: Option<(Direction, u64)>) -> Result<()> {
        if self.begin.is_none() {
            self.begin = Some(TimedEvent::record(stream)?);
        }
        match copied {
            Some((Direction::ToDevice, bytes)) => self.to_device += bytes,
            Some((Direction::ToHost, bytes)) => self.to_host += bytes,
            Some((Direction::Between, bytes)) => self.between += bytes,
            None => {}
        }
        Ok(())
    }

    /// Ends the work. The result reports it, once the device has done it; `None` if there was no
    /// operation.
    pub fn end(self, stream: &Stream) -> Result<Option<Box<dyn FnOnce() + Send>>> {
        let Self { watch, clock, begin, to_device, to_host, between } = self;
        let Some(begin) = begin else { return Ok(None) };
        let end = TimedEvent::record(stream)?;
        let mut work = DeviceWork {
            stream: stream.number()?.unwrap_or(stream.raw().addr() as u64),
            device: stream.device().ordinal(),
            reserved: 0,
            begin: 0,
            end: 0,
            waits: stream.take_waits(),
            to_device,
            to_host,
            between,
        };
        Ok(Some(Box::new(move || {
            // A device that failed has no times; the failure is reported elsewhere.
            let Ok((before, took)) =
                clock.event.until(&begin).and_then(|before| Ok((before, begin.until(&end)?)))
            else {
                return;
            };
            work.begin = clock.time + before;
            work.end = work.begin + took.max(0);
            watch.end(&raw const work);
        })))
    }
}
