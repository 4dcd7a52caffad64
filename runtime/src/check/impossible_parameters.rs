//! Parameter values that a component refuses.

use super::graph::{Graph, at};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for component in entity.components().iter() {
            // Other rules report missing values, and values of a wrong type.
            if !component.complete_parameters().is_ok_and(|missing| missing.is_empty()) {
                continue;
            }
            if let Some(finding) = impossible(entity, component) {
                findings.push(at(finding, graph.place(component)));
            }
        }
    }
}

/// The component's objection to its parameters, all of which are set.
pub(crate) fn impossible(entity: &Entity, component: &Component) -> Option<Diagnostic> {
    let error = component.check_parameters().err()?;
    let message = format!("{}, component `{}`: {error}", entity.described(), component.label());
    Some(Diagnostic::error(error.code(), message))
}
