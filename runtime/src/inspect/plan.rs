//! The plan of a loaded graph for the actor scheduler.

use crate::inner::Inner;
use gxf_app::Diagnostics;
use gxf_engine::graph::routes::{Declared, Routes};
use gxf_engine::schedule::actor::ports::{Ports, asks_for_thread};
use gxf_plan::{Options, Plan};

/// The ports of the loaded graph, with the connections that it has once it is active.
fn ports(inner: &Inner) -> Ports {
    let entities = inner.graph.store.read().entities();
    let mut declared = Declared::default();
    for entity in &entities {
        entity.components().iter().for_each(|component| declared.add(component));
    }
    Ports::of(&entities, &entities, &Routes::of(&declared), asks_for_thread)
}

/// The plan of the loaded graph.
pub(crate) fn plan(inner: &Inner, options: &Options) -> Plan {
    let ports = ports(inner);
    gxf_plan::compile(&ports.entities, &ports.variables, options)
}

/// What is wrong with a plan for the loaded graph.
pub(crate) fn check(inner: &Inner, plan: &Plan) -> Diagnostics {
    let ports = ports(inner);
    gxf_plan::check_for(plan, &ports.entities, &ports.variables, &ports.devices())
}
