//! Statistics, traces and looks at a graph, as a program asks for them.

use super::state::{GraphState, wrong_state};
use crate::host::device_work::watch_devices;
use crate::inner::Inner;
use crate::inspect::message::{MessageView, describe};
use gxf_app::error::{Error, Result};
use gxf_engine::observe::glance::Look;
use gxf_engine::observe::statistics::{JobProgress, Statistics};
use gxf_engine::observe::trace::{Trace, TraceOptions};
use gxf_engine::schedule::engine::StatusRow;
use gxf_plugin::component::FromComponent;
use gxf_plugin::registry::Registry;
use gxf_plugin_abi::{ResultCode, Uid};
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// The description of a message that has not come yet. Does not keep the graph.
pub struct AwaitedMessage {
    look: Arc<Look>,
    view: Receiver<MessageView>,
    registry: Arc<RwLock<Registry>>,
}

impl AwaitedMessage {
    /// Waits for the message; `None` if none comes in time.
    #[must_use]
    pub fn wait(self, patience: Duration) -> Option<MessageView> {
        let mut view = self.view.recv_timeout(patience).ok()?;
        let registry = self.registry.read();
        for payload in &mut view.payloads {
            let known = registry.by_id(payload.tid);
            payload.type_name =
                known.map_or_else(|| payload.tid.to_string(), |known| known.name.clone());
        }
        Some(view)
    }
}

impl Drop for AwaitedMessage {
    fn drop(&mut self) {
        self.look.cancel();
    }
}

fn job(row: StatusRow) -> JobProgress {
    let value =
        |key| row.values.iter().find(|(name, _)| *name == key).map_or(0, |(_, value)| *value);
    JobProgress { actors: value("actors"), running: value("running"), name: row.name }
}

impl Inner {
    /// Whether threads wait for CUDA devices after each piece of work, in this graph or the one that
    /// it is a segment of.
    pub fn waits_for_devices(&self) -> bool {
        let whole = || self.segment_of.lock().upgrade();
        self.cuda_sync.load(Ordering::Relaxed) || whole().is_some_and(|it| it.waits_for_devices())
    }

    /// Whether the work of capturable codelets becomes CUDA graphs, in this graph or the one that it is
    /// a segment of.
    pub fn makes_cuda_graphs(&self) -> bool {
        let whole = || self.segment_of.lock().upgrade();
        self.cuda_graphs.load(Ordering::Relaxed) || whole().is_some_and(|it| it.makes_cuda_graphs())
    }

    /// What was measured since the graph was activated, if statistics are enabled.
    pub fn statistics(&self) -> Option<Statistics> {
        let kept = self.run.lock().statistics.clone();
        let mut statistics = kept.or_else(|| self.statistics_now())?;
        statistics.segments = self.segment_statistics();
        Some(statistics)
    }

    /// The same of this graph itself, while it is active.
    fn statistics_now(&self) -> Option<Statistics> {
        let reports = self.entity_reports().into_iter();
        let states = reports.map(|report| (report.name, report.state)).collect();
        let mut statistics = self.observation.statistics(&self.graph, &states)?;
        let engine = self.engine();
        let rows = engine.map_or_else(|| self.run.lock().jobs.clone(), |engine| engine.jobs());
        statistics.jobs = rows.into_iter().map(job).collect();
        Some(statistics)
    }

    /// Begins to record a trace.
    pub fn trace_start(&self, options: &TraceOptions) -> Result<()> {
        watch_devices();
        self.observation.trace_start(options)?;
        self.observation_changed();
        self.start_segment_traces(options)
    }

    /// The trace so far.
    pub fn trace(&self) -> Option<Trace> {
        Some(self.observation.trace()?.with_segments(self.segment_traces()))
    }

    /// Stops recording.
    pub fn trace_stop(&self) -> Option<Trace> {
        let trace = self.observation.trace_stop();
        self.observation_changed();
        Some(trace?.with_segments(self.stop_segment_traces()))
    }

    /// Measures the next few ticks of every entity.
    pub fn take_samples(&self) {
        self.observation.take_samples();
        self.observation_changed();
    }

    /// Describes the next message of a queue.
    pub fn look_at(&self, cid: Uid) -> Result<AwaitedMessage> {
        let component = self.graph.component(cid)?;
        if gxf::Queue::from_component(&component).is_none() {
            let text = format!("{} is no queue", component.description());
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        let state = *self.state.lock();
        if state != GraphState::Running {
            return Err(wrong_state("look_at", state));
        }
        let (sender, view) = sync_channel(1);
        let look = Arc::new(Look::new(cid, move |message| _ = sender.send(describe(message))));
        self.observation.look(component.eid(), look.clone());
        self.observation_changed();
        Ok(AwaitedMessage { look, view, registry: self.graph.registry.clone() })
    }

    fn observation_changed(&self) {
        for runner in self.run.lock().runners.all() {
            runner.observation_changed();
        }
    }
}
