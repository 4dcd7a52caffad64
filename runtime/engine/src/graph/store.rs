//! Entities and components by id and by name.

use gxf_app::Span;
use gxf_app::escape::one_line;
use gxf_plugin::component::Component;
use gxf_plugin::id::IdTable;
use gxf_plugin_abi::Uid;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, OnceLock};

/// Stage in the life of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Components may be added.
    Open,
    /// Its components are initialised.
    Active,
    /// It is being deactivated on its own.
    Leaving,
    /// It was removed, and nothing makes it active again.
    Destroyed,
}

/// An entity: a name and its components.
pub struct Entity {
    eid: Uid,
    name: Box<str>,
    /// The first place of its name in a file.
    place: OnceLock<Span>,
    /// Whether it is activated and deactivated with the graph.
    in_program: bool,
    /// Users that a program counts; removing the last user of an entity outside the program
    /// destroys it.
    pub users: AtomicI64,
    /// Shared, so that iterating copies nothing.
    components: RwLock<Arc<Vec<Arc<Component>>>>,
    /// Components of other entities that are available here under a name.
    interface: RwLock<Vec<(String, Uid)>>,
    /// Where in its life it is.
    pub stage: Mutex<Stage>,
}

impl Entity {
    fn new(eid: Uid, name: &str, in_program: bool) -> Self {
        Self {
            eid,
            name: name.into(),
            place: OnceLock::new(),
            in_program,
            users: AtomicI64::new(0),
            components: RwLock::default(),
            interface: RwLock::default(),
            stage: Mutex::new(Stage::Open),
        }
    }

    /// Id of the entity.
    pub fn eid(&self) -> Uid {
        self.eid
    }

    /// Its name; made up when it was given none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first place of its name in a file; `None` if a program created it.
    pub fn place(&self) -> Option<&Span> {
        self.place.get()
    }

    /// Notes a place of its name in a file; the first one counts.
    pub fn set_place(&self, place: Span) {
        let _ = self.place.set(place);
    }

    /// Whether it is activated and deactivated with the graph.
    pub fn in_program(&self) -> bool {
        self.in_program
    }

    /// Whether the runtime chose the name.
    pub fn is_unnamed(&self) -> bool {
        *self.name == *made_up_name(self.eid)
    }

    /// The entity's name in messages.
    pub fn described(&self) -> String {
        let unnamed = if self.is_unnamed() { "unnamed " } else { "" };
        format!("{unnamed}entity `{}`", one_line(&self.name))
    }

    /// The components in the order in which they were added.
    pub fn components(&self) -> Arc<Vec<Arc<Component>>> {
        self.components.read().clone()
    }

    /// Adds a component.
    pub fn push_component(&self, component: Arc<Component>) {
        Arc::make_mut(&mut self.components.write()).push(component);
    }

    /// Takes a component out.
    pub fn remove_component(&self, cid: Uid) {
        Arc::make_mut(&mut self.components.write()).retain(|component| component.cid() != cid);
    }

    /// Drops the components of a destroyed entity.
    pub fn forget_components(&self) {
        *self.components.write() = Arc::default();
    }

    /// The components with this name.
    pub fn components_named(&self, name: &str) -> Vec<Arc<Component>> {
        let components = self.components.read();
        components.iter().filter(|component| component.name() == name).cloned().collect()
    }

    /// Makes a component of another entity available under a name; the first one with a name wins.
    pub fn add_interface(&self, name: &str, cid: Uid) {
        self.interface.write().push((name.to_owned(), cid));
    }

    /// The component that another entity exports here under this name.
    pub fn interface(&self, name: &str) -> Option<Uid> {
        self.interface.read().iter().find(|(known, _)| known == name).map(|(_, cid)| *cid)
    }

    /// Names and components that other entities export here.
    pub fn interfaces(&self) -> Vec<(String, Uid)> {
        self.interface.read().clone()
    }

    /// Whether components of other entities are available here.
    pub fn exports(&self) -> bool {
        !self.interface.read().is_empty()
    }

