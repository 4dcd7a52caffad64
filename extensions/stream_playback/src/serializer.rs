//! `VideoStreamSerializer`.

use gxf::prelude::*;
use gxf::serialization::{is_log_time, read_entity, write_entity};
use gxf::{ComponentSerializer, Endpoint, MessageRef};
use std::sync::atomic::{AtomicU64, Ordering};

/// Messages to the entities of a recording and back, in GXF's layout. The time at which a frame was
/// recorded stands in the index of the recording and is not written into the entity a second time.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct VideoStreamSerializer {
    /// Serializers for what messages carry; for each payload the first one that supports it. What
    /// none supports is left out, with a warning the first time.
    component_serializers: Parameter<Vec<Handle<ComponentSerializer>>>,
    /// Number of the next entity written.
    written: AtomicU64,
    /// Number of the next entity read.
    read: AtomicU64,
    /// Payloads that were left out.
    skipped: AtomicU64,
}

impl Lifecycle for VideoStreamSerializer {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        if self.component_serializers.is_empty() {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "`component_serializers` is empty, so nothing can be read or written",
            ));
        }
        for counter in [&self.written, &self.read, &self.skipped] {
            counter.store(0, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl implement::EntitySerializer for VideoStreamSerializer {
    fn serialize(&self, message: MessageRef, endpoint: Endpoint) -> Result<u64> {
        let serializers = &self.component_serializers;
        let unsupported = message.payloads().find(|payload| {
            !is_log_time(&message, payload)
                && !serializers.iter().any(|serializer| serializer.is_supported(payload.tid))
        });
        if let Some(payload) = unsupported
            && self.skipped.fetch_add(1, Ordering::Relaxed) == 0
        {
            gxf::warning!(
                "payload `{}` of type {} is not recorded: no component serializer supports it",
                payload.name,
                payload.tid
            );
        }
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let written = write_entity(
            &message,
            serializers,
            number,
            |payload| !is_log_time(&message, payload),
            &endpoint,
        );
        if written.is_err() {
            self.written.fetch_sub(1, Ordering::Relaxed);
        }
        written
    }

    fn deserialize(&self, mut message: MessageRef, endpoint: Endpoint) -> Result<()> {
        let number = read_entity(&mut message, &self.component_serializers, &endpoint)?;
        let expected = self.read.swap(number.wrapping_add(1), Ordering::Relaxed);
        // Each pass through a recording begins at 0 again.
        if number != expected && number != 0 {
            gxf::debug!("entity {number} follows where entity {expected} was expected");
        }
        Ok(())
    }
}
