//! Reports what each entity waits for when a run ends in a deadlock.
//!
//! Most runs that end this way are complete: the source is done, and the entities after it wait for
//! messages that will not come. Entities that wait for each other, or for a queue that nothing
//! fills, are the deadlock that people want to know about.

use crate::entity::runner::{Runner, Status};
use crate::entity::work::{Reason, Reasons};
use crate::graph::Graph;
use crate::graph::store::Entity;
use crate::standard::queue::DoubleBufferReceiver;
use gxf_app::ParameterValue;
use gxf_plugin::component::{Component, FromComponent, Interface};
use gxf_plugin_abi::{ConditionType, Uid, tids};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Most entities to name.
const NAMED: usize = 20;

/// What an entity waits for that is held, see [`Runner::hold`].
const HELD: &str = "for a CUDA device to do the work of its earlier ticks";

/// An entity that waits, and its reasons.
pub struct Stuck {
    entity: Arc<Entity>,
    reasons: Reasons,
}

/// The entities that wait.
pub fn stuck(runners: &[Arc<Runner>], now: i64) -> Vec<Stuck> {
    let started = runners.iter().filter(|runner| runner.status().is_started());
    let all =
        started.map(|runner| Stuck { entity: runner.entity.clone(), reasons: runner.reasons(now) });
    // Usually all: a list that grows takes up to three times the memory.
    let mut stuck = Vec::with_capacity(runners.len());
    stuck.extend(all.filter(|stuck| !stuck.reasons.is_empty()));
    stuck
}

/// The reason an entity does not run now, in words; `None` if it can, or is executing.
pub fn waits(graph: &Graph, runners: &[Arc<Runner>], now: i64) -> Vec<Option<String>> {
    let waits = WaitsFor::new(graph, &[]);
    let in_words = |runner: &Arc<Runner>| {
        let status = runner.status();
        let started = status.is_started() && status != Status::StopPending;
        let reasons = started.then(|| runner.reasons_now(now)).flatten()?;
        let held = runner.is_held().then(|| HELD.to_owned());
        let terms = (!reasons.is_empty())
            .then(|| waits.describe(&Stuck { entity: runner.entity.clone(), reasons }));
        held.into_iter().chain(terms).reduce(|held, terms| format!("{held}, and {terms}"))
    };
    runners.iter().map(in_words).collect()
}

/// Logs that the scheduler stops, in GXF's words, before it logs that it has finished.
pub fn stops(stuck: &[Stuck]) {
    if !stuck.is_empty() {
        tracing::info!(
            "Scheduler stopped: Some entities are waiting for execution, but there are no periodic \
             or async entities to get out of the deadlock."
        );
    }
}

/// Logs what each entity waits for. Returns the number of entities that are not simply done.
pub fn deadlock(graph: &Graph, stuck: &[Stuck]) -> usize {
    if stuck.is_empty() {
        return 0;
    }
    let waits = WaitsFor::new(graph, stuck);
    let mut named = 0;
    for entity in stuck {
        let name = || entity.entity.described();
        if waits.is_done(entity.entity.eid()) {
            tracing::debug!("{} waits {}", name(), waits.describe(entity));
            continue;
        }
        named += 1;
        if named <= NAMED {
            tracing::warn!("{} is stuck: it waits {}", name(), waits.describe(entity));
        }
    }
    if named > NAMED {
        tracing::warn!("{} more entities are stuck", named - NAMED);
    }
    named
}

/// Which stuck entity waits for which others.
struct WaitsFor<'a> {
    graph: &'a Graph,
    /// By receiver: its transmitters.
    sources: FxHashMap<Uid, Vec<Uid>>,
    /// Entities that wait, directly or through others, for one that ended, and how.
    done: FxHashMap<Uid, Wait>,
}

/// What an entity waits for of another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Messages,
    Room,
}

