//! `UcxEntitySerializer`.

use crate::component_serializer;
use gxf::abi::tids;
use gxf::prelude::*;
use gxf::serialization::{Layout, Pattern, append_entity, parse_entity};
use gxf::{
    ComponentSerializer, ContextHandle, Endpoint, EntitySerializer, HandleTarget, Message,
    MessageRef, Tid,
};
use gxf_message_recording::Entities;
use gxf_message_recording::payloads::standard::fixed;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Whether all its component serializers are of this library, so that it knows without asking how
    /// they write small payloads.
    knows_payloads: AtomicBool,
}

impl Default for UcxEntitySerializer {
    fn default() -> Self {
        Self {
            component_serializers: Parameter::default(),
            verbose_warning: Parameter::default(),
            entities: Entities::new(Layout::Ucx),
            knows_payloads: AtomicBool::default(),
        }
    }
}

impl Lifecycle for UcxEntitySerializer {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.entities.reset();
        let mut knows = !self.component_serializers.is_empty();
        for serializer in self.component_serializers.iter() {
            knows &= component_serializer::TYPES.contains(&context.type_of(serializer.cid())?);
        }
        self.knows_payloads.store(knows, Ordering::Relaxed);
        Ok(())
    }
}

/// The entity serializer of a network context, of this library or of another.
#[derive(Clone)]
pub struct MessageSerializer {
    any: Handle<EntitySerializer>,
    /// The same, if it is of this library: small payloads then take a shorter way.
    own: Option<Handle<UcxEntitySerializer>>,
}

impl MessageSerializer {
    pub fn new(context: &ComponentContext, any: &Handle<EntitySerializer>) -> Result<Self> {
        let is_own = context.type_of(any.cid())? == UcxEntitySerializer::TID;
        let own = is_own.then(|| Handle::resolve(context, any.cid())).transpose()?;
        Ok(Self { any: any.clone(), own })
    }

    /// Its interface.
    pub fn any(&self) -> &Handle<EntitySerializer> {
        &self.any
    }

    /// Whether it is of this library.
    pub fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Appends a message of small payloads to bytes, in the shorter layout; false if its interface must
    /// do it, such as one that says that a device may still work on it. `pattern` is that of the message
    /// before.
    pub fn append(
        &self,
        message: &Message,
        sequence: u64,
        pattern: &mut Pattern,
        bytes: &mut Vec<u8>,
    ) -> Result<bool> {
        // Other component serializers may have their own ways to write a payload.
        match &self.own {
            Some(own) if own.knows_payloads.load(Ordering::Relaxed) => {
                append_entity(Layout::Std, message, sequence, fixed, pattern, bytes)
            }
            _ => Ok(false),
        }
    }
}

/// Reads a message of small payloads that [`MessageSerializer::append`] wrote; `None` if there is none.
/// Payloads of fixed size have the same bytes from every serializer, so none of this end is asked.
pub fn parse_small(context: &ContextHandle, bytes: &[u8]) -> Result<Option<Message>> {
    let mut message = context.new_message()?;
    Ok(parse_entity(Layout::Std, &mut message, fixed, bytes)?.map(|_| message))
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
