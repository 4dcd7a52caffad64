//! Components and payloads by id.

use super::Context;
use crate::inner::Inner;
use gxf::MemoryBuffer;
use gxf_app::Span;
use gxf_app::error::{Error, Result};
use gxf_app::suggest::did_you_mean;
use gxf_engine::graph::component_not_found;
use gxf_engine::graph::store::{Entity, Stage};
use gxf_engine::standard::memory::Variable;
use gxf_plugin::component::{Component, Native};
use gxf_plugin::loader::register_payloads;
use gxf_plugin::message::by_id::{PayloadInfo, split_payload_id};
use gxf_plugin::message::payload_type::is_payload_type;
use gxf_plugin::registry::TypeInfo;
use gxf_plugin_abi::{ResultCode, Tid, Uid};
use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;

/// What a component id refers to.
enum Part {
    Component(Arc<Component>),
    /// With its message.
    Payload(Uid, PayloadInfo),
}

impl Part {
    fn tid(&self) -> Tid {
        match self {
            Self::Component(component) => component.type_info().tid,
            Self::Payload(_, payload) => payload.tid,
        }
    }
}

/// Whether messages carry a component type, which the process then knows as a payload type.
fn carried_by_messages(type_info: &TypeInfo) -> Result<bool> {
    let Some(payload) = type_info.payload() else { return Ok(false) };
    let named = vec![(type_info.name.clone(), payload)];
    register_payloads(Path::new(&type_info.extension), named).map(|()| true)
}

impl Inner {
    pub fn add_component(&self, eid: Uid, tid: Tid, name: &str) -> Result<Arc<Component>> {
        let entity = self.graph.entity(eid)?;
        let type_info = self.graph.type_by_id(tid)?;
        self.add_component_to(&entity, &type_info, name)
    }

    pub fn add_component_to(
        &self,
        entity: &Entity,
        type_info: &Arc<TypeInfo>,
        name: &str,
    ) -> Result<Arc<Component>> {
        /// GXF's limit, including the final zero byte.
        const NAME_SIZE: usize = 256;
        if name.len() >= NAME_SIZE {
            return Err(Error::new(
                ResultCode::ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT,
                format!("a component name has at most {} bytes", NAME_SIZE - 1),
            ));
        }
        /// GXF's limit; its users allocate arrays of this size.
        const COMPONENTS: usize = 1024;
        if entity.components().len() >= COMPONENTS {
            return Err(Error::new(
                ResultCode::ENTITY_MAX_COMPONENTS_LIMIT_EXCEEDED,
                format!("{} has {COMPONENTS} components, which is the most", entity.described()),
            ));
        }
        let is_active = || {
            Error::new(
                ResultCode::ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION,
                format!(
                    "entity `{}` is active; add components before activating it",
                    entity.name()
                ),
            )
        };
        if *entity.stage.lock() != Stage::Open {
            return Err(is_active());
        }
        let cid = self.graph.store.write().reserve_component();
        // Without the lock, because a constructor may query the graph.
        let created = self.calls.during_component(entity, (cid, name), type_info, "create", || {
            Component::create(type_info, name, self.raw(), entity.eid(), cid)
        });
        self.graph.store.write().put_component(cid, created.as_ref().ok().cloned());
        let component = created?;
        // The entity may have become active in the meantime; under this lock it cannot.
        let stage = entity.stage.lock();
        if *stage != Stage::Open {
            drop(stage);
            self.graph.store.write().remove_component(cid);
            return Err(is_active());
        }
        entity.push_component(component.clone());
        Ok(component)
    }

    /// Position and id of the first matching component from `start` on.
    pub fn find_component(
        &self,
        eid: Uid,
        tid: Option<Tid>,
        name: Option<&str>,
        start: usize,
    ) -> Result<(usize, Uid)> {
        let entity = self.graph.entity(eid)?;
        let components = entity.components();
        let found = components.iter().enumerate().skip(start).find(|(_, component)| {
            tid.is_none_or(|tid| component.is_a(tid))
                && name.is_none_or(|name| component.name() == name)
        });
        if let Some((position, component)) = found {
            return Ok((position, component.cid()));
        }
        if let Some(cid) = name.and_then(|name| entity.interface(name)) {
            return Ok((components.len(), cid));
        }
        let names = entity.names();
        let hint =
            name.map_or(String::new(), |name| did_you_mean(name, names.iter().map(String::as_str)));
        let known = tid.and_then(|tid| self.graph.registry.read().by_id(tid).cloned());
        let wanted = [
            name.map(|name| format!(" `{name}`")),
            known.map(|known| format!(" of type `{}`", known.name)),
        ];
        let wanted: String = wanted.into_iter().flatten().collect();
        Err(Error::new(
            ResultCode::ENTITY_COMPONENT_NOT_FOUND,
            format!("entity `{}` has no component{wanted}{hint}", entity.name()),
        ))
    }

    fn part(&self, cid: Uid) -> Result<Part> {
        let Some((message, position)) = split_payload_id(cid) else {
            return self.graph.component(cid).map(Part::Component);
        };
        let object = self.object(message).map_err(|_| component_not_found(cid))?;
        let payload = object.message.and_then(|message| message.payload(position));
        payload
            .map(|payload| Part::Payload(message, payload))
            .ok_or_else(|| component_not_found(cid))
    }

