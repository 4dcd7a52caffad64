//! What a program may know of its graph, while it runs and without a run.

use super::Context;
use crate::error::Result;
use crate::graph::{Diagnostics, GraphDescription, GraphValues};
use crate::observe::{GraphStatus, PendingCall, Statistics, Trace, TraceOptions};

impl Context {
    /// What is loaded, as plain data: entities, components, parameters, connections.
    #[must_use]
    pub fn describe(&self) -> GraphDescription {
        crate::graph::describe::describe(self.inner())
    }

    /// What the files say about the graph, before it is activated: to be compared with what they say
    /// later.
    #[must_use]
    pub fn values(&self) -> GraphValues {
        crate::graph::values(self.inner())
    }

    /// Looks for what is probably or certainly wrong with the loaded graph, without running it; see
    /// [`crate::graph::check`]. The findings are in the order of their places.
    #[must_use]
    pub fn check(&self) -> Diagnostics {
        crate::graph::check::check(self.inner())
    }

    /// Calls of extensions' code that have not returned, outside of a run the outermost first. Costs
    /// less than [`Context::status`].
    #[must_use]
    pub fn calls(&self) -> Vec<PendingCall> {
        self.inner().calls()
    }

    /// What the graph does at this moment. Terms are asked for it, as a scheduler does; an entity
    /// that executes is not waited for.
    #[must_use]
    pub fn status(&self) -> GraphStatus {
        self.inner().status()
    }

    /// Number of entities that were still waiting for each other, or for a queue nobody fills, when
    /// the latest run ended in a deadlock. Those that wait for an entity that is done do not count.
    #[must_use]
    pub fn stuck_entities(&self) -> usize {
        self.inner().observation.stuck()
    }

    /// From the next activation on the graph measures itself; see [`Context::statistics`]. Costs some
    /// hundred nanoseconds a tick.
    pub fn enable_statistics(&self) {
        self.inner().observation.enable_statistics(crate::observe::HISTORY);
    }

    /// What was measured since the graph was activated; also while it runs, and until it is activated
    /// again. `None` when nothing was asked to be measured.
    #[must_use]
    pub fn statistics(&self) -> Option<Statistics> {
        self.inner().statistics()
    }

    /// Begins to record a trace, now if the graph runs, else when it does.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when one is being recorded already; `FAILURE` when its file
    /// cannot be made.
    pub fn trace_start(&self, options: &TraceOptions) -> Result<()> {
        self.inner().trace_start(options)
    }

    /// What was recorded so far; recording goes on. `None` when no trace is being recorded.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        self.inner().trace()
    }

    /// Stops recording. `None` when no trace was being recorded.
    pub fn trace_stop(&self) -> Option<Trace> {
        self.inner().trace_stop()
    }
}
