//! Entities that do nothing and that nothing uses.

use super::graph::{Graph, at, is_connection, is_standard, is_term};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{Tid, tids};
use std::sync::Arc;

/// Kinds of components that do nothing unless another component uses them.
const PASSIVE: &[Tid] = &[
    tids::QUEUE,
    tids::SCHEDULING_TERM,
    tids::SCHEDULING_TERM_COMBINER,
    tids::CLOCK,
    tids::ALLOCATOR,
];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        let components = entity.components();
        let is_passive = |component: &Component| PASSIVE.iter().any(|kind| component.is_a(*kind));
        let place = graph.entity_place(entity);
        // An entity that no file creates belongs to the program, which may still add to it.
        if place.is_none() || !components.iter().all(|component| is_passive(component)) {
            continue;
        }
        if components.iter().any(|component| is_used(graph, entity, component)) {
            continue;
        }
        findings.push(at(finding(graph, entity), place));
    }
}

fn finding(graph: &Graph<'_>, entity: &Entity) -> Diagnostic {
    let name = entity.described();
    let components = entity.components();
    let connected = |component: &&Arc<Component>| {
        graph.links(component.cid()).iter().any(|user| is_connection(user))
    };
    if components.is_empty() {
        return Diagnostic::warning(format!("{name} has no components, so it does nothing"))
            .help("give it components, or remove it");
    }
    if components.iter().any(|component| is_term(component)) {
        return Diagnostic::warning(format!(
            "{name} has scheduling terms but no codelet, so no scheduler ever runs it"
        ))
        .help("add the codelet, or move the terms to the entity that has it");
    }
    if let Some(queue) = components.iter().find(connected) {
        let (what, verb) = if queue.is_a(tids::RECEIVER) {
            ("messages stay there", "receives from it")
        } else {
            ("nothing is ever sent", "publishes to it")
        };
        return Diagnostic::warning(format!(
            "{name} has the connected queue `{}` but no codelet, and nothing else {verb}: {what}",
            queue.label()
        ))
        .help("add the codelet, or remove the entity and its connections");
    }
    Diagnostic::warning(format!("{name} does nothing, and no component of another entity uses it"))
        .help("remove the entity, or refer to its component in a parameter of the entity that should use it")
}

/// Whether another component has a handle to this one and may use it. Connections only refer to a
/// queue, and terms of other entities only watch it, but a queue of an extension may do anything by
/// itself.
fn is_used(graph: &Graph<'_>, entity: &Entity, component: &Component) -> bool {
    let only_keeps = component.is_a(tids::QUEUE) && is_standard(component);
    let mut others = graph.links(component.cid()).iter().filter(|user| user.eid() != entity.eid());
    others.any(|user| !only_keeps || !(is_connection(user) || is_term(user)))
}
