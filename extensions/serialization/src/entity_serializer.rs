//! `StdEntitySerializer`.

use gxf::prelude::*;
use gxf::serialization::{is_from_index, read_entity, write_entity};
use gxf::{ComponentSerializer, Endpoint, MessageRef};
use std::sync::atomic::{AtomicU64, Ordering};

/// Turns messages into bytes and back, in GXF's layout. Payloads no component serializer supports
/// are left out of what is written, with a warning the first time; an unknown one in what is read
/// is an error, since nobody knows where it ends.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct StdEntitySerializer {
    /// Serializers of payloads; the first that supports a type is used.
    #[parameter(headline = "Component serializers")]
    component_serializers: Parameter<Vec<Handle<ComponentSerializer>>>,
    /// Whether payloads that are left out, and numbers that do not follow each other, are told as
    /// warnings.
    #[parameter(headline = "Verbose warning", default = true)]
    verbose_warning: Parameter<bool>,
    written: AtomicU64,
    next_number: AtomicU64,
    left_out: AtomicU64,
}

impl StdEntitySerializer {
    /// Says once which payload is left out, and why.
    fn tell_left_out(&self, message: &Message) {
        let unsupported = message.payloads().find(|payload| {
            let serializers = &self.component_serializers;
            !is_from_index(message, payload)
                && !serializers.iter().any(|serializer| serializer.is_supported(payload.tid))
        });
        if let Some(payload) = unsupported
            && self.left_out.fetch_add(1, Ordering::Relaxed) == 0
            && *self.verbose_warning
        {
            gxf::warning!(
                "payload `{}` of type {} is left out: no component serializer supports it",
                payload.name,
                payload.tid
            );
        }
    }
}

impl Lifecycle for StdEntitySerializer {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        for counter in [&self.written, &self.next_number, &self.left_out] {
            counter.store(0, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl implement::EntitySerializer for StdEntitySerializer {
    fn serialize(&self, message: MessageRef, endpoint: Endpoint) -> Result<u64> {
        self.tell_left_out(&message);
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let serializers = &self.component_serializers;
        // What a replayer added for the index is no part of the message.
        let wanted = |payload: &gxf::PayloadInfo| !is_from_index(&message, payload);
        let written = write_entity(&message, serializers, number, wanted, &endpoint);
        if written.is_err() {
            self.written.fetch_sub(1, Ordering::Relaxed);
        }
        written
    }

    fn deserialize(&self, mut message: MessageRef, endpoint: Endpoint) -> Result<()> {
        let number = read_entity(&mut message, &self.component_serializers, &endpoint)?;
        let expected = self.next_number.swap(number.wrapping_add(1), Ordering::Relaxed);
        if number != expected && *self.verbose_warning {
            gxf::warning!("entity {number} follows where entity {expected} was expected");
        }
        Ok(())
    }
}
