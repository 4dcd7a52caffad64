//! `StdEntitySerializer`.

use gxf::prelude::*;
use gxf::serialization::is_from_index;
use gxf::{ComponentSerializer, Endpoint, MessageRef};
use gxf_message_recording::Entities;

/// Turns messages into bytes and back, in GXF's layout. Writing skips payloads that no component
/// serializer supports, with a warning the first time; reading one is an error, because its end is
/// unknown.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct StdEntitySerializer {
    /// Serializers of payloads; the first one that supports a type serves it.
    #[parameter(headline = "Component serializers")]
    component_serializers: Parameter<Vec<Handle<ComponentSerializer>>>,
    /// Warns of skipped payloads and of gaps in the sequence numbers.
    #[parameter(headline = "Verbose warning", default = true)]
    verbose_warning: Parameter<bool>,
    entities: Entities,
}

impl Lifecycle for StdEntitySerializer {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.entities.reset();
        self.entities.await_data(Some(context.handle()));
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.entities.await_data(None);
        Ok(())
    }
}

impl implement::EntitySerializer for StdEntitySerializer {
    fn serialize(&self, message: MessageRef, endpoint: Endpoint) -> Result<u64> {
        let serializers = &self.component_serializers;
        // A replayer adds the log time for the index; it is not part of the message.
        let wanted = |payload: &gxf::PayloadInfo| !is_from_index(&message, payload);
        self.entities.write(&message, serializers, wanted, &endpoint, *self.verbose_warning)
    }

    fn deserialize(&self, mut message: MessageRef, endpoint: Endpoint) -> Result<()> {
        let serializers = &self.component_serializers;
        let (number, expected) = self.entities.read(&mut message, serializers, &endpoint)?;
        if let Some(expected) = expected.filter(|_| *self.verbose_warning) {
            gxf::warning!("entity {number} follows where entity {expected} was expected");
        }
        Ok(())
    }
}
