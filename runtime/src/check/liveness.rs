//! Which entities can ever tick, considering messages only. A codelet starts when its entity first
//! ticks, so it cannot send a message before that.

use super::graph::{Graph, has_codelet, is_term, targets};
use super::term::Demand;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{Uid, tids};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The reason an entity never ticks.
#[derive(Clone)]
pub(super) struct Cause {
    /// The waiting term.
    pub term: Arc<Component>,
    /// The receiver that stays empty.
    pub receiver: Uid,
    /// The entity that would have to tick first; `None` if nothing is connected to the receiver.
    pub sender: Option<Uid>,
}

/// One condition of an entity: a term, or several of which one suffices.
pub(super) struct Condition {
    pub terms: Vec<(Arc<Component>, Option<Demand>)>,
}

/// The reasons why entities never tick.
pub(super) struct Liveness {
    /// By entity that never ticks.
    causes: FxHashMap<Uid, Cause>,
    /// In the order of loading.
    dead: Vec<Uid>,
    /// By receiver without connections: the entities that wait for it.
    waiting: FxHashMap<Uid, Vec<Uid>>,
    /// By entity: the entities that it ultimately keeps from ticking, in the order of loading.
    followers: FxHashMap<Uid, Vec<Uid>>,
    rings: Vec<Vec<Uid>>,
}

impl Liveness {
    pub fn new(graph: &Graph<'_>) -> Self {
        let entities: Vec<_> = graph.entities.iter().filter(|entity| has_codelet(entity)).collect();
        let conditions: FxHashMap<Uid, Vec<Condition>> =
            entities.iter().map(|entity| (entity.eid(), conditions(graph, entity))).collect();
        let live = live(graph, &conditions);
        let mut causes = FxHashMap::default();
        let mut dead = Vec::new();
        for entity in entities {
            let all = &conditions[&entity.eid()];
            let cause = all.iter().find_map(|condition| blocked(graph, condition, &live));
            if let Some(cause) = cause.filter(|_| !live.contains(&entity.eid())) {
                causes.insert(entity.eid(), cause);
                dead.push(entity.eid());
            }
        }
        let mut waiting: FxHashMap<Uid, Vec<Uid>> = FxHashMap::default();
        for entity in &dead {
            let cause: Option<&Cause> = causes.get(entity);
            if let Some(cause) = cause.filter(|cause| cause.sender.is_none()) {
                waiting.entry(cause.receiver).or_default().push(*entity);
            }
        }
        let followers = FxHashMap::default();
        let mut liveness = Self { causes, dead, waiting, followers, rings: Vec::new() };
        liveness.find_roots();
        liveness
    }

    /// Follows each entity to the one that ultimately keeps it from ticking.
    fn find_roots(&mut self) {
        // By entity: the one that ultimately keeps it from ticking.
        let mut roots: FxHashMap<Uid, Uid> = FxHashMap::default();
        for start in &self.dead {
            let mut path: Vec<Uid> = Vec::new();
            let mut positions: FxHashMap<Uid, usize> = FxHashMap::default();
            let mut entity = *start;
            let root = loop {
                if let Some(root) = roots.get(&entity) {
                    break *root;
                }
                if let Some(begin) = positions.insert(entity, path.len()) {
                    self.rings.push(path[begin..].to_vec());
                    break entity;
                }
                path.push(entity);
                match self.causes.get(&entity).and_then(|cause| cause.sender) {
                    Some(sender) => entity = sender,
                    None => break entity,
                }
            };
            self.followers.entry(root).or_default().push(*start);
            roots.extend(path.into_iter().map(|entity| (entity, root)));
        }
    }

    /// The reason an entity never ticks.
    pub fn cause(&self, entity: Uid) -> Option<&Cause> {
        self.causes.get(&entity)
    }

    /// The cycles of entities that wait for each other.
    pub fn rings(&self) -> &[Vec<Uid>] {
        &self.rings
    }

    /// The entities that never tick because nothing is connected to this receiver.
    pub fn waiting_for(&self, receiver: Uid) -> &[Uid] {
        self.waiting.get(&receiver).map_or(&[], Vec::as_slice)
    }

    /// The names of the other entities that never tick because these do not.
    pub fn followers(&self, graph: &Graph<'_>, roots: &[Uid]) -> Vec<String> {
        let of_root = |root| self.followers.get(root).into_iter().flatten();
        let followers = roots.iter().flat_map(of_root).filter(|entity| !roots.contains(entity));
        let named = followers.filter_map(|eid| graph.entity(*eid));
        named.map(|entity| entity.name().to_owned()).collect()
    }
}

