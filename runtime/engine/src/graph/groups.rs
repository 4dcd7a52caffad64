//! Groups of entities. Each entity is in exactly one. The resources in a group, such as a pool of
//! threads or a device, serve all its entities.

use crate::graph::Graph;
use crate::graph::store::Entity;
use gxf_app::error::{Error, Result};
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Tid, Uid, tids};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The initial group of every entity, and its id: that of a context's first object.
const DEFAULT_GROUP: (Uid, &str) = (1, "default_entity_group");

/// The groups of a context.
pub struct Groups {
    names: BTreeMap<Uid, String>,
    /// By entity, without members of the default group.
    members: FxHashMap<Uid, Uid>,
}

impl Default for Groups {
    fn default() -> Self {
        let (id, name) = DEFAULT_GROUP;
        Self { names: BTreeMap::from([(id, name.to_owned())]), members: FxHashMap::default() }
    }
}

impl Groups {
    /// Name of a group.
    pub fn name(&self, gid: Uid) -> Option<&str> {
        self.names.get(&gid).map(String::as_str)
    }

    /// All groups but the default one, by id.
    pub fn named(&self) -> impl Iterator<Item = (Uid, &str)> {
        let all = self.names.iter().map(|(gid, name)| (*gid, name.as_str()));
        all.filter(|(gid, _)| *gid != DEFAULT_GROUP.0)
    }

    /// Group of an entity.
    pub fn of(&self, eid: Uid) -> Uid {
        self.members.get(&eid).copied().unwrap_or(DEFAULT_GROUP.0)
    }

    /// Forgets a removed entity.
    pub fn forget(&mut self, eid: Uid) {
        self.members.remove(&eid);
    }

    /// The group of this name.
    pub fn find(&self, name: &str) -> Option<Uid> {
        self.names.iter().find(|(_, known)| *known == name).map(|(gid, _)| *gid)
    }
}

impl Graph {
    /// The group of this name; creates it if necessary.
    pub fn group_named(&self, name: &str) -> Uid {
        let mut groups = self.groups.lock();
        if let Some(gid) = groups.find(name) {
            return gid;
        }
        let gid = self.store.write().create_group();
        groups.names.insert(gid, name.to_owned());
        gid
    }

    /// Moves an entity to a group.
    pub fn move_to_group(&self, gid: Uid, eid: Uid) -> Result<()> {
        let entity = self.entity(eid)?;
        let mut groups = self.groups.lock();
        let Some(name) = groups.name(gid) else {
            let text = format!("there is no entity group with id {gid}");
            return Err(Error::new(ResultCode::ENTITY_GROUP_NOT_FOUND, text));
        };
        if groups.of(eid) == gid {
            let text = format!("{} is in group `{name}` already", entity.described());
            return Err(Error::new(ResultCode::FAILURE, text));
        }
        if gid == DEFAULT_GROUP.0 {
            groups.members.remove(&eid);
        } else {
            groups.members.insert(eid, gid);
        }
        Ok(())
    }

    /// The entities of a group, in the order of their creation.
    pub fn members_of(&self, gid: Uid) -> Vec<Arc<Entity>> {
        let mut entities = self.store.read().entities();
        let groups = self.groups.lock();
        entities.retain(|entity| groups.of(entity.eid()) == gid);
        entities
    }

    /// All resources of the group of an entity.
    pub fn resources_of(&self, eid: Uid) -> Result<Vec<Arc<Component>>> {
        self.entity(eid)?;
        let gid = self.groups.lock().of(eid);
        let mut resources = Vec::new();
        for entity in self.members_of(gid) {
            let components = entity.components();
            let found = components.iter().filter(|component| component.is_a(tids::RESOURCE_BASE));
            resources.extend(found.cloned());
        }
        Ok(resources)
    }

    /// By group: its first resource of exactly this type. For whoever asks for many entities.
    pub fn first_resources(&self, tid: Tid) -> FxHashMap<Uid, Arc<Component>> {
        let entities = self.store.read().entities();
        let groups = self.groups.lock();
        let mut first = FxHashMap::default();
        for entity in entities {
            let components = entity.components();
            let found = components.iter().find(|component| component.type_info().tid == tid);
            if let Some(resource) = found {
                first.entry(groups.of(entity.eid())).or_insert_with(|| resource.clone());
            }
        }
        first
    }

    /// The first resource of exactly this type in the group of an entity; an empty name fits all.
    pub fn resource_of(&self, eid: Uid, tid: Tid, name: &str) -> Result<Arc<Component>> {
        let mut resources = self.resources_of(eid)?.into_iter();
        let found = resources.find(|resource| {
            resource.type_info().tid == tid && (name.is_empty() || resource.name() == name)
        });
        found.ok_or_else(|| {
            let groups = self.groups.lock();
            let group = groups.name(groups.of(eid)).unwrap_or_default();
            let text = format!("group `{group}` has no such resource");
            Error::new(ResultCode::RESOURCE_NOT_FOUND, text)
        })
    }
}
