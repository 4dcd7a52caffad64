//! Groups of entities. Each entity is in exactly one; the components of a group that are resources,
//! such as a pool of threads or a device, serve all its entities.

use crate::context::{Context, Inner};
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Tid, Uid, tids};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The group every entity is in at first, and its id: that of the first object of a context.
const DEFAULT_GROUP: (Uid, &str) = (1, "default_entity_group");

/// The groups of a context.
pub(crate) struct Groups {
    names: BTreeMap<Uid, String>,
    /// By entity, without those of the default group.
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

    /// An entity is gone.
    pub fn forget(&mut self, eid: Uid) {
        self.members.remove(&eid);
    }

    fn find(&self, name: &str) -> Option<Uid> {
        self.names.iter().find(|(_, known)| *known == name).map(|(gid, _)| *gid)
    }
}

impl Inner {
    /// The group of this name, which is created if need be.
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

impl Context {
    /// Creates a group of entities.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` for a name that is in use or empty.
    pub fn create_group(&self, name: &str) -> Result<Uid> {
        let known = self.inner().groups.lock().find(name).is_some();
        if known || name.is_empty() {
            let text = format!("`{name}` is not a name for a new entity group");
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        Ok(self.inner().group_named(name))
    }

    /// Moves an entity to a group.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_GROUP_NOT_FOUND`; `FAILURE` when it is in that group.
    pub fn move_to_group(&self, gid: Uid, eid: Uid) -> Result<()> {
        self.inner().move_to_group(gid, eid)
    }

    /// Id and name of the group of an entity.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn group_of(&self, eid: Uid) -> Result<(Uid, String)> {
        self.inner().entity(eid)?;
        let groups = self.inner().groups.lock();
        let gid = groups.of(eid);
        Ok((gid, groups.name(gid).unwrap_or_default().to_owned()))
    }

    /// All resources of the group of an entity.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn group_resources(&self, eid: Uid) -> Result<Vec<Uid>> {
        let resources = self.inner().resources_of(eid)?;
        Ok(resources.iter().map(|resource| resource.cid()).collect())
    }

    /// The first resource of exactly this type in the group of an entity; an empty name fits all.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `FACTORY_UNKNOWN_CLASS_NAME`, `RESOURCE_NOT_FOUND`
    pub fn find_resource(&self, eid: Uid, type_name: &str, name: &str) -> Result<Uid> {
        let tid = self.inner().type_by_name(type_name)?.tid;
        self.inner().resource_of(eid, tid, name).map(|resource| resource.cid())
    }
}
