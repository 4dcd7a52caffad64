//! `default_conditions: true` in an app file: every receiver and transmitter of an entity with a
//! codelet gets the scheduling term that Holoscan gives each port of an operator.

use crate::inner::Inner;
use gxf::SchedulingTerm;
use gxf_app::error::Result;
use gxf_app::{ParameterValue, Span};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::{Component, FromComponent};
use gxf_plugin_abi::{Uid, tids};
use std::sync::Arc;

/// Adds the missing terms: `MessageAvailable` for receivers and `DownstreamReceptive` for
/// transmitters, both for one message. Skips queues that a term of the entity already watches.
/// `origin` is the place that requests them.
///
/// # Errors
/// `ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION` if the entity is active.
pub(super) fn add(inner: &Inner, entity: &Arc<Entity>, origin: &Span) -> Result<()> {
    let components = entity.components();
    if !components.iter().any(|component| component.is_a(tids::CODELET)) {
        return Ok(());
    }
    let looked_at: Vec<Uid> = components.iter().flat_map(watched_by).collect();
    for queue in components.iter().filter(|queue| !looked_at.contains(&queue.cid())) {
        let (term, key) = if queue.is_a(tids::RECEIVER) {
            ("nvidia::gxf::MessageAvailableSchedulingTerm", "receiver")
        } else if queue.is_a(tids::TRANSMITTER) {
            ("nvidia::gxf::DownstreamReceptiveSchedulingTerm", "transmitter")
        } else {
            continue;
        };
        let term = inner.add_component_to(entity, &inner.graph.type_by_name(term)?, "")?;
        term.set_place(origin.clone());
        inner.set_parameter(term.cid(), key, Some(ParameterValue::Component(queue.cid())))?;
    }
    Ok(())
}

/// The queues that a component watches if it is a term. A codelet that is its own term uses most of
/// its queues as any codelet does, so it says which ones it watches.
fn watched_by(component: &Arc<Component>) -> Vec<Uid> {
    if component.is_a(tids::SCHEDULING_TERM) {
        return handles_of(component);
    }
    let mut watched = Vec::new();
    if let Some(term) = SchedulingTerm::from_component(component) {
        term.call("watched", |term| term.watched(&mut |cid| watched.push(cid)));
    }
    watched
}

/// The components that a component's parameters refer to.
fn handles_of(component: &Component) -> Vec<Uid> {
    let keys = component.type_info().parameters.iter().map(|spec| spec.key.as_str());
    let mut values: Vec<_> = keys.filter_map(|key| component.parameter(key)).collect();
    let mut handles = Vec::new();
    while let Some(value) = values.pop() {
        match value {
            ParameterValue::Component(cid) => handles.push(cid),
            ParameterValue::List(list) => values.extend(list),
            _ => {}
        }
    }
    handles
}