impl<'a> WaitsFor<'a> {
    fn new(graph: &'a Graph, stuck: &[Stuck]) -> Self {
        let mut waits_for =
            Self { graph, sources: graph.routes().sources(), done: FxHashMap::default() };
        let waits: FxHashSet<Uid> = stuck.iter().map(|entity| entity.entity.eid()).collect();
        let mut waiting_for: FxHashMap<Uid, Vec<(Uid, Wait)>> = FxHashMap::default();
        let mut newly_done = Vec::new();
        for entity in stuck {
            let eid = entity.entity.eid();
            for reason in &entity.reasons {
                let wait = waits_for.kind(reason);
                // A link that has ended brings nothing more.
                if reason.watched.iter().any(|cid| waits_for.link(*cid).is_some()) {
                    newly_done.push((eid, wait));
                }
                for other in waits_for.responsible(&entity.entity, reason) {
                    if waits.contains(&other) {
                        waiting_for.entry(other).or_default().push((eid, wait));
                    } else {
                        newly_done.push((eid, wait));
                    }
                }
            }
        }
        // Nodes of a behaviour tree rest until their parent arms them, as they do when the tree has
        // ended.
        let rests = |reason: &Reason| reason.component.is_a(tids::BT_SCHEDULING_TERM);
        let resting = stuck.iter().filter(|entity| entity.reasons.iter().all(rests));
        newly_done.extend(resting.map(|entity| (entity.entity.eid(), Wait::Messages)));
        while let Some((eid, wait)) = newly_done.pop() {
            let known = waits_for.done.get(&eid);
            if known.is_some_and(|known| *known == wait || *known == Wait::Room) {
                continue;
            }
            waits_for.done.insert(eid, wait);
            // Who has sent all gets no room from an entity that lacks other messages: that one keeps
            // some that nobody takes.
            let others = waiting_for.get(&eid).into_iter().flatten();
            newly_done.extend(others.filter(|(_, of)| *of == Wait::Messages || wait == Wait::Room));
        }
        waits_for
    }

    fn is_done(&self, eid: Uid) -> bool {
        self.done.contains_key(&eid)
    }

    fn kind(&self, reason: &Reason) -> Wait {
        let mut watched = reason.watched.iter().filter_map(|cid| self.component(*cid));
        match watched.any(|queue| queue.is_a(tids::TRANSMITTER)) {
            true => Wait::Room,
            false => Wait::Messages,
        }
    }

    fn component(&self, cid: Uid) -> Option<Arc<Component>> {
        self.graph.component(cid).ok()
    }

    /// The link behind a queue that leads to another process.
    fn link(&self, queue: Uid) -> Option<Interface<gxf::Link>> {
        gxf::Link::from_component(&self.component(queue)?)
    }

    /// The entities that could make the term ready. What a combiner or a term of an extension waits
    /// for is not known; mostly it has to do with the messages that the entity receives.
    fn responsible(&self, entity: &Entity, reason: &Reason) -> Vec<Uid> {
        let mut queues = Vec::new();
        let is_combiner = reason.component.is_a(tids::SCHEDULING_TERM_COMBINER);
        let is_foreign = reason.component.type_info().native.is_none();
        if reason.watched.is_empty() && (is_combiner || is_foreign) {
            let components = entity.components();
            let receivers = components.iter().filter(|queue| queue.is_a(tids::RECEIVER));
            let sources = receivers.filter_map(|queue| self.sources.get(&queue.cid()));
            queues.extend(sources.flatten().copied());
        }
        for cid in &reason.watched {
            match self.component(*cid) {
                Some(queue) if queue.is_a(tids::TRANSMITTER) => {
                    queues.extend(self.graph.receivers_of(*cid));
                }
                _ => queues.extend(self.sources.get(cid).into_iter().flatten().copied()),
            }
        }
        let entities = queues.into_iter().filter_map(|cid| self.component(cid));
        entities.map(|queue| queue.eid()).collect()
    }

