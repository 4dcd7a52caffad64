//! What an id refers to. GXF has one kind of entity. Here, entities of the graph and messages are
//! two kinds, and one id may refer to both: an entity that gets a payload becomes a message as
//! well, and a message that gets a component becomes an entity as well.

use gxf_app::error::{Error, Result};
use gxf_engine::graph::store::Entity;
use gxf_plugin::message::by_id::{HeldMessage, PayloadInfo};
use gxf_plugin_abi::{ResultCode, Uid};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The ids that refer to both an entity and a message.
#[derive(Default)]
pub(crate) struct IdAliases {
    /// By entity: the message with its payloads.
    pub messages: FxHashMap<Uid, HeldMessage>,
    /// By message: the entity with its components.
    pub entities: FxHashMap<Uid, Uid>,
}

/// What an id refers to: at least one of the two.
pub(crate) struct Object {
    pub entity: Option<Arc<Entity>>,
    pub message: Option<HeldMessage>,
    /// Whether the id is that of a message.
    pub is_message: bool,
}

impl Object {
    /// References to the message that belong to the holder of the id.
    pub fn own_references(&self) -> u32 {
        let known = self.is_message && self.entity.is_some();
        1 + u32::from(known)
    }

    /// The payloads of the message, if there is one.
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
        ResultCode::CONTRACT_INVALID_SEQUENCE => "a shared message cannot be changed",
        ResultCode::FACTORY_UNKNOWN_TID => "no loaded extension registers such a payload type",
        _ => "the message cannot be changed",
    };
    Error::new(code, text)
}

pub(crate) fn no_object(id: Uid) -> Error {
    Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity with id {id}"))
}
