//! `MultimediaComponentSerializer`.

use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, Endpoint, PayloadSerializer, Tid};
use gxf_device::Staging;
use gxf_message_recording::payloads::{Place, multimedia};

/// Turns video frames, sound, cameras and poses into bytes and back; one of the
/// `component_serializers` of an entity serializer.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MultimediaComponentSerializer {
    /// Allocator of the payloads it reads.
    allocator: Parameter<Handle<Allocator>>,
    /// Host memory for what lies on a device.
    staging: Staging,
}

impl Lifecycle for MultimediaComponentSerializer {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.staging.clear();
        Ok(())
    }
}

impl PayloadSerializer for MultimediaComponentSerializer {
    fn supports(&self, tid: Tid) -> bool {
        multimedia::supports(tid)
    }

    fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
        multimedia::write(payload, endpoint, Place::Inline(&self.staging))
    }

    fn read(&self, payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()> {
        multimedia::read(payload, endpoint, &self.allocator, Place::Inline(&self.staging))
    }
}
