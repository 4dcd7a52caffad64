//! `UcxEntitySerializer`.

use gxf::abi::tids;
use gxf::prelude::*;
use gxf::serialization::Layout;
use gxf::{ComponentSerializer, Endpoint, MessageRef, Tid};
use gxf_message_recording::Entities;

/// What says when data on a device is valid, and means nothing elsewhere. What is sent is valid.
const OF_DEVICES: [Tid; 4] =
    [tids::CUDA_FENCE, tids::CUDA_STREAM_ID, tids::CUDA_EVENT, tids::STREAM_SYNC_ID];

/// Turns messages into bytes and back, in the layout of GXF's links. Writing skips payloads that no
/// component serializer supports, with a warning the first time; reading one is an error, because
/// its end is unknown.
#[derive(Component)]
#[component(lifecycle)]
pub struct UcxEntitySerializer {
    /// Serializers of payloads; the first one that supports a type serves it.
    #[parameter(headline = "Component serializers")]
    component_serializers: Parameter<Vec<Handle<ComponentSerializer>>>,
    /// Warns of skipped payloads.
    #[parameter(headline = "Verbose warning", default = true)]
    verbose_warning: Parameter<bool>,
    entities: Entities,
}

impl Default for UcxEntitySerializer {
    fn default() -> Self {
        Self {
            component_serializers: Parameter::default(),
            verbose_warning: Parameter::default(),
            entities: Entities::new(Layout::Ucx),
        }
    }
}

impl Lifecycle for UcxEntitySerializer {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.entities.reset();
        Ok(())
    }
}

impl implement::EntitySerializer for UcxEntitySerializer {
    fn serialize(&self, message: MessageRef, endpoint: Endpoint) -> Result<u64> {
        let serializers = &self.component_serializers;
        let warns = *self.verbose_warning;
        let wanted = |payload: &gxf::PayloadInfo| !OF_DEVICES.contains(&payload.tid);
        self.entities.write(&message, serializers, wanted, &endpoint, warns)
    }

    fn deserialize(&self, mut message: MessageRef, endpoint: Endpoint) -> Result<()> {
        // One serializer may read for several links, so its numbers have gaps; the links have their
        // own.
        self.entities.read(&mut message, &self.component_serializers, &endpoint).map(drop)
    }
}
