//! Entities and components by id and by name.

use crate::entity::runner::Runner;
use crate::id::IdTable;
use crate::plugin::component::Component;
use gxf_plugin_abi::Uid;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

/// Where in its life an entity is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Components may be added.
    Open,
    /// Its components are initialised.
    Active,
    /// It is being deactivated by itself.
    Leaving,
}

/// An entity: a name and its components.
pub(crate) struct Entity {
    eid: Uid,
    name: String,
    /// Whether it is activated and deactivated with the graph.
    in_program: bool,
    /// Users that a program counts; the last one of an entity outside of the program destroys it.
    pub users: AtomicI64,
    /// Shared, so that walking through them copies nothing.
    components: RwLock<Arc<Vec<Arc<Component>>>>,
    /// Components of other entities that can be found here under a name of their own.
    interface: RwLock<Vec<(String, Uid)>>,
    pub stage: Mutex<Stage>,
    pub runner: RwLock<Option<Arc<Runner>>>,
    /// Runners of entities whose terms watch a component of this one.
    pub watchers: RwLock<Vec<Arc<Runner>>>,
}

impl Entity {
    fn new(eid: Uid, name: String, in_program: bool) -> Self {
        Self {
            eid,
            name,
            in_program,
            users: AtomicI64::new(0),
            components: RwLock::default(),
            interface: RwLock::default(),
            stage: Mutex::new(Stage::Open),
            runner: RwLock::default(),
            watchers: RwLock::default(),
        }
    }

    pub fn eid(&self) -> Uid {
        self.eid
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn in_program(&self) -> bool {
        self.in_program
    }

    /// Whether the name is made up.
    pub fn is_unnamed(&self) -> bool {
        self.name == made_up_name(self.eid)
    }

    /// The entity as it is called in messages.
    pub fn described(&self) -> String {
        let unnamed = if self.is_unnamed() { "unnamed " } else { "" };
        format!("{unnamed}entity `{}`", self.name)
    }

    /// The components in the order of their addition.
    pub fn components(&self) -> Arc<Vec<Arc<Component>>> {
        self.components.read().clone()
    }

    pub fn push_component(&self, component: Arc<Component>) {
        Arc::make_mut(&mut self.components.write()).push(component);
    }

    pub fn remove_component(&self, cid: Uid) {
        Arc::make_mut(&mut self.components.write()).retain(|component| component.cid() != cid);
    }

    /// The entity was destroyed.
    pub fn forget_components(&self) {
        *self.components.write() = Arc::default();
    }

    /// Components with a name.
    pub fn components_named(&self, name: &str) -> Vec<Arc<Component>> {
        let components = self.components.read();
        components.iter().filter(|component| component.name() == name).cloned().collect()
    }

    /// Makes a component of another entity known under a name; the first of a name counts.
    pub fn add_interface(&self, name: &str, cid: Uid) {
        self.interface.write().push((name.to_owned(), cid));
    }

    /// The component another entity exports here under this name.
    pub fn interface(&self, name: &str) -> Option<Uid> {
        self.interface.read().iter().find(|(known, _)| known == name).map(|(_, cid)| *cid)
    }

    /// Names and components that other entities export here.
    pub fn interfaces(&self) -> Vec<(String, Uid)> {
        self.interface.read().clone()
    }

    /// Whether components of other entities can be found here.
    pub fn exports(&self) -> bool {
        !self.interface.read().is_empty()
    }

    /// All names that can be found here, for suggestions.
    pub fn names(&self) -> Vec<String> {
        let own = self.components.read();
        let own = own.iter().map(|component| component.name().to_owned());
        let interface = self.interface.read();
        own.chain(interface.iter().map(|(name, _)| name.clone()))
            .filter(|name| !name.is_empty())
            .collect()
    }
}

/// GXF's name of an entity that was given none.
fn made_up_name(eid: Uid) -> String {
    format!("__entity_{eid}")
}

enum Entry {
    /// The default group has the first id, as in GXF.
    Group,
    Entity(Arc<Entity>),
    Component(Arc<Component>),
}

/// All entities and components of a context.
pub(crate) struct Store {
    ids: IdTable<Entry>,
    names: FxHashMap<String, Uid>,
    /// Entities in the order of their creation.
    order: Vec<Uid>,
}

impl Store {
    pub fn new() -> Self {
        let mut ids = IdTable::new();
        ids.insert_with(|_| Entry::Group);
        Self { ids, names: FxHashMap::default(), order: Vec::new() }
    }

