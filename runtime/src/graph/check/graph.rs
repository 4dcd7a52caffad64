//! The loaded graph as the rules see it.

use crate::builtin;
use crate::context::Inner;
use crate::entity::store::Entity;
use crate::graph::{Diagnostic, ParameterValue, Span};
use crate::message::router::{Routes, TOPIC};
use crate::plugin::component::Component;
use gxf_plugin_abi::{Uid, tids};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Entities, components, and what leads from one to the other.
pub(super) struct Graph<'a> {
    pub inner: &'a Inner,
    /// In the order of loading.
    pub entities: Vec<Arc<Entity>>,
    components: FxHashMap<Uid, Arc<Component>>,
    owners: FxHashMap<Uid, Arc<Entity>>,
    routes: Routes,
    /// By receiver: the transmitters that lead to it.
    sources: FxHashMap<Uid, Vec<Uid>>,
    /// By component: who has a handle to it.
    links: FxHashMap<Uid, Vec<Arc<Component>>>,
    /// Whether messages may come and go through a network.
    has_network: bool,
}

impl<'a> Graph<'a> {
    pub fn new(inner: &'a Inner) -> Self {
        let entities = inner.store.read().entities();
        let mut graph = Self {
            inner,
            components: FxHashMap::default(),
            owners: FxHashMap::default(),
            routes: Routes::default(),
            sources: FxHashMap::default(),
            links: FxHashMap::default(),
            has_network: false,
            entities: entities.clone(),
        };
        let mut all = Vec::new();
        for entity in &entities {
            for component in entity.components().iter() {
                graph.has_network |= component.is_a(tids::NETWORK_CONTEXT);
                graph.components.insert(component.cid(), component.clone());
                graph.owners.insert(component.cid(), entity.clone());
                graph.add_links(component);
                all.push(component.clone());
            }
        }
        graph.add_routes(&all);
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

    fn add_routes(&mut self, components: &[Arc<Component>]) {
        for connection in components.iter().filter(|known| is_connection(known)) {
            let end = |key| connection.parameter(key).as_ref().and_then(single_target);
            if let (Some(source), Some(target)) = (end("source"), end("target")) {
                self.routes.add(source, target);
            }
        }
        self.routes.add_topics(components);
        self.sources = self.routes.sources();
    }

    pub fn component(&self, cid: Uid) -> Option<&Arc<Component>> {
        self.components.get(&cid)
    }

    /// An entity by its id.
    pub fn entity(&self, eid: Uid) -> Option<Arc<Entity>> {
        self.inner.entity(eid).ok()
    }

    /// The entity a component belongs to.
    pub fn owner(&self, cid: Uid) -> Option<&Arc<Entity>> {
        self.owners.get(&cid)
    }

    /// The receivers a transmitter leads to.
    pub fn receivers(&self, transmitter: Uid) -> &[Uid] {
        self.routes.receivers(transmitter)
    }

    /// The transmitters that lead to a receiver.
    pub fn sources(&self, receiver: Uid) -> &[Uid] {
        self.sources.get(&receiver).map_or(&[], Vec::as_slice)
    }

    /// Who has a handle to a component.
    pub fn links(&self, cid: Uid) -> &[Arc<Component>] {
        self.links.get(&cid).map_or(&[], Vec::as_slice)
    }

    /// Whether the queue gets and passes on messages by routes alone: a queue of an extension may
    /// do so through a network.
    pub fn is_local(&self, queue: &Component) -> bool {
        !self.has_network || is_standard(queue)
    }

    /// Components of other entities that may put messages into a queue, or take them, past the
    /// routes: everything with a handle to it that does more than watch and connect.
    pub fn is_used_from_outside(&self, queue: Uid) -> bool {
        let owner = self.owner(queue).map(|entity| entity.eid());
        self.links(queue)
            .iter()
            .any(|user| Some(user.eid()) != owner && !is_connection(user) && !is_term(user))
    }

    /// `entity/component`, as a handle is written.
    pub fn path(&self, component: &Component) -> String {
        let entity = self.owner(component.cid()).map(|entity| entity.name().to_owned());
        let name = match component.name() {
            "" => short_name(&component.type_info().name),
            name => name,
        };
        format!("{}/{name}", entity.unwrap_or_default())
    }

    /// Where the file asks for a component.
    pub fn place(&self, component: &Component) -> Option<Span> {
        self.inner.origins.lock().get(&component.cid()).cloned()
    }

    /// Where the file gives a parameter its value, else where it asks for the component.
    pub fn parameter_place(&self, component: &Component, key: &str) -> Option<Span> {
        let position = component.type_info().parameter(key).map(|(index, _)| index);
        let places = self.inner.parameter_origins.lock();
        let own = places.get(&component.cid()).map(Vec::as_slice).unwrap_or_default().iter();
        let found = own.rev().find(|(index, _)| Some(*index) == position);
        found.map(|(_, span)| span.clone()).or_else(|| self.place(component))
    }

    /// Where an entity gets its name, else where its first component stands.
    pub fn entity_place(&self, entity: &Entity) -> Option<Span> {
        let named = self.inner.origins.lock().get(&entity.eid()).cloned();
        let components = entity.components();
        named.or_else(|| components.iter().find_map(|component| self.place(component)))
    }

    /// Who has a handle to a component within its entity.
    pub fn own_links(&self, component: &Component) -> impl Iterator<Item = &Arc<Component>> {
        let entity = component.eid();
        self.links(component.cid()).iter().filter(move |user| user.eid() == entity)
    }
}

/// Puts a finding at a place, if there is one.
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

/// Whether an entity has something that ticks.
pub(super) fn has_codelet(entity: &Entity) -> bool {
    entity.components().iter().any(|component| component.is_a(tids::CODELET))
}

/// Whether a component is a term, or combines some.
pub(super) fn is_term(component: &Component) -> bool {
    component.is_a(tids::SCHEDULING_TERM) || is_combiner(component)
}

/// Whether a component combines terms.
pub(super) fn is_combiner(component: &Component) -> bool {
    component.is_a(tids::SCHEDULING_TERM_COMBINER)
}

/// Whether a component is of a type that is built in, so that all it does is known.
pub(super) fn is_standard(component: &Component) -> bool {
    component.type_info().extension == "StandardExtension"
}

/// Whether a component leads messages from transmitters to receivers.
pub(super) fn is_connection(component: &Component) -> bool {
    let tid = component.type_info().tid;
    tid == builtin::CONNECTION || tid == TOPIC
}

/// The components that a value leads to.
pub(super) fn targets(value: &ParameterValue) -> Vec<Uid> {
    match value {
        ParameterValue::Component(cid) => vec![*cid],
        ParameterValue::List(items) => items.iter().flat_map(targets).collect(),
        _ => Vec::new(),
    }
}

/// The component that a value leads to.
pub(super) fn single_target(value: &ParameterValue) -> Option<Uid> {
    match value {
        ParameterValue::Component(cid) => Some(*cid),
        _ => None,
    }
}

/// A whole number that is not negative.
pub(super) fn number(value: &ParameterValue) -> Option<u64> {
    match value {
        ParameterValue::UInt64(value) => Some(*value),
        ParameterValue::UInt32(value) => Some(u64::from(*value)),
        ParameterValue::Int64(value) => u64::try_from(*value).ok(),
        ParameterValue::Int32(value) => u64::try_from(*value).ok(),
        _ => None,
    }
}

/// Names in backquotes, as a list; many are counted.
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
