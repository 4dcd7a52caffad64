//! Statistics and traces of a graph, as a program asks for them.

use crate::inner::Inner;
use gxf_app::error::Result;
use gxf_engine::observe::statistics::Statistics;
use gxf_engine::observe::trace::{Trace, TraceOptions};

impl Inner {
    /// What was measured since the graph was activated, if statistics are enabled.
    pub fn statistics(&self) -> Option<Statistics> {
        let reports = self.run_report().entities.into_iter();
        let states = reports.map(|report| (report.name, report.state)).collect();
        self.observation.statistics(&self.graph, &states)
    }

    /// Begins to record a trace.
    pub fn trace_start(&self, options: &TraceOptions) -> Result<()> {
        self.observation.trace_start(options)?;
        self.observation_changed();
        Ok(())
    }

    /// Stops recording.
    pub fn trace_stop(&self) -> Option<Trace> {
        let trace = self.observation.trace_stop();
        self.observation_changed();
        trace
    }

    fn observation_changed(&self) {
        for runner in self.run.lock().runners.all() {
            runner.observation_changed();
        }
    }
}
