//! The driver's streams with their events.

use crate::device::Device;
use crate::error::call;
use crate::events::Events;
use cudarc::driver::sys::{CUevent_flags, CUstream};
use gxf::{CudaStream, Handle, Result};
use parking_lot::Mutex;
use std::any::Any;
use std::sync::atomic::AtomicU64;

/// Who ends a stream of the driver.
pub(crate) enum Owner {
    /// This value. The stream may be one of a part of the device, which lives as long.
    Own { part: Option<Box<dyn Any + Send + Sync>> },
    /// A component, which keeps it alive.
    Component { _component: Handle<CudaStream> },
    /// Somebody else, at any time after the last call with it.
    Stranger,
}

/// A stream of the driver, and its events.
pub(crate) struct Queue {
    device: Device,
    /// The driver's stream, as a number: an identifier for the driver.
    stream: usize,
    /// Those of fences. They end before a part of the device does.
    pub events: Events,
    owner: Owner,
    /// Numbers of fences.
    pub orders: Orders,
    /// Waits for other streams, for whoever measures the work behind them.
    pub waits: AtomicU64,
}

/// Numbers of the fences of a queue.
#[derive(Default)]
pub(crate) struct Orders(Mutex<u64>);

impl Orders {
    /// A number that no other fence has.
    pub fn next(&self) -> u64 {
        let mut latest = self.0.lock();
        *latest += 1;
        *latest
    }

    /// The same once an event is recorded: of two events, the one with the larger number was recorded
    /// later.
    pub fn next_after(&self, record: impl FnOnce() -> Result<()>) -> Result<u64> {
        let mut latest = self.0.lock();
        record()?;
        *latest += 1;
        Ok(*latest)
    }
}

/// Most events to keep for the next fences.
const KEPT_EVENTS: usize = 64;

impl Queue {
    pub fn new(device: Device, stream: usize, owner: Owner) -> Self {
        let (orders, waits) = (Orders::default(), AtomicU64::new(0));
        let events = Events::new(device, CUevent_flags::CU_EVENT_DISABLE_TIMING, KEPT_EVENTS);
        Self { device, stream, events, owner, orders, waits }
    }

    pub fn raw(&self) -> CUstream {
        std::ptr::with_exposed_provenance_mut(self.stream)
    }

    pub fn address(&self) -> usize {
        self.stream
    }

    pub fn device(&self) -> Device {
        self.device
    }

    /// Whether no other stream gets this address while this value exists.
    pub fn keeps_address(&self) -> bool {
        !matches!(self.owner, Owner::Stranger)
    }

    /// Whether the stream is that of a component, so that messages may name it.
    pub fn is_of_component(&self) -> bool {
        matches!(self.owner, Owner::Component { .. })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let stream = self.raw();
        if let Owner::Own { part } = &mut self.owner {
            // The driver needs no context for what it finds by its handle, if it refuses that.
            let _entered = self.device.enter();
            // Nothing refers to the stream any more; its work goes on.
            if call!(cuStreamDestroy_v2(stream)).is_err() {
                // A part of the device must not end before its streams: it ends with the process.
                std::mem::forget(part.take());
            }
        }
    }
}