    /// The component with this id; an error for payloads, which have no parameters or interfaces.
    pub fn real_component(&self, cid: Uid) -> Result<Arc<Component>> {
        match self.part(cid)? {
            Part::Component(component) => Ok(component),
            Part::Payload(..) => Err(Error::new(
                ResultCode::QUERY_NOT_APPLICABLE,
                "this is a payload of a message, which has no parameters",
            )),
        }
    }
}

impl Context {
    /// Adds a component to an entity that is not active.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `FACTORY_UNKNOWN_CLASS_NAME`, `FACTORY_ABSTRACT_CLASS`,
    /// `ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION`
    pub fn add_component(&self, eid: Uid, type_name: &str, name: &str) -> Result<Uid> {
        let tid = self.needed_type(type_name)?;
        self.inner().add_component(eid, tid, name).map(|component| component.cid())
    }

    /// Finds a component by the names of its entity and its own.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_COMPONENT_NOT_FOUND`
    pub fn find_component(&self, entity: &str, component: &str) -> Result<Uid> {
        let eid = self.inner().graph.find_entity(entity)?.eid();
        self.inner().find_component(eid, None, Some(component), 0).map(|(_, cid)| cid)
    }

    /// The component at `entity/component`, and its graph: this one, or one of its segments, whose
    /// entities are called `segment/entity`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` if the path has no slash; `ENTITY_NOT_FOUND`, `ENTITY_COMPONENT_NOT_FOUND`
    pub fn component_at(&self, path: &str) -> Result<(Self, Uid)> {
        let Some((entity, component)) = path.rsplit_once('/') else {
            let text = format!("`{path}` is not of the form entity/component");
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        };
        let found = self.find_component(entity, component).map(|cid| (self.clone(), cid));
        if found.as_ref().is_err_and(|error| error.code() == ResultCode::ENTITY_NOT_FOUND) {
            for (name, segment) in self.segments() {
                let rest = path.strip_prefix(&name).and_then(|rest| rest.strip_prefix('/'));
                if let Some(rest) = rest.filter(|rest| rest.contains('/')) {
                    return segment.component_at(rest);
                }
            }
        }
        found
    }

    /// Adds a component, or, to a message, a payload.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `FACTORY_UNKNOWN_TID`, `FACTORY_ABSTRACT_CLASS`,
    /// `ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT`, `ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION`,
    /// `CONTRACT_INVALID_SEQUENCE` for a message with other holders
    pub fn add_component_by_id(&self, eid: Uid, tid: Tid, name: &str) -> Result<Uid> {
        let inner = self.inner();
        // Not held here, because adding requires the only reference to the message.
        inner.object(eid)?;
        let type_info = inner.graph.type_by_id(tid)?;
        let is_payload = if type_info.is_component() {
            inner.is_mere_message(eid)? && carried_by_messages(&type_info)?
        } else {
            is_payload_type(tid)
        };
        if is_payload {
            return inner.add_payload(eid, tid, name).map(|payload| payload.cid);
        }
        let entity = inner.entity_for(eid)?;
        inner.add_component_to(&entity, &type_info, name).map(|component| component.cid())
    }

    /// Removes a component or payload.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`, `ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION`
    pub fn remove_component(&self, cid: Uid) -> Result<()> {
        let inner = self.inner();
        let component = match inner.part(cid)? {
            Part::Component(component) => component,
            Part::Payload(message, _) => {
                let (_, position) =
                    split_payload_id(cid).ok_or_else(|| component_not_found(cid))?;
                return inner.object(message)?.remove_payload(position);
            }
        };
        let entity = inner.graph.entity(component.eid())?;
        let stage = entity.stage.lock();
        if *stage != Stage::Open {
            return Err(Error::new(
                ResultCode::ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION,
                format!("entity `{}` is active; its components cannot be removed", entity.name()),
            ));
        }
        entity.remove_component(cid);
        inner.graph.store.write().remove_component(cid);
        drop(stage);
        inner.left(&component);
        Ok(())
    }