/// The entities that can tick: those that need no messages, and all that get messages from them.
fn live(graph: &Graph<'_>, conditions: &FxHashMap<Uid, Vec<Condition>>) -> FxHashSet<Uid> {
    // By entity: the entities that wait for its messages.
    let mut followers: FxHashMap<Uid, Vec<Uid>> = FxHashMap::default();
    for (entity, conditions) in conditions {
        let demands = conditions.iter().flat_map(|condition| &condition.terms);
        let receivers =
            demands.filter_map(|(_, demand)| demand.as_ref()).flat_map(Demand::receivers);
        for source in receivers.flat_map(|receiver| graph.sources(receiver)) {
            let sender = graph.owner(*source).map(|owner| owner.eid()).unwrap_or_default();
            followers.entry(sender).or_default().push(*entity);
        }
    }
    let mut live = FxHashSet::default();
    let mut open: Vec<Uid> = conditions.keys().copied().collect();
    while let Some(entity) = open.pop() {
        let met = |condition: &Condition| blocked(graph, condition, &live).is_none();
        if !live.contains(&entity) && conditions[&entity].iter().all(met) {
            live.insert(entity);
            open.extend(followers.get(&entity).into_iter().flatten());
        }
    }
    live
}

/// All conditions that an entity has to meet to tick.
pub(super) fn conditions(graph: &Graph<'_>, entity: &Entity) -> Vec<Condition> {
    let components = entity.components();
    let with_demand =
        |term: &Arc<Component>| (term.clone(), Demand::of(graph, term).filter(|_| is_term(term)));
    let mut combined = FxHashSet::default();
    let mut conditions = Vec::new();
    for combiner in components.iter().filter(|known| known.is_a(tids::SCHEDULING_TERM_COMBINER)) {
        let owned = combiner.parameter("terms").map(|value| targets(&value)).unwrap_or_default();
        let terms = owned.iter().filter_map(|cid| graph.component(*cid));
        conditions.push(Condition { terms: terms.map(with_demand).collect() });
        combined.extend(owned);
    }
    let single = components.iter().filter(|known| known.is_a(tids::SCHEDULING_TERM));
    for term in single.filter(|term| !combined.contains(&term.cid())) {
        conditions.push(Condition { terms: vec![with_demand(term)] });
    }
    conditions
}

/// The reason a condition is not met while only these entities tick.
fn blocked(graph: &Graph<'_>, condition: &Condition, live: &FxHashSet<Uid>) -> Option<Cause> {
    let mut first = None;
    for (term, demand) in &condition.terms {
        let missing = demand.as_ref().and_then(|demand| starved(graph, demand, live));
        // One term that may be met suffices.
        let (receiver, sender) = missing?;
        first.get_or_insert(Cause { term: term.clone(), receiver, sender });
    }
    first
}

/// The first receiver of the need that stays empty, and the entity that would have to send.
fn starved(
    graph: &Graph<'_>,
    demand: &Demand,
    live: &FxHashSet<Uid>,
) -> Option<(Uid, Option<Uid>)> {
    let of = |receiver: Uid| empty(graph, receiver, live).map(|sender| (receiver, sender));
    match demand {
        Demand::Each(list) => list.iter().find_map(|(receiver, _)| of(*receiver)),
        Demand::Sum(receivers, _) => {
            let all: Option<Vec<_>> = receivers.iter().map(|receiver| of(*receiver)).collect();
            // One receiver with messages suffices.
            all?.into_iter().next()
        }
    }
}

/// Whether a receiver never gets a message while only these entities tick; with the entity that
/// would have to tick first, if anything is connected to the receiver.
fn empty(graph: &Graph<'_>, receiver: Uid, live: &FxHashSet<Uid>) -> Option<Option<Uid>> {
    let queue = graph.component(receiver)?;
    if graph.is_used_from_outside(receiver) {
        return None;
    }
    if !graph.empty.contains(&receiver) && !graph.is_local(queue) {
        return None;
    }
    let mut sender = None;
    for source in graph.sources(receiver) {
        let transmitter = graph.component(*source)?;
        let owner = graph.owner(*source)?;
        let known = graph.is_local(transmitter) && !graph.is_used_from_outside(*source);
        if !known || !has_codelet(owner) || live.contains(&owner.eid()) {
            return None;
        }
        sender.get_or_insert(owner.eid());
    }
    Some(sender)
}
