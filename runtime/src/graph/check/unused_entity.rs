//! Entities that neither do anything nor are used by another one.

use super::graph::{Graph, at, is_term};
use super::liveness::Liveness;
use crate::entity::store::Entity;
use crate::graph::Diagnostic;
use crate::plugin::component::Component;
use gxf_plugin_abi::{Tid, tids};

/// Kinds of components that do nothing unless somebody uses them.
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
        if components.is_empty() || !components.iter().all(|component| is_passive(component)) {
            continue;
        }
        if components.iter().any(|component| is_used(graph, entity, component)) {
            continue;
        }
        let name = entity.described();
        let finding = if components.iter().any(|component| is_term(component)) {
            Diagnostic::warning(format!(
                "{name} has scheduling terms but no codelet, so no scheduler ever runs it"
            ))
            .help("add the codelet, or move the terms to the entity that has it")
        } else {
            Diagnostic::warning(format!(
                "{name} does nothing, and no component of another entity uses it"
            ))
            .help("remove the entity, or name its component in a parameter of the one to use it")
        };
        findings.push(at(finding, graph.entity_place(entity)));
    }
}

/// Whether somebody else has a handle to the component.
fn is_used(graph: &Graph<'_>, entity: &Entity, component: &Component) -> bool {
    graph.links(component.cid()).iter().any(|user| user.eid() != entity.eid())
}
