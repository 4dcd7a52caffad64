//! `VideoStreamSerializer`.

use gxf::prelude::*;
use gxf::serialization::is_from_index;
use gxf::{ComponentSerializer, Endpoint, MessageRef};
use gxf_message_recording::Entities;

/// Turns messages into the entities of a recording and back, in GXF's layout. The index of the
/// recording has the log time of a frame, so the entity does not repeat it.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct VideoStreamSerializer {
    /// Serializers of payloads; the first one that supports a type serves it. Payloads that none
    /// supports are skipped, with a warning the first time.
    component_serializers: Parameter<Vec<Handle<ComponentSerializer>>>,
    entities: Entities,
}

impl Lifecycle for VideoStreamSerializer {
    fn check_parameters(&self) -> Result<()> {
        if self.component_serializers.is_empty() {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "`component_serializers` is empty, so nothing can be read or written",
            ));
        }
        Ok(())
    }

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

impl implement::EntitySerializer for VideoStreamSerializer {
    fn serialize(&self, message: MessageRef, endpoint: Endpoint) -> Result<u64> {
        let wanted = |payload: &gxf::PayloadInfo| !is_from_index(&message, payload);
        self.entities.write(&message, &self.component_serializers, wanted, &endpoint, true)
    }

    fn deserialize(&self, mut message: MessageRef, endpoint: Endpoint) -> Result<()> {
        let serializers = &self.component_serializers;
        let (number, expected) = self.entities.read(&mut message, serializers, &endpoint)?;
        // Each pass through a recording starts at 0 again.
        if let Some(expected) = expected.filter(|_| number != 0) {
            gxf::debug!("entity {number} follows where entity {expected} was expected");
        }
        Ok(())
    }
}