    /// All names that are available here, for suggestions.
    pub fn names(&self) -> Vec<String> {
        let own = self.components.read();
        let own = own.iter().map(|component| component.name().to_owned());
        let interface = self.interface.read();
        own.chain(interface.iter().map(|(name, _)| name.clone()))
            .filter(|name| !name.is_empty())
            .collect()
    }
}

/// GXF's name for an entity that was given none.
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
pub struct Store {
    ids: IdTable<Entry>,
    names: FxHashMap<String, Uid>,
    /// Entities in the order of their creation.
    order: Vec<Uid>,
}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

impl Store {
    /// An empty store.
    pub fn new() -> Self {
        let mut ids = IdTable::new();
        ids.insert_with(|_| Entry::Group);
        Self { ids, names: FxHashMap::default(), order: Vec::new() }
    }

    /// Creates an entity of the program; if the name is empty, chooses one. `None` if the name is
    /// in use.
    pub fn create_entity(&mut self, name: &str) -> Option<Arc<Entity>> {
        self.create_entity_of(name, true)
    }

    /// Like [`Store::create_entity`], in the program or outside it.
    pub fn create_entity_of(&mut self, name: &str, in_program: bool) -> Option<Arc<Entity>> {
        if self.names.contains_key(name) {
            return None;
        }
        let mut made = None;
        let eid = self.ids.insert_with(|eid| {
            let made_up = name.is_empty().then(|| made_up_name(eid));
            let name = made_up.as_deref().unwrap_or(name);
            let entity = Arc::new(Entity::new(eid, name, in_program));
            made = Some(entity.clone());
            Entry::Entity(entity)
        });
        let entity = made?;
        self.names.insert(entity.name().to_owned(), eid);
        self.order.push(eid);
        Some(entity)
    }

    /// Reserves an id for a component that is being created. Until it is stored, look-ups find
    /// nothing.
    pub fn reserve_component(&mut self) -> Uid {
        self.ids.insert_with(|_| Entry::Group)
    }

    /// Stores a component under its reserved id; `None` releases the id.
    pub fn put_component(&mut self, cid: Uid, component: Option<Arc<Component>>) {
        match (component, self.ids.get_mut(cid)) {
            (Some(component), Some(entry)) => *entry = Entry::Component(component),
            _ => {
                self.ids.remove(cid);
            }
        }
    }

    /// Creates an id for a group.
    pub fn create_group(&mut self) -> Uid {
        self.ids.insert_with(|_| Entry::Group)
    }

    /// Removes a component, whose id becomes stale.
    pub fn remove_component(&mut self, cid: Uid) {
        if matches!(self.ids.get(cid), Some(Entry::Component(_))) {
            self.ids.remove(cid);
        }
    }

    /// The entity with this id.
    pub fn entity(&self, eid: Uid) -> Option<&Arc<Entity>> {
        match self.ids.get(eid)? {
            Entry::Entity(entity) => Some(entity),
            _ => None,
        }
    }

    /// The component with this id.
    pub fn component(&self, cid: Uid) -> Option<&Arc<Component>> {
        match self.ids.get(cid)? {
            Entry::Component(component) => Some(component),
            _ => None,
        }
    }

    /// The entity of this name.
    pub fn entity_named(&self, name: &str) -> Option<&Arc<Entity>> {
        self.entity(*self.names.get(name)?)
    }

    /// All names.
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

    /// Removes an entity and its components.
    pub fn remove_entity(&mut self, eid: Uid) -> Option<Arc<Entity>> {
        let Some(Entry::Entity(entity)) = self.ids.remove(eid) else { return None };
        for component in entity.components().iter() {
            self.ids.remove(component.cid());
        }
        self.names.remove(entity.name());
        self.order.retain(|known| *known != eid);
        Some(entity)
    }

    /// Removes all entities and components.
    pub fn clear(&mut self) -> Vec<Arc<Entity>> {
        let entities = self.entities();
        *self = Self::new();
        entities
    }
}
