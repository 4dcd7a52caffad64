//! Groups of entities, as a program asks for them.

use super::Context;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::{ResultCode, Uid};

impl Context {
    /// Creates a group of entities.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` if the name is empty or in use.
    pub fn create_group(&self, name: &str) -> Result<Uid> {
        let known = self.inner().graph.groups.lock().find(name).is_some();
        if known || name.is_empty() {
            let text = format!("`{name}` is not a name for a new entity group");
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        Ok(self.inner().graph.group_named(name))
    }

    /// Moves an entity to a group.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_GROUP_NOT_FOUND`; `FAILURE` if it is already in that group.
    pub fn move_to_group(&self, gid: Uid, eid: Uid) -> Result<()> {
        self.inner().graph.move_to_group(gid, eid)
    }

    /// Id and name of the group of an entity.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn group_of(&self, eid: Uid) -> Result<(Uid, String)> {
        self.inner().graph.entity(eid)?;
        let groups = self.inner().graph.groups.lock();
        let gid = groups.of(eid);
        Ok((gid, groups.name(gid).unwrap_or_default().to_owned()))
    }

    /// All resources of the group of an entity.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn group_resources(&self, eid: Uid) -> Result<Vec<Uid>> {
        let resources = self.inner().graph.resources_of(eid)?;
        Ok(resources.iter().map(|resource| resource.cid()).collect())
    }

    /// The first resource of exactly this type in the group of an entity; an empty name fits all.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `FACTORY_UNKNOWN_CLASS_NAME`, `RESOURCE_NOT_FOUND`
    pub fn find_resource(&self, eid: Uid, type_name: &str, name: &str) -> Result<Uid> {
        let tid = self.inner().graph.type_by_name(type_name)?.tid;
        self.inner().graph.resource_of(eid, tid, name).map(|resource| resource.cid())
    }
}
