//! `VideoStreamSerializer`.

use gxf::prelude::*;
use gxf::serialization::is_log_time;
use gxf::{ComponentSerializer, Endpoint, MessageRef};
use gxf_message_recording::Entities;

/// Messages to the entities of a recording and back, in GXF's layout. The time at which a frame was
/// recorded stands in the index of the recording and is not written into the entity a second time.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct VideoStreamSerializer {
    /// Serializers for what messages carry; for each payload the first one that supports it. What
    /// none supports is left out, with a warning the first time.
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

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.entities.reset();
        Ok(())
    }
}

impl implement::EntitySerializer for VideoStreamSerializer {
    fn serialize(&self, message: MessageRef, endpoint: Endpoint) -> Result<u64> {
        let wanted = |payload: &gxf::PayloadInfo| !is_log_time(&message, payload);
        self.entities.write(&message, &self.component_serializers, wanted, &endpoint, true)
    }

    fn deserialize(&self, mut message: MessageRef, endpoint: Endpoint) -> Result<()> {
        let serializers = &self.component_serializers;
        let (number, expected) = self.entities.read(&mut message, serializers, &endpoint)?;
        // Each pass through a recording begins at 0 again.
        if let Some(expected) = expected.filter(|_| number != 0) {
            gxf::debug!("entity {number} follows where entity {expected} was expected");
        }
        Ok(())
    }
}
