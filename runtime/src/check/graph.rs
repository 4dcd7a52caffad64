//! The loaded graph in the form that the rules use.

use crate::inner::Inner;
use gxf_app::{Diagnostic, ParameterValue, Span};
use gxf_engine::graph::routes::{CONNECTION, Declared, Routes, TOPIC};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::{Component, FromComponent};
use gxf_plugin_abi::{Uid, tids};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Entities, components, and their links.
pub(super) struct Graph<'a> {
    pub inner: &'a Inner,
    /// In the order of loading.
    pub entities: Vec<Arc<Entity>>,
    components: FxHashMap<Uid, Arc<Component>>,
    owners: FxHashMap<Uid, Arc<Entity>>,
    routes: Routes,
    /// By receiver: its transmitters.
    sources: FxHashMap<Uid, Vec<Uid>>,
    /// By component: the components with a handle to it.
    links: FxHashMap<Uid, Vec<Arc<Component>>>,
    /// See [`Graph::is_used_from_outside`].
    used_from_outside: FxHashSet<Uid>,
    /// Whether messages may pass through a network.
    has_network: bool,
    /// Receivers of links, over which nothing comes.
    pub empty: FxHashSet<Uid>,
}

impl<'a> Graph<'a> {
    pub fn new(inner: &'a Inner) -> Self {
        let entities = inner.graph.store.read().entities();
        let mut graph = Self {
            inner,
            components: FxHashMap::default(),
            owners: FxHashMap::default(),
            routes: Routes::default(),
            sources: FxHashMap::default(),
            links: FxHashMap::default(),
            used_from_outside: FxHashSet::default(),
            has_network: false,
            empty: FxHashSet::default(),
            entities: entities.clone(),
        };
        let mut declared = Declared::default();
        for entity in &entities {
            for component in entity.components().iter() {
                graph.has_network |= component.is_a(tids::NETWORK_CONTEXT);
                graph.components.insert(component.cid(), component.clone());
                graph.owners.insert(component.cid(), entity.clone());
                graph.add_links(component);
                declared.add(component);
            }
        }
        graph.routes = Routes::of(&declared);
        graph.sources = graph.routes.sources();
        // Once for all: a transmitter may have a connection to each of ten thousand receivers.
        let used = graph.links.iter().filter(|(target, users)| {
            let owner = graph.owner(**target).map(|entity| entity.eid());
            let is_outside = |user: &Arc<Component>| Some(user.eid()) != owner;
            users.iter().any(|user| is_outside(user) && !is_connection(user) && !is_term(user))
        });
        graph.used_from_outside = used.map(|(target, _)| *target).collect();
        graph
    }

    fn add_links(&mut self, component: &Arc<Component>) {
        for spec in &component.type_info().parameters {
            let Some(value) = component.parameter(&spec.key) else { continue };
            for target in targets(&value) {
                self.links.entry(target).or_default().push(component.clone());
            }
        }
    }

    pub fn component(&self, cid: Uid) -> Option<&Arc<Component>> {
        self.components.get(&cid)
    }

    /// An entity by id.
    pub fn entity(&self, eid: Uid) -> Option<Arc<Entity>> {
        self.inner.graph.entity(eid).ok()
    }

    /// The entity of a component.
    pub fn owner(&self, cid: Uid) -> Option<&Arc<Entity>> {
        self.owners.get(&cid)
    }

    /// Pairs of connections that lead the same way.
    pub fn repeated(&self) -> &[[Uid; 2]] {
        self.routes.repeated()
    }

    /// The receivers of a transmitter.
    pub fn receivers(&self, transmitter: Uid) -> &[Uid] {
        self.routes.receivers(transmitter)
    }

    /// The transmitters of a receiver.
    pub fn sources(&self, receiver: Uid) -> &[Uid] {
        self.sources.get(&receiver).map_or(&[], Vec::as_slice)
    }

    /// The components with a handle to this one.
    pub fn links(&self, cid: Uid) -> &[Arc<Component>] {
        self.links.get(&cid).map_or(&[], Vec::as_slice)
    }

    /// Whether only routes bring messages into and out of the queue: a queue of an extension may
    /// use a network.
    pub fn is_local(&self, queue: &Component) -> bool {
        !self.has_network || is_standard(queue)
    }

    /// Whether components of other entities may add or take messages apart from the routes: any
    /// component with a handle to the queue that does more than watch or connect it.
    pub fn is_used_from_outside(&self, queue: Uid) -> bool {
        self.used_from_outside.contains(&queue)
    }

