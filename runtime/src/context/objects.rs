//! What an id refers to: an entity, a message, or both.

use crate::id_aliases::{Object, no_object, payload_error};
use crate::inner::Inner;
use gxf_app::error::Result;
use gxf_engine::graph::store::Entity;
use gxf_plugin::message::by_id::{HeldMessage, PayloadInfo, is_message_id};
use gxf_plugin_abi::{Tid, Uid};
use std::collections::hash_map::Entry;
use std::sync::Arc;

impl Inner {
    /// What an id refers to.
    pub fn object(&self, id: Uid) -> Result<Object> {
        let id_aliases = self.id_aliases.read();
        if is_message_id(id) {
            let message = HeldMessage::find(id).ok_or_else(|| no_object(id))?;
            let entity = id_aliases.entities.get(&id).and_then(|eid| self.graph.entity(*eid).ok());
            return Ok(Object { entity, message: Some(message), is_message: true });
        }
        let entity = self.graph.entity(id)?;
        let message =
            id_aliases.messages.get(&id).and_then(|message| HeldMessage::find(message.id()));
        Ok(Object { entity: Some(entity), message, is_message: false })
    }

    /// Whether an id refers to a message only.
    pub fn is_mere_message(&self, id: Uid) -> Result<bool> {
        self.object(id).map(|object| object.is_message && object.entity.is_none())
    }

    /// The message with the same id as an entity.
    pub fn message_of_entity(&self, eid: Uid) -> Option<HeldMessage> {
        let id_aliases = self.id_aliases.read();
        id_aliases.messages.get(&eid).and_then(|message| HeldMessage::find(message.id()))
    }

    /// Adds a payload to the entity or message with this id.
    pub fn add_payload(&self, id: Uid, tid: Tid, name: &str) -> Result<PayloadInfo> {
        let mut object = self.object(id)?;
        if object.message.is_none() {
            let mut id_aliases = self.id_aliases.write();
            // Another thread may have been faster.
            if let Entry::Vacant(place) = id_aliases.messages.entry(id) {
                place.insert(HeldMessage::new().map_err(payload_error)?);
            }
            drop(id_aliases);
            object = self.object(id)?;
        }
        let message = object.message.as_ref().ok_or_else(|| no_object(id))?;
        message.add(tid, name, object.own_references()).map_err(payload_error)
    }

    /// The entity with this id; creates one for a message.
    pub fn entity_for(&self, id: Uid) -> Result<Arc<Entity>> {
        let object = self.object(id)?;
        if let Some(entity) = object.entity {
            return Ok(entity);
        }
        let message = object.message.ok_or_else(|| no_object(id))?;
        let mut id_aliases = self.id_aliases.write();
        if let Some(eid) = id_aliases.entities.get(&id) {
            return self.graph.entity(*eid);
        }
        let entity = self.create_entity_of("", false)?;
        id_aliases.entities.insert(id, entity.eid());
        id_aliases.messages.insert(entity.eid(), message);
        Ok(entity)
    }

    /// Whether the id belongs to a message that became an entity and has no other users left.
    pub fn is_abandoned(&self, object: &Object) -> bool {
        let held_here = 1;
        object.is_message
            && object.entity.is_some()
            && object.message.as_ref().is_some_and(|message| message.users() == held_here)
    }

    /// Removes the message or entity that also belongs to a removed one.
    pub fn drop_id_aliases(&self, eid: Uid) {
        let message = {
            let mut id_aliases = self.id_aliases.write();
            let message = id_aliases.messages.remove(&eid);
            id_aliases.entities.retain(|_, known| *known != eid);
            message
        };
        // Outside the lock, because destroying payloads runs code of extensions.
        if let Some(message) = message {
            // An unclaimed creator's reference ends with the entity.
            let _ = message.discard();
        }
    }
}
