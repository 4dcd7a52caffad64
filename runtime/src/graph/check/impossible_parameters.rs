//! Values of parameters that a component says it cannot work with.

use super::graph::{Graph, at};
use super::liveness::Liveness;
use crate::entity::store::Entity;
use crate::graph::Diagnostic;
use crate::plugin::component::Component;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for component in entity.components().iter() {
            // What is missing, or of no value the component takes, is told elsewhere.
            if !component.complete_parameters().is_ok_and(|missing| missing.is_empty()) {
                continue;
            }
            if let Some(finding) = impossible(entity, component) {
                findings.push(at(finding, graph.place(component)));
            }
        }
    }
}

/// What is wrong with the parameters of a component, all of which are set.
pub(crate) fn impossible(entity: &Entity, component: &Component) -> Option<Diagnostic> {
    let error = component.check_parameters().err()?;
    let message = format!("{}, component `{}`: {error}", entity.described(), component.label());
    Some(Diagnostic::error(error.code(), message))
}
