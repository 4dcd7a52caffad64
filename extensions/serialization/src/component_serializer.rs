//! `StdComponentSerializer`.

use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, Endpoint, PayloadSerializer, Tid};
use gxf_message_recording::payloads::{Place, standard};

/// Turns the standard payloads into bytes and back, in GXF's layout: tensors, timestamps, numbers
/// and truth values, all little endian.
#[derive(Component, Default)]
pub struct StdComponentSerializer {
    /// Allocator of the tensors it reads.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
}

impl PayloadSerializer for StdComponentSerializer {
    fn supports(&self, tid: Tid) -> bool {
        standard::supports(tid)
    }

    fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
        standard::write(payload, endpoint, Place::Inline)
    }

    fn read(&self, payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()> {
        standard::read(payload, endpoint, &self.allocator, Place::Inline)
    }
}