    /// Whether the queue is a link to another graph that nothing opens: the graph has no network
    /// context.
    pub fn is_unopened_link(&self, queue: &Arc<Component>) -> bool {
        !self.has_network && is_link(queue)
    }

    /// `entity/component`, as a handle.
    pub fn path(&self, component: &Component) -> String {
        let entity = self.owner(component.cid()).map(|entity| entity.name().to_owned());
        let name = match component.name() {
            "" => short_name(&component.type_info().name),
            name => name,
        };
        format!("{}/{name}", entity.unwrap_or_default())
    }

    /// The place in a file that creates the component.
    pub fn place(&self, component: &Component) -> Option<Span> {
        component.place()
    }

    /// The place in a file that sets a parameter, or else that creates the component.
    pub fn parameter_place(&self, component: &Component, key: &str) -> Option<Span> {
        component.parameter_place(key).or_else(|| component.place())
    }

    /// The place in a file that names an entity, or else that creates its first component.
    pub fn entity_place(&self, entity: &Entity) -> Option<Span> {
        let components = entity.components();
        let created = || components.iter().find_map(|component| component.place());
        entity.place().cloned().or_else(created)
    }

    /// The components of the same entity with a handle to this one.
    pub fn own_links(&self, component: &Component) -> impl Iterator<Item = &Arc<Component>> {
        let entity = component.eid();
        self.links(component.cid()).iter().filter(move |user| user.eid() == entity)
    }
}

/// Sets the place of a finding, if there is one.
pub(super) fn at(finding: Diagnostic, place: Option<Span>) -> Diagnostic {
    match place {
        Some(place) => finding.at(place),
        None => finding,
    }
}

/// Adds a place to a finding, if there is one.
pub(super) fn note(finding: Diagnostic, place: Option<Span>, text: &str) -> Diagnostic {
    match place {
        Some(place) => finding.note(place, text),
        None => finding,
    }
}

/// Whether an entity has codelets.
pub(super) fn has_codelet(entity: &Entity) -> bool {
    entity.components().iter().any(|component| component.is_a(tids::CODELET))
}

/// Whether a component is a scheduling term or a combiner. A codelet may be its own term.
pub(super) fn is_term(component: &Component) -> bool {
    component.serves_as(tids::SCHEDULING_TERM) || is_combiner(component)
}

/// Whether a component is a combiner.
pub(super) fn is_combiner(component: &Component) -> bool {
    component.is_a(tids::SCHEDULING_TERM_COMBINER)
}

/// Whether a component is one end of a link to another graph.
pub(super) fn is_link(component: &Arc<Component>) -> bool {
    gxf::Link::from_component(component).is_some()
}

/// Whether a component's type is built in, so that its behaviour is known.
pub(super) fn is_standard(component: &Component) -> bool {
    component.type_info().extension == "StandardExtension"
}

/// Whether a component routes messages from transmitters to receivers.
pub(super) fn is_connection(component: &Component) -> bool {
    let tid = component.type_info().tid;
    tid == CONNECTION || tid == TOPIC
}

/// The components that a value refers to.
pub(super) fn targets(value: &ParameterValue) -> Vec<Uid> {
    match value {
        ParameterValue::Component(cid) => vec![*cid],
        ParameterValue::List(items) => items.iter().flat_map(targets).collect(),
        _ => Vec::new(),
    }
}

/// The component that a value refers to.
pub(super) fn single_target(value: &ParameterValue) -> Option<Uid> {
    match value {
        ParameterValue::Component(cid) => Some(*cid),
        _ => None,
    }
}

/// A non-negative integer.
pub(super) fn number(value: &ParameterValue) -> Option<u64> {
    match value {
        ParameterValue::UInt64(value) => Some(*value),
        ParameterValue::UInt32(value) => Some(u64::from(*value)),
        ParameterValue::Int64(value) => u64::try_from(*value).ok(),
        ParameterValue::Int32(value) => u64::try_from(*value).ok(),
        _ => None,
    }
}

/// A list of names in backquotes; many names become a count.
pub(super) fn quoted(names: impl IntoIterator<Item = String>) -> String {
    const NAMED: usize = 10;
    let mut names = names.into_iter();
    let first: Vec<_> = names.by_ref().take(NAMED).map(|name| format!("`{name}`")).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The name of a type without its namespace.
pub(super) fn short_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
