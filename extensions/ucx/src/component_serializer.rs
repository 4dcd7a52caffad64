//! `UcxComponentSerializer`, and Holoscan's.

use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, EndOfStream, Endpoint, HandleTarget, PayloadSerializer, Tid};
use gxf_device::{Arrivals, DeviceAllocator, settle};
use gxf_message_recording::payloads::{Place, multimedia, standard};
use parking_lot::RwLock;
use std::sync::Arc;

/// Turns the standard payloads, video frames and sound into bytes and back. The memory of tensors
/// and frames is sent from where it lies, and received into memory of the allocator, without a copy.
/// Memory on a device goes by way of pinned host memory at both ends.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct UcxComponentSerializer {
    /// Allocator of the tensors and frames it reads.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
    arrivals: RwLock<Option<Arc<Arrivals>>>,
}

/// The same under the name that Holoscan's graphs use.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct UcxHoloscanComponentSerializer {
    /// Allocator of the tensors and frames it reads.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
    arrivals: RwLock<Option<Arc<Arrivals>>>,
}

/// The types of both.
pub const TYPES: [Tid; 2] = [UcxComponentSerializer::TID, UcxHoloscanComponentSerializer::TID];

fn write(payload: AnyPayload<'_>, endpoint: &Endpoint, arrivals: &Arrivals) -> Result<u64> {
    if let Some(end) = payload.get::<EndOfStream>() {
        endpoint.write_all(&end.stream_id.to_le_bytes())?;
        return Ok(8);
    }
    match standard::supports(payload.tid()) {
        true => standard::write(payload, endpoint, Place::Apart(arrivals)),
        false => multimedia::write(payload, endpoint, Place::Apart(arrivals)),
    }
}

fn read(
    mut payload: AnyPayloadMut<'_>,
    endpoint: &Endpoint,
    allocator: &Handle<Allocator>,
    arrivals: &Arrivals,
) -> Result<()> {
    if let Some(end) = payload.get::<EndOfStream>() {
        let mut bytes = [0; 8];
        endpoint.read_exact(&mut bytes)?;
        end.stream_id = i64::from_le_bytes(bytes);
        return Ok(());
    }
    match standard::supports(payload.tid()) {
        true => standard::read(payload, endpoint, allocator, Place::Apart(arrivals)),
        false => multimedia::read(payload, endpoint, allocator, Place::Apart(arrivals)),
    }
}

macro_rules! payload_serializer {
    ($($type:ty),*) => {$(
        impl $type {
            fn arrivals(&self) -> Result<Arc<Arrivals>> {
                self.arrivals.read().clone().ok_or_else(|| ResultCode::INVALID_LIFECYCLE_STAGE.into())
            }
        }

        impl Lifecycle for $type {
            fn initialize(&self, context: &ComponentContext) -> Result<()> {
                let allocator = DeviceAllocator::new(context, &self.allocator);
                *self.arrivals.write() = Some(Arc::new(Arrivals::new(allocator)));
                Ok(())
            }

            fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
                *self.arrivals.write() = None;
                // Copies to devices may be under way.
                settle();
                Ok(())
            }
        }

        impl PayloadSerializer for $type {
            fn supports(&self, tid: Tid) -> bool {
                tid == EndOfStream::TID || standard::supports(tid) || multimedia::supports(tid)
            }

            fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
                write(payload, endpoint, &*self.arrivals()?)
            }

            fn read(&self, payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()> {
                read(payload, endpoint, &self.allocator, &*self.arrivals()?)
            }
        }
    )*};
}

payload_serializer!(UcxComponentSerializer, UcxHoloscanComponentSerializer);
