//! The plan of a loaded graph for the actor scheduler.

use crate::inner::Inner;
use gxf_app::Diagnostics;
use gxf_engine::graph::routes::{Declared, Routes};
use gxf_engine::graph::store::Entity;
use gxf_engine::schedule::actor::ports::{Ports, asks_for_thread};
use gxf_engine::standard::BuiltIn;
use gxf_engine::standard::resources::{GPUDevice, ThreadPool};
use gxf_plan::{Options, Plan};
use rustc_hash::FxHashMap;

/// The ports of the loaded graph, with the connections that it has once it is active.
fn ports(inner: &Inner) -> Ports {
    let entities = inner.graph.store.read().entities();
    let mut declared = Declared::default();
    for entity in &entities {
        entity.components().iter().for_each(|component| declared.add(component));
    }
    // Without a pool in its group an entity runs on the scheduler's threads.
    let pools = inner.graph.first_resources(ThreadPool::TID);
    let own_thread = |entity: &Entity| {
        asks_for_thread(entity) && pools.contains_key(&inner.graph.groups.lock().of(entity.eid()))
    };
    let mut ports = Ports::of(&entities, &entities, &Routes::of(&declared), own_thread);
    // A pool that is not initialised does not know its device yet.
    let devices = inner.graph.first_resources(GPUDevice::TID);
    let numbers = entities.iter().filter_map(|entity| {
        let device = devices.get(&inner.graph.groups.lock().of(entity.eid()))?;
        let number = device.native::<GPUDevice>()?.number();
        (number > 0).then_some((entity.name(), number))
    });
    let numbers: FxHashMap<&str, i32> = numbers.collect();
    for entity in &mut ports.entities {
        let Some(number) = numbers.get(&*entity.name) else { continue };
        let payloads = entity.outputs.iter_mut().filter_map(|output| output.payload.as_mut());
        for (_, memory) in payloads.filter(|(_, memory)| memory == "device") {
            *memory = format!("device:{number}");
        }
    }
    ports
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
