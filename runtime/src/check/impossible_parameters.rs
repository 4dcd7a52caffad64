//! Parameter values that a component refuses, and components that another one of the entity excludes.

use super::graph::{Graph, at};
use super::liveness::Liveness;
use gxf::support::BuiltIn;
use gxf_app::Diagnostic;
use gxf_engine::graph::store::Entity;
use gxf_engine::standard::resources::CPUThread;
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for component in entity.components().iter() {
            // Other rules report missing values, and values of a wrong type.
            if !component.complete_parameters().is_ok_and(|missing| missing.is_empty()) {
                continue;
            }
            findings.extend(impossible(entity, component));
        }
    }
}

/// The component's objection to its parameters, all of which are set, with the place of the value that
/// it names first.
pub(crate) fn impossible(entity: &Entity, component: &Component) -> Option<Diagnostic> {
    if let Some(second) = second_thread(entity, component) {
        return Some(second);
    }
    let error = component.check_parameters().err()?;
    let text = error.to_string();
    let key = text.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    let place = key.and_then(|(key, _)| component.parameter_place(key));
    let message = format!("{}, component `{}`: {text}", entity.described(), component.label());
    Some(at(Diagnostic::error(error.code(), message), place.or_else(|| component.place())))
}

/// An entity has at most one thread of its own.
fn second_thread(entity: &Entity, component: &Component) -> Option<Diagnostic> {
    let is_thread = |one: &Component| one.type_info().tid == CPUThread::TID;
    let components = entity.components();
    let first = components.iter().find(|one| is_thread(one)).filter(|_| is_thread(component))?;
    if first.cid() == component.cid() {
        return None;
    }
    let message = format!(
        "{} has two components of type nvidia::gxf::CPUThread, `{}` and `{}`; remove one",
        entity.described(),
        first.label(),
        component.label(),
    );
    Some(at(Diagnostic::error(ResultCode::FAILURE, message), component.place()))
}
