//! A loaded graph: types, entities and components, groups, routes. Code that only reads a graph
//! takes `&Graph`; the runtime's `lifecycle` owns what runs.
//!
//! - [`store`]: entities and components by id and name;
//! - [`groups`]: groups of entities and the resources they share;
//! - [`routes`]: the receivers of each transmitter.

pub mod groups;
pub mod routes;
pub mod store;

use groups::Groups;
use gxf_app::Span;
use gxf_app::error::{Error, Result};
use gxf_app::suggest::did_you_mean;
use gxf_plugin::component::Component;
use gxf_plugin::registry::{Registry, TypeInfo};
use gxf_plugin_abi::{ResultCode, Tid, Uid};
use parking_lot::{Mutex, RwLock};
use routes::Routes;
use std::sync::Arc;
use store::{Entity, Store};

/// What is loaded.
///
/// # Lock order
///
/// A thread that takes several of these locks takes them in the order of the fields. It calls no
/// code of an extension while it holds one, and takes no lock of the runtime: these come after all
/// locks of `Inner` in `gxf-runtime`. Behind them come only locks inside one object: an entity's
/// list of components, a queue, the table of runners.
#[derive(Default)]
pub struct Graph {
    /// Groups of entities.
    pub groups: Mutex<Groups>,
    /// Entities and components.
    pub store: RwLock<Store>,
    /// The types of the extensions; contexts may share them.
    pub registry: Arc<RwLock<Registry>>,
    /// Connections between queues; empty until activation.
    routes: RwLock<Arc<Routes>>,
}

/// The error for an id of no component.
#[must_use]
pub fn component_not_found(cid: Uid) -> Error {
    let text = format!("there is no component with id {cid}");
    Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, text)
}

impl Graph {
    /// An empty graph with these types.
    #[must_use]
    pub fn new(registry: Arc<RwLock<Registry>>) -> Self {
        Self { registry, ..Self::default() }
    }

    /// The entity with this id.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity(&self, eid: Uid) -> Result<Arc<Entity>> {
        self.store.read().entity(eid).cloned().ok_or_else(|| {
            Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity with id {eid}"))
        })
    }

    /// The entity of this name.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn find_entity(&self, name: &str) -> Result<Arc<Entity>> {
        let store = self.store.read();
        store.entity_named(name).cloned().ok_or_else(|| {
            let hint = did_you_mean(name, store.entity_names());
            Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity `{name}`{hint}"))
        })
    }

    /// The component with this id.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`
    pub fn component(&self, cid: Uid) -> Result<Arc<Component>> {
        self.store.read().component(cid).cloned().ok_or_else(|| component_not_found(cid))
    }

    /// The place in a file that creates a component; `None` if a program did, or if it is gone.
    #[must_use]
    pub fn place_of(&self, cid: Uid) -> Option<Span> {
        self.store.read().component(cid)?.place()
    }

    /// The current routes. They do not change with the graph.
    #[must_use]
    pub fn routes(&self) -> Arc<Routes> {
        self.routes.read().clone()
    }

    /// Replaces the routes.
    pub fn set_routes(&self, routes: Routes) {
        *self.routes.write() = Arc::new(routes);
    }

    /// The receivers that a transmitter is connected to.
    #[must_use]
    pub fn receivers_of(&self, cid: Uid) -> Vec<Uid> {
        self.routes.read().receivers(cid).to_vec()
    }

    /// The type with this id.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_TID`
    pub fn type_by_id(&self, tid: Tid) -> Result<Arc<TypeInfo>> {
        self.registry.read().by_id(tid).cloned().ok_or_else(|| {
            Error::new(
                ResultCode::FACTORY_UNKNOWN_TID,
                format!("no loaded extension has a type with id {tid}"),
            )
        })
    }

    /// The type with this name or alias.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_CLASS_NAME`
    pub fn type_by_name(&self, name: &str) -> Result<Arc<TypeInfo>> {
        let registry = self.registry.read();
        registry.by_name(name).cloned().ok_or_else(|| {
            let hint = did_you_mean(name, registry.type_names());
            Error::new(
                ResultCode::FACTORY_UNKNOWN_CLASS_NAME,
                format!("no loaded extension has a type `{name}`{hint}"),
            )
        })
    }

    /// The error for a component of the wrong type.
    #[must_use]
    pub fn wrong_type(&self, component: &Component, wanted: Tid) -> Error {
        let registry = self.registry.read();
        let wanted =
            registry.by_id(wanted).map_or_else(|| wanted.to_string(), |info| info.name.clone());
        Error::new(
            ResultCode::ENTITY_COMPONENT_NOT_FOUND,
            format!(
                "component `{}` is a {}, not a {wanted}",
                component.label(),
                component.type_info().name
            ),
        )
    }
}