    /// Creates an entity of the program; an empty name is made up. `None` when the name is in use.
    pub fn create_entity(&mut self, name: &str) -> Option<Arc<Entity>> {
        self.create_entity_of(name, true)
    }

    /// As [`Store::create_entity`], in the program or outside of it.
    pub fn create_entity_of(&mut self, name: &str, in_program: bool) -> Option<Arc<Entity>> {
        if self.names.contains_key(name) {
            return None;
        }
        let mut made = None;
        let eid = self.ids.insert_with(|eid| {
            let name = if name.is_empty() { made_up_name(eid) } else { name.to_owned() };
            let entity = Arc::new(Entity::new(eid, name, in_program));
            made = Some(entity.clone());
            Entry::Entity(entity)
        });
        let entity = made?;
        self.names.insert(entity.name().to_owned(), eid);
        self.order.push(eid);
        Some(entity)
    }

    /// An id for a component that is being made. Until it is put there, the id stands for nothing
    /// that can be looked up.
    pub fn reserve_component(&mut self) -> Uid {
        self.ids.insert_with(|_| Entry::Group)
    }

    /// Puts a component where its id was reserved; without one, gives the id back.
    pub fn put_component(&mut self, cid: Uid, component: Option<Arc<Component>>) {
        match (component, self.ids.get_mut(cid)) {
            (Some(component), Some(entry)) => *entry = Entry::Component(component),
            _ => {
                self.ids.remove(cid);
            }
        }
    }

    /// An id for a group.
    pub fn create_group(&mut self) -> Uid {
        self.ids.insert_with(|_| Entry::Group)
    }

    /// Takes a component out, whose id is stale from then on.
    pub fn remove_component(&mut self, cid: Uid) {
        if matches!(self.ids.get(cid), Some(Entry::Component(_))) {
            self.ids.remove(cid);
        }
    }

    pub fn entity(&self, eid: Uid) -> Option<&Arc<Entity>> {
        match self.ids.get(eid)? {
            Entry::Entity(entity) => Some(entity),
            _ => None,
        }
    }

    pub fn component(&self, cid: Uid) -> Option<&Arc<Component>> {
        match self.ids.get(cid)? {
            Entry::Component(component) => Some(component),
            _ => None,
        }
    }

    pub fn entity_named(&self, name: &str) -> Option<&Arc<Entity>> {
        self.entity(*self.names.get(name)?)
    }

    pub fn entity_names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// All entities in the order of their creation.
    pub fn entities(&self) -> Vec<Arc<Entity>> {
        self.order.iter().filter_map(|eid| self.entity(*eid)).cloned().collect()
    }

    /// The entities that are activated with the graph, in the order of their creation.
    pub fn program(&self) -> Vec<Arc<Entity>> {
        let mut entities = self.entities();
        entities.retain(|entity| entity.in_program());
        entities
    }

    /// Takes an entity and its components out.
    pub fn remove_entity(&mut self, eid: Uid) -> Option<Arc<Entity>> {
        let Some(Entry::Entity(entity)) = self.ids.remove(eid) else { return None };
        for component in entity.components().iter() {
            self.ids.remove(component.cid());
        }
        self.names.remove(entity.name());
        self.order.retain(|known| *known != eid);
        Some(entity)
    }

    /// Takes all entities and components out.
    pub fn clear(&mut self) -> Vec<Arc<Entity>> {
        let entities = self.entities();
        *self = Self::new();
        entities
    }
}
