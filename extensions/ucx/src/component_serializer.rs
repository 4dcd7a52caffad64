//! `UcxComponentSerializer`, and Holoscan's.

use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, EndOfStream, Endpoint, PayloadSerializer, Tid};
use gxf_message_recording::payloads::{Place, multimedia, standard};

/// Turns the standard payloads, video frames and sound into bytes and back. The memory of tensors
/// and frames is sent from where it lies, and received into memory of the allocator, without a copy.
#[derive(Component, Default)]
pub struct UcxComponentSerializer {
    /// Allocator of the tensors and frames it reads.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
}

/// The same under the name that Holoscan's graphs use.
#[derive(Component, Default)]
pub struct UcxHoloscanComponentSerializer {
    /// Allocator of the tensors and frames it reads.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
}

fn write(payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
    if let Some(end) = payload.get::<EndOfStream>() {
        endpoint.write_all(&end.stream_id.to_le_bytes())?;
        return Ok(8);
    }
    match standard::supports(payload.tid()) {
        true => standard::write(payload, endpoint, Place::Apart),
        false => multimedia::write(payload, endpoint, Place::Apart),
    }
}

fn read(
    mut payload: AnyPayloadMut<'_>,
    endpoint: &Endpoint,
    allocator: &Handle<Allocator>,
) -> Result<()> {
    if let Some(end) = payload.get::<EndOfStream>() {
        let mut bytes = [0; 8];
        endpoint.read_exact(&mut bytes)?;
        end.stream_id = i64::from_le_bytes(bytes);
        return Ok(());
    }
    match standard::supports(payload.tid()) {
        true => standard::read(payload, endpoint, allocator, Place::Apart),
        false => multimedia::read(payload, endpoint, allocator, Place::Apart),
    }
}

macro_rules! payload_serializer {
    ($($type:ty),*) => {$(
        impl PayloadSerializer for $type {
            fn supports(&self, tid: Tid) -> bool {
                tid == EndOfStream::TID || standard::supports(tid) || multimedia::supports(tid)
            }

            fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
                write(payload, endpoint)
            }

            fn read(&self, payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()> {
                read(payload, endpoint, &self.allocator)
            }
        }
    )*};
}

payload_serializer!(UcxComponentSerializer, UcxHoloscanComponentSerializer);