    /// The components and payloads of an entity, in the order in which they were added.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn component_ids(&self, eid: Uid) -> Result<Vec<Uid>> {
        let object = self.inner().object(eid)?;
        let components = object.entity.as_ref().map(|entity| entity.components());
        let own = components.iter().flat_map(|components| components.iter());
        let own: Vec<Uid> = own.map(|component| component.cid()).collect();
        Ok(own.into_iter().chain(object.payloads().map(|payload| payload.cid)).collect())
    }

    /// Position and id of the first matching component or payload from position `start` on.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_COMPONENT_NOT_FOUND`
    pub fn find_component_from(
        &self,
        eid: Uid,
        tid: Option<Tid>,
        name: Option<&str>,
        start: usize,
    ) -> Result<(usize, Uid)> {
        let object = self.inner().object(eid)?;
        let components = object.entity.as_ref().map_or(0, |entity| entity.components().len());
        let mut payloads = object.payloads().enumerate().skip(start.saturating_sub(components));
        let payload = payloads.find(|(_, payload)| {
            tid.is_none_or(|tid| payload.tid == tid) && name.is_none_or(|name| payload.name == name)
        });
        let payload = payload.map(|(position, payload)| (components + position, payload.cid));
        let Some(entity) = &object.entity else {
            return payload.ok_or_else(|| {
                let text = "the message carries no such payload";
                Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, text)
            });
        };
        match self.inner().find_component(entity.eid(), tid, name, start) {
            // Positions after the entity's own components belong to exported ones.
            Ok((position, cid)) if position < components || payload.is_none() => {
                Ok((position, cid))
            }
            found => payload.map_or(found, Ok),
        }
    }

    /// Type of a component or payload.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`
    pub fn component_type(&self, cid: Uid) -> Result<Tid> {
        self.inner().part(cid).map(|part| part.tid())
    }

    /// Name of a component or payload; empty if it has none.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`
    pub fn component_name(&self, cid: Uid) -> Result<String> {
        Ok(match self.inner().part(cid)? {
            Part::Component(component) => component.name().to_owned(),
            Part::Payload(_, payload) => payload.name,
        })
    }

    /// Renames a payload.
    pub(super) fn rename_payload(&self, cid: Uid, name: &str) -> Result<()> {
        let (message, position) = split_payload_id(cid).ok_or_else(|| component_not_found(cid))?;
        self.inner()
            .object(message)
            .map_err(|_| component_not_found(cid))?
            .rename_payload(position, name)
    }

    /// The place in a file that creates a component; `None` if no file does.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`; `QUERY_NOT_APPLICABLE` for a payload
    pub fn component_place(&self, cid: Uid) -> Result<Option<Span>> {
        Ok(self.inner().real_component(cid)?.place())
    }

    /// The entity of a component, or the message of a payload.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`
    pub fn component_entity(&self, cid: Uid) -> Result<Uid> {
        Ok(match self.inner().part(cid)? {
            Part::Component(component) => component.eid(),
            Part::Payload(message, _) => message,
        })
    }

    /// Address of a component of this type or of one derived from it; a null type matches all.
    /// Valid as long as the component.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`
    pub fn component_address(&self, cid: Uid, tid: Tid) -> Result<*mut c_void> {
        let part = self.inner().part(cid)?;
        match &part {
            Part::Component(component) if tid.is_null() || component.is_a(tid) => {
                Ok(component.address())
            }
            Part::Component(component) => Err(self.inner().graph.wrong_type(component, tid)),
            Part::Payload(_, payload) if tid.is_null() || payload.tid == tid => Ok(payload.data),
            Part::Payload(..) => {
                let text = "the payload is of another type";
                Err(Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, text))
            }
        }
    }

    /// Lets a `gxe::Variable` use memory of the program, with the value in it, until it gets other
    /// memory or is destroyed. `MemoryBuffer::wrap` makes such memory of an address.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`, also for a component of another type; `ARGUMENT_INVALID`: it is not
    /// memory of the CPU of the variable's size for writing; `INVALID_LIFECYCLE_STAGE`: the variable is
    /// in use.
    pub fn give_memory(&self, variable: Uid, memory: MemoryBuffer) -> Result<()> {
        Ok(self.variable(variable)?.give(memory)?)
    }

    /// The value of a `gxe::Variable`: a copy of its memory.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`, also for a component of another type; `INVALID_LIFECYCLE_STAGE`:
    /// the variable is in use, or has no memory before the first activation.
    pub fn read_variable(&self, variable: Uid) -> Result<Vec<u8>> {
        let native = self.variable(variable)?;
        let size = native.slab().map_or(0, |slab| slab.block_size());
        let mut value = vec![0; usize::try_from(size).unwrap_or_default()];
        self.read_variable_into(variable, &mut value)?;
        Ok(value)
    }

    /// Like [`read_variable`](Self::read_variable), into a buffer of the variable's size.
    ///
    /// # Errors
    /// As above, and `ARGUMENT_INVALID`: the buffer has another size.
    pub fn read_variable_into(&self, variable: Uid, buffer: &mut [u8]) -> Result<()> {
        Ok(self.variable(variable)?.read(buffer)?)
    }

    fn variable(&self, cid: Uid) -> Result<Native<Variable>> {
        self.inner().real_component(cid)?.native().ok_or_else(|| {
            Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, "the component is no gxe::Variable")
        })
    }

    /// Whether a component implements an interface.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`; `QUERY_NOT_APPLICABLE` for a payload
    pub fn has_interface(&self, cid: Uid, id: Tid) -> Result<bool> {
        Ok(self.inner().real_component(cid)?.interface(id).is_some())
    }

    /// Makes a component of another entity available in this one under a name.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_COMPONENT_NOT_FOUND`
    pub fn export_component(&self, eid: Uid, cid: Uid, name: &str) -> Result<()> {
        let entity = self.inner().entity_for(eid)?;
        let component = self.inner().real_component(cid)?;
        entity.add_interface(name, component.cid());
        Ok(())
    }
}
