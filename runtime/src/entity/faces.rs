//! What an id stands for. GXF has one kind of entity; here an entity of the graph and a message are
//! two, and an id of one may get the face of the other: an entity that is given a payload becomes a
//! message as well, and a message that is given a component becomes an entity.

use crate::context::Inner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::message::by_id::{HeldMessage, PayloadInfo, is_message_id};
use gxf_plugin_abi::{ResultCode, Tid, Uid};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The ids with two faces.
#[derive(Default)]
pub(crate) struct Faces {
    /// By entity: the message with its payloads.
    messages: FxHashMap<Uid, HeldMessage>,
    /// By message: the entity with its components.
    entities: FxHashMap<Uid, Uid>,
}

/// What an id stands for; one of the two is there.
pub(crate) struct Object {
    pub entity: Option<Arc<Entity>>,
    pub message: Option<HeldMessage>,
    /// Whether the id is that of a message.
    pub is_message: bool,
}

impl Object {
    /// References of the message that belong to whoever knows the id.
    fn own_references(&self) -> u32 {
        let known = self.is_message && self.entity.is_some();
        1 + u32::from(known)
    }

    /// The entity and, if that is what it is too, the message, under one name.
    pub fn payloads(&self) -> impl Iterator<Item = PayloadInfo> {
        let message = self.message.as_ref();
        let count = message.map_or(0, HeldMessage::len);
        (0..count).filter_map(move |position| message?.payload(position))
    }

    /// Removes the payload at a position.
    pub fn remove_payload(&self, position: usize) -> Result<()> {
        let message = self.message.as_ref().ok_or_else(|| no_object(0))?;
        message.remove(position, self.own_references()).map_err(payload_error)
    }

    /// Gives the payload at a position another name.
    pub fn rename_payload(&self, position: usize, name: &str) -> Result<()> {
        let message = self.message.as_ref().ok_or_else(|| no_object(0))?;
        message.rename(position, name, self.own_references()).map_err(payload_error)
    }
}

pub(crate) fn payload_error(code: ResultCode) -> Error {
    let text = match code {
        ResultCode::CONTRACT_INVALID_SEQUENCE => {
            "a message that others hold as well cannot be changed"
        }
        ResultCode::FACTORY_UNKNOWN_TID => "no loaded extension registers such a payload type",
        _ => "the message cannot be changed",
    };
    Error::new(code, text)
}

fn no_object(id: Uid) -> Error {
    Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity with id {id}"))
}

impl Inner {
    /// What an id stands for.
    pub fn object(&self, id: Uid) -> Result<Object> {
        let faces = self.faces.read();
        if is_message_id(id) {
            let message = HeldMessage::find(id).ok_or_else(|| no_object(id))?;
            let entity = faces.entities.get(&id).and_then(|eid| self.entity(*eid).ok());
            return Ok(Object { entity, message: Some(message), is_message: true });
        }
        let entity = self.entity(id)?;
        let message = faces.messages.get(&id).and_then(|message| HeldMessage::find(message.id()));
        Ok(Object { entity: Some(entity), message, is_message: false })
    }

    /// The message an entity is as well.
    pub fn message_of_entity(&self, eid: Uid) -> Option<HeldMessage> {
        let faces = self.faces.read();
        faces.messages.get(&eid).and_then(|message| HeldMessage::find(message.id()))
    }

    /// Adds a payload to what an id stands for.
    pub fn add_payload(&self, id: Uid, tid: Tid, name: &str) -> Result<PayloadInfo> {
        let mut object = self.object(id)?;
        if object.message.is_none() {
            let mut faces = self.faces.write();
            // Somebody else may have been faster.
            if let Entry::Vacant(place) = faces.messages.entry(id) {
                place.insert(HeldMessage::new().map_err(payload_error)?);
            }
            drop(faces);
            object = self.object(id)?;
        }
        let message = object.message.as_ref().ok_or_else(|| no_object(id))?;
        message.add(tid, name, object.own_references()).map_err(payload_error)
    }

    /// The entity an id stands for; a message becomes one.
    pub fn entity_face(&self, id: Uid) -> Result<Arc<Entity>> {
        let object = self.object(id)?;
        if let Some(entity) = object.entity {
            return Ok(entity);
        }
        let message = object.message.ok_or_else(|| no_object(id))?;
        let mut faces = self.faces.write();
        if let Some(eid) = faces.entities.get(&id) {
            return self.entity(*eid);
        }
        let entity = self.create_entity_of("", false)?;
        faces.entities.insert(id, entity.eid());
        faces.messages.insert(entity.eid(), message);
        Ok(entity)
    }

    /// Whether the id is that of a message that became an entity and has no other users left.
    pub fn is_abandoned(&self, object: &Object) -> bool {
        let held_here = 1;
        object.is_message
            && object.entity.is_some()
            && object.message.as_ref().is_some_and(|message| message.users() == held_here)
    }

    /// Forgets the other face of an entity that is gone.
    pub fn drop_faces(&self, eid: Uid) {
        let message = {
            let mut faces = self.faces.write();
            let message = faces.messages.remove(&eid);
            faces.entities.retain(|_, known| *known != eid);
            message
        };
        // Outside of the lock: destroying payloads runs code of extensions.
        if let Some(message) = message {
            // A creator's reference that nobody claimed goes with the entity.
            let _ = message.discard();
        }
    }
}
