//! Information for programs about their graph, during a run or without one.

use super::Context;
use super::status::{GraphStatus, PendingCall};
use crate::host::device_work::watch_devices;
use crate::inspect::{GraphDescription, GraphValues};
use crate::lifecycle::observation::AwaitedMessage;
use gxf_app::Diagnostics;
use gxf_app::error::Result;
use gxf_engine::observe::statistics::Statistics;
use gxf_engine::observe::trace::{Trace, TraceOptions};
use gxf_plugin_abi::Uid;
use std::ffi::c_char;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Context {
    /// The loaded graph as plain data: entities, components, parameters, connections.
    #[must_use]
    pub fn describe(&self) -> GraphDescription {
        crate::inspect::describe::describe(self.inner())
    }

    /// The values from the files before the graph is activated, to compare with later versions of
    /// the files.
    #[must_use]
    pub fn values(&self) -> GraphValues {
        crate::inspect::values(self.inner())
    }

    /// Finds certain and probable mistakes in the loaded graph without running it; see
    /// [`crate::check`]. The findings are in the order of their places.
    #[must_use]
    pub fn check(&self) -> Diagnostics {
        crate::check::check(self.inner())
    }

    /// The transmitters that never send anything if these receivers of links stay empty, because of one
    /// of them. Whoever knows several graphs that lead to each other finds out by this whether they
    /// wait for each other.
    #[must_use]
    pub fn starved(&self, empty: &[Uid]) -> Vec<crate::check::Starved> {
        crate::check::starved(self.inner(), empty)
    }

    /// The plan of the loaded graph for the actor scheduler.
    #[must_use]
    pub fn plan(&self, options: &gxf_plan::Options) -> gxf_plan::Plan {
        crate::inspect::plan::plan(self.inner(), options)
    }

    /// What is wrong with a plan for the loaded graph.
    #[must_use]
    pub fn check_plan(&self, plan: &gxf_plan::Plan) -> Diagnostics {
        crate::inspect::plan::check(self.inner(), plan)
    }

    /// Calls into extensions that have not returned; those outside a run are listed outermost
    /// first. Cheaper than [`Context::status`].
    #[must_use]
    pub fn calls(&self) -> Vec<PendingCall> {
        self.inner().calls()
    }

    /// What the graph is doing now. Asks the terms, like a scheduler; does not wait for entities
    /// that are executing.
    #[must_use]
    pub fn status(&self) -> GraphStatus {
        self.inner().status()
    }

    /// Number of entities that waited for each other, or for a queue that nothing fills, when the
    /// latest run ended in a deadlock. Entities that waited for finished ones do not count.
    #[must_use]
    pub fn stuck_entities(&self) -> usize {
        self.inner().observation.stuck()
    }

    /// Collects statistics from the next activation on; see [`Context::statistics`]. Costs some
    /// hundred nanoseconds per tick.
    pub fn enable_statistics(&self) {
        self.inner().enable_statistics(gxf_engine::observe::HISTORY);
    }

    /// Makes threads wait for CUDA devices after each piece of work, so that an error ends the tick
    /// that caused it. Slow; for finding mistakes.
    pub fn synchronize_cuda(&self) {
        self.inner().cuda_sync.store(true, Ordering::Relaxed);
        watch_devices();
    }

    /// Bounds how far entities run ahead of CUDA devices: an entity does not tick while this many of its
    /// ticks have work on a stream that the device has not done. 8 by default; 0 for no bound. Under a
    /// clock that does not pass by itself the thread of a tick waits. A static schedule bounds it itself.
    pub fn set_max_in_flight(&self, ticks: usize) {
        self.inner().device_ticks.set_max(ticks);
    }

    /// Launches the work of capturable codelets as CUDA graphs, where it repeats.
    pub fn make_cuda_graphs(&self) {
        let inner = self.inner();
        inner.cuda_graphs.store(true, Ordering::Relaxed);
        let graph = Arc::downgrade(&self.inner);
        let is_end = move |eid| graph.upgrade().is_none_or(|it| it.chain_end(eid).is_some());
        inner.observation.end_chains(Arc::new(is_end));
        watch_devices();
    }

    /// Statistics since the graph was activated; available during the run and until the next
    /// activation. `None` unless they were enabled.
    #[must_use]
    pub fn statistics(&self) -> Option<Statistics> {
        self.inner().statistics()
    }

    /// Measures the next few ticks of every entity, for [`Context::status`]. Costs about a
    /// microsecond per entity and call, and nothing after those ticks.
    pub fn take_samples(&self) {
        self.inner().take_samples();
    }

    /// Asks for a description of the next message of a receiver, before its entity ticks, or of a
    /// transmitter, after it.
    ///
    /// # Errors
    /// There is no such queue, or the graph does not run.
    pub fn look_at(&self, queue: Uid) -> Result<AwaitedMessage> {
        self.inner().look_at(queue)
    }

    /// The segments that this process runs for this graph, with their names. They end with this graph.
    #[must_use]
    pub fn segments(&self) -> Vec<(String, Self)> {
        let segments = self.inner().living_segments().into_iter();
        segments.map(|(name, inner)| (name, Self { inner, _owner: None })).collect()
    }

    /// Starts a trace now, or, if the graph does not run, with its next run.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` if a trace is already being recorded; `FAILURE` if its file
    /// cannot be created.
    pub fn trace_start(&self, options: &TraceOptions) -> Result<()> {
        self.inner().trace_start(options)
    }

    /// The trace so far; recording continues. `None` if no trace is being recorded.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        self.inner().trace()
    }

    /// Stops recording and returns the trace. `None` if no trace was being recorded.
    pub fn trace_stop(&self) -> Option<Trace> {
        self.inner().trace_stop()
    }

    /// A copy of a text that stays at its place until another text is kept for the same object and
    /// the same `what`, or the object is gone. A zero byte in it ends it.
    #[must_use]
    pub fn keep_text(&self, object: Uid, what: &str, text: &str) -> *const c_char {
        let inner = self.inner();
        inner.texts.lock().keep(&inner.graph, object, what, text)
    }
}