    /// What an entity waits for.
    fn describe(&self, entity: &Stuck) -> String {
        let reasons: Vec<_> = entity.reasons.iter().map(|reason| self.reason(reason)).collect();
        reasons.join(", and ")
    }

    fn reason(&self, reason: &Reason) -> String {
        let term = reason.component.label();
        let watched = reason.watched.iter().filter_map(|cid| self.component(*cid));
        let parts: Vec<String> = watched
            .map(|queue| {
                if queue.is_a(tids::TRANSMITTER) {
                    self.room(&queue, &reason.component)
                } else if queue.is_a(tids::ALLOCATOR) {
                    format!("memory of `{}`", self.place_of(&queue))
                } else {
                    self.messages(&queue)
                }
            })
            .collect();
        match reason.condition.condition_type {
            _ if !parts.is_empty() => format!("for {} (term `{term}`)", parts.join(" and ")),
            ConditionType::WAIT_EVENT => format!("for the event of `{term}`"),
            ConditionType::WAIT_TIME => format!("for the time of `{term}`"),
            _ => format!("for `{term}`"),
        }
    }

    fn room(&self, transmitter: &Component, term: &Component) -> String {
        let wanted = match term.parameter("min_size") {
            Some(ParameterValue::UInt64(wanted @ 2..)) => format!(" for {wanted} messages"),
            _ => String::new(),
        };
        if let Some(link) = self.link(transmitter.cid()) {
            let transmitter = self.place_of(transmitter);
            return format!("room{wanted} behind `{transmitter}`, which leads to {}", peer(&link));
        }
        let receivers = self.graph.receivers_of(transmitter.cid());
        let full: Vec<_> = receivers
            .iter()
            .filter_map(|cid| self.component(*cid))
            .map(|receiver| format!("`{}` holds {}", self.place_of(&receiver), fill(&receiver)))
            .collect();
        let full =
            if full.is_empty() { "nothing is connected".to_owned() } else { full.join(", ") };
        format!("room{wanted} behind `{}`: {full}", self.place_of(transmitter))
    }

    fn messages(&self, receiver: &Arc<Component>) -> String {
        let sources = self.sources.get(&receiver.cid()).map_or(&[][..], Vec::as_slice);
        let names: Vec<_> = sources
            .iter()
            .filter_map(|cid| self.component(*cid))
            .map(|transmitter| format!("`{}`", self.place_of(&transmitter)))
            .collect();
        let from = if let Some(link) = self.link(receiver.cid()) {
            format!("which {} fills", peer(&link))
        } else if names.is_empty() {
            "which nothing is connected to".to_owned()
        } else {
            let verb = if names.len() > 1 { "fill" } else { "fills" };
            format!("which {} {verb}", names.join(" and "))
        };
        format!(
            "messages in `{}`, which holds {} and {from}",
            self.place_of(receiver),
            fill(receiver)
        )
    }

    /// A component as in files.
    fn place_of(&self, component: &Component) -> String {
        match self.graph.entity(component.eid()) {
            Ok(entity) => format!("{}/{}", entity.name(), component.label()),
            Err(_) => component.label().to_owned(),
        }
    }
}

/// The other end of a link.
fn peer(link: &Interface<gxf::Link>) -> String {
    link.peer().unwrap_or_else(|_| "another process".to_owned())
}

/// Fill level of a queue; of a register, the instances that are out.
fn fill(queue: &Arc<Component>) -> String {
    if let Some(receiver) = queue.native::<DoubleBufferReceiver>() {
        let room = receiver.buffer.reported().room(receiver.room());
        return format!("{} of {room}", receiver.buffer.taken());
    }
    match gxf::Queue::from_component(queue) {
        Some(queue) => {
            format!("{} of {}", queue.message_count() + queue.back_count(), queue.capacity())
        }
        None => "unknown".to_owned(),
    }
}
