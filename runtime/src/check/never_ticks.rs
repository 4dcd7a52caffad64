//! Terms whose own parameters keep their entity from ever ticking, and schedulers that stop at once.

use super::graph::{Graph, at, has_codelet};
use super::liveness::Liveness;
use super::schedulers;
use gxf_app::{Diagnostic, ParameterValue};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::Uid;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A parameter value with which a term never says READY, unless another component switches it.
struct Switch {
    type_name: &'static str,
    key: &'static str,
    off: ParameterValue,
    /// Whether a component with a handle to the term can switch it on.
    may_be_switched: bool,
    why: &'static str,
    help: &'static str,
}

/// A scheduler's parameter for the longest run.
const DURATION: &str = "max_duration_ms";
const NO_LIMIT: &str = "remove `max_duration_ms` to run without a limit";

const SWITCHES: &[Switch] = &[
    Switch {
        type_name: "nvidia::gxf::CountSchedulingTerm",
        key: "count",
        off: ParameterValue::Int64(0),
        may_be_switched: false,
        why: "its CountSchedulingTerm counts to 0",
        help: "set `count` to the number of ticks; a negative number never ends the entity",
    },
    Switch {
        type_name: "nvidia::gxf::BooleanSchedulingTerm",
        key: "enable_tick",
        off: ParameterValue::Bool(false),
        may_be_switched: true,
        why: "its BooleanSchedulingTerm is off, and no ticking entity has a handle to switch it on",
        help: "set `enable_tick` to true, or give a codelet a handle to the term",
    },
    Switch {
        type_name: "nvidia::gxf::BTSchedulingTerm",
        key: "is_root",
        off: ParameterValue::Bool(false),
        may_be_switched: true,
        why: "its BTSchedulingTerm waits for a parent, and no parent that ticks names it",
        help: "name the term among the `children` of a parent, or set `is_root` to true",
    },
];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for scheduler in schedulers::all(graph) {
        if let Some(ParameterValue::Int64(limit @ ..=0)) = scheduler.parameter(DURATION) {
            let message = format!("no entity ever ticks: the scheduler stops after {limit} ms");
            let place = graph.parameter_place(&scheduler, DURATION);
            findings.push(at(Diagnostic::warning(message), place).help(NO_LIMIT));
        }
    }
    let off = switched_off(graph);
    let followers = followers(graph, &off);
    for (entity, term, switch) in off {
        if followers.contains(&entity.eid()) {
            continue;
        }
        let message = format!("entity `{}` never ticks: {}", entity.name(), switch.why);
        let place = graph.parameter_place(&term, switch.key);
        findings.push(at(Diagnostic::warning(message), place).help(switch.help));
    }
}

type Off = (Arc<Entity>, Arc<Component>, &'static Switch);

/// The terms that are off and that no ticking entity can switch on. An entity's own codelet cannot,
/// nor can one that never ticks for the same reason.
fn switched_off(graph: &Graph<'_>) -> Vec<Off> {
    let mut off: Vec<Off> = Vec::new();
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        for term in entity.components().iter() {
            let name = &term.type_info().name;
            let switch = SWITCHES.iter().find(|switch| switch.type_name == name);
            let is_off =
                |switch: &&Switch| term.parameter(switch.key).as_ref() == Some(&switch.off);
            if let Some(switch) = switch.filter(is_off) {
                off.push((entity.clone(), term.clone(), switch));
            }
        }
    }
    loop {
        let entities: FxHashSet<Uid> = off.iter().map(|(entity, ..)| entity.eid()).collect();
        let before = off.len();
        off.retain(|(_, term, switch)| {
            let mut users = graph.links(term.cid()).iter();
            !switch.may_be_switched || users.all(|user| entities.contains(&user.eid()))
        });
        if off.len() == before {
            return off;
        }
    }
}

/// The entities that do not tick because another one does not, which is reported instead. In a
/// cycle of such entities, each one is reported.
fn followers(graph: &Graph<'_>, off: &[Off]) -> FxHashSet<Uid> {
    let outside = |entity: Uid, term: &Component| {
        let users = graph.links(term.cid()).iter().map(|user| user.eid());
        users.filter(move |user| *user != entity).collect::<Vec<_>>()
    };
    let mut followers = FxHashSet::default();
    let roots = off.iter().filter(|(entity, term, switch)| {
        !switch.may_be_switched || outside(entity.eid(), term).is_empty()
    });
    let mut reached: FxHashSet<Uid> = roots.map(|(entity, ..)| entity.eid()).collect();
    loop {
        let before = reached.len();
        for (entity, term, _) in off {
            let entity = entity.eid();
            let follows = outside(entity, term).iter().any(|user| reached.contains(user));
            if follows && reached.insert(entity) {
                followers.insert(entity);
            }
        }
        if reached.len() == before {
            return followers;
        }
    }
}
