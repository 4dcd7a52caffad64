//! `gxe::DeviceGraphs`: work of devices that becomes CUDA graphs.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::device_work::graph_of_this_thread;
use crate::inner::Inner;
use gxf_engine::entity::runner::Runner;
use gxf_plugin::call_note::execution;
use gxf_plugin_abi::{DeviceGraphTable, TYPE_CAPTURABLE, Text};

/// The table.
pub(super) static DEVICE_GRAPHS: DeviceGraphTable =
    DeviceGraphTable { size: size_of::<DeviceGraphTable>(), is_wanted, launched, ordinary };

/// What this thread executes.
pub(super) fn runner<'a>() -> Option<&'a Runner> {
    // SAFETY: null, or what this thread executes until it returns to the engine.
    unsafe { execution().cast::<Runner>().as_ref() }
}

unsafe extern "C" fn is_wanted() -> bool {
    graph_of_this_thread().is_some_and(|graph| graph.makes_cuda_graphs())
        && runner().and_then(Runner::activity).is_some_and(|(codelet, function)| {
            function == "tick" && codelet.type_info.flags & TYPE_CAPTURABLE != 0
        })
}

unsafe extern "C" fn launched(operations: u64, is_new: bool) {
    if let (Some(graph), Some(runner)) = (graph_of_this_thread(), runner()) {
        graph.observation.launched_graph(runner.entity.name(), operations, is_new);
    }
}

unsafe extern "C" fn ordinary(reason: Text) {
    // SAFETY: the text is readable for its length.
    let reason = unsafe { gxf::text_lossy(reason) };
    if let (Some(graph), Some(runner)) = (graph_of_this_thread(), runner()) {
        ordinary_of(&graph, runner.entity.name(), &reason);
    }
}

/// Counts a piece of work that was enqueued operation by operation, and logs the first reason.
pub(super) fn ordinary_of(graph: &Inner, entity: &str, reason: &str) {
    if graph.observation.launched_each(entity, reason) {
        gxf::info!("entity `{entity}`: no CUDA graphs of its work, because {reason}");
    }
}
