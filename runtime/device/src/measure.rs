//! How long work takes on a device, for a graph with statistics or a trace.
//!
//! Events with times stand before and behind the work. The device's clock is compared with the
//! host's once a second, and the host learns of the work once the device has done it. Where nobody
//! watches, this costs one call that looks at a flag.

use crate::completion::clock;
use crate::device::Device;
use crate::device_clock::{DeviceClock, TimedEvent};
use crate::stream::Stream;
use crate::watch::Watch;
use gxf::Result;
use gxf::abi::DeviceWork;
use std::sync::Arc;

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
            self.begin = Some(self.clock.record(stream)?);
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
        let end = clock.record(stream)?;
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
