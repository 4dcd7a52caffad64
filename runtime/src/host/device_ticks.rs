//! `gxe::DeviceTicks`: how far entities run ahead of devices.
//!
//! Once an entity has as many ticks with work that the device has not done as the run allows
//! (`lifecycle/device_ticks.rs`), it is held: it waits for an event, and no thread waits. Where the time of
//! the run does not pass by itself, the thread waits, so that results do not depend on the device's speed.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::device_graphs::runner;
use crate::inner::Inner;
use crate::lifecycle::device_ticks::End;
use crate::live;
use gxf_device::{Action, Fence, when_done};
use gxf_engine::entity::runner::Status;
use gxf_plugin_abi::{CudaFence, DeviceTickTable};
use std::ffi::c_void;
use std::sync::Arc;

/// The table.
pub(super) static DEVICE_TICKS: DeviceTickTable =
    DeviceTickTable { size: size_of::<DeviceTickTable>(), enqueued };

impl Inner {
    /// Most ticks of an entity and stream with work that is not done, of this graph or the one that it is a
    /// segment of; 0 for any number.
    fn max_in_flight(&self) -> usize {
        match self.segment_of.lock().upgrade() {
            Some(whole) => whole.max_in_flight(),
            None => self.device_ticks.max(),
        }
    }
}

unsafe extern "C" fn enqueued(stream: *mut c_void, fence: *const CudaFence) {
    // SAFETY: the type is a transparent wrapper; callers pass a valid fence, or null.
    if let Some(fence) = unsafe { fence.cast::<Fence>().as_ref() } {
        tick_enqueued(End { stream: stream.addr(), fence });
    }
}

/// The tick of this thread has enqueued work up to a fence.
pub(super) fn tick_enqueued_up_to(fence: &Fence) {
    tick_enqueued(End { stream: fence.stream_address(), fence });
}

fn tick_enqueued(end: End<'_>) {
    let Some(runner) = runner().filter(|runner| runner.status() == Status::Ticking) else { return };
    let graph = live::of_this_thread().filter(|it| it.device_ticks.is_limited());
    let Some(graph) = graph else { return };
    let most = graph.max_in_flight();
    let runner = graph.active_runners.get(runner.entity.eid()).filter(|it| it.is_executing_here());
    let Some(runner) = runner.filter(|_| most > 0) else { return };
    if let Some(fence) = graph.device_ticks.note(&graph.active_runners, &runner, most, end) {
        if graph.device_ticks.blocks() {
            // Who uses a device that failed hears of it.
            _ = fence.synchronize();
            return;
        }
        runner.hold();
        let held = Arc::downgrade(&runner);
        let let_go = move || {
            if let Some(runner) = held.upgrade() {
                runner.let_go();
            }
        };
        // It is called in any case.
        if let Err(error) = when_done(fence.point(), Action::Run(Box::new(let_go))) {
            tracing::debug!("a device is not followed to the end of a tick: {error}");
        }
    }
}
