//! `gxe::DeviceWork`: what graphs want to know about the work of devices.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use crate::inner::Inner;
use crate::live;
use gxf_engine::entity::runner::Runner;
use gxf_plugin::call_note::execution;
use gxf_plugin_abi::{DeviceWork, DeviceWorkTable};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// The table.
pub(super) static DEVICE_WORK: DeviceWorkTable =
    DeviceWorkTable { size: size_of::<DeviceWorkTable>(), begin, end, is_synchronous };

/// Whether a graph of this process has ever wanted something of work on devices.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Makes the table look at what the graphs want.
pub(crate) fn watch_devices() {
    IS_WATCHED.store(true, Ordering::Relaxed);
}

/// Who waits for a piece of work.
struct Watch {
    graph: Weak<Inner>,
    /// Name of the entity that enqueued it; empty outside of a tick.
    entity: String,
}

/// The graph that this thread executes, if any graph wants something of work on devices.
pub(super) fn graph_of_this_thread() -> Option<Arc<Inner>> {
    if !IS_WATCHED.load(Ordering::Relaxed) {
        return None;
    }
    live::of_this_thread()
}

unsafe extern "C" fn begin() -> *mut c_void {
    let Some(graph) = graph_of_this_thread().filter(|graph| graph.observation.watches_devices())
    else {
        return null_mut();
    };
    // SAFETY: null, or what this thread executes now.
    let runner = unsafe { execution().cast::<Runner>().as_ref() };
    let entity = runner.map_or_else(String::new, |runner| runner.entity.name().to_owned());
    graph.device_watches.begin();
    Box::into_raw(Box::new(Watch { graph: Arc::downgrade(&graph), entity })).cast()
}

unsafe extern "C" fn end(watch: *mut c_void, work: *const DeviceWork) {
    // SAFETY: the box of `begin`, which ends once; `work` is null or valid.
    let (watch, work) = unsafe { (Box::from_raw(watch.cast::<Watch>()), work.as_ref()) };
    let Some(graph) = watch.graph.upgrade() else { return };
    if let Some(work) = work {
        graph.observation.device_worked(&watch.entity, work);
    }
    graph.device_watches.end();
}

unsafe extern "C" fn is_synchronous() -> bool {
    graph_of_this_thread().is_some_and(|graph| graph.waits_for_devices())
}
