//! `StdComponentSerializer`.

use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, Endpoint, PayloadSerializer, Tid};
use gxf_device::Staging;
use gxf_message_recording::payloads::{Place, standard};

/// Turns the standard payloads into bytes and back, in GXF's layout: tensors, timestamps, numbers
/// and truth values, all little endian.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct StdComponentSerializer {
    /// Allocator of the tensors it reads.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
    /// Host memory for what lies on a device.
    staging: Staging,
}

impl Lifecycle for StdComponentSerializer {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.staging.clear();
        Ok(())
    }
}

impl PayloadSerializer for StdComponentSerializer {
    fn supports(&self, tid: Tid) -> bool {
        standard::supports(tid)
    }

    fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
        standard::write(payload, endpoint, Place::Inline(&self.staging))
    }

    fn read(&self, payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()> {
        standard::read(payload, endpoint, &self.allocator, Place::Inline(&self.staging))
    }
}
