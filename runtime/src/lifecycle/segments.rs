//! The segments of a graph: graphs of their own, whose status, statistics and traces belong to it.

use crate::context::status::GraphStatus;
use crate::host::device_work::watch_devices;
use crate::inner::{Inner, Segment};
use crate::lifecycle::report::RunReport;
use gxf_app::error::Result;
use gxf_engine::observe::statistics::Statistics;
use gxf_engine::observe::trace::{Trace, TraceOptions};
use gxf_engine::schedule::engine::StatusRow;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

impl Inner {
    /// Adds a segment, in place of one of the same name that is gone.
    pub fn add_segment(&self, name: &str, graph: &Arc<Self>) {
        if let Some(history) = self.observation.history() {
            graph.enable_statistics(history);
        }
        let mut segments = self.segments.lock();
        segments.known.retain(|known| known.name != name || known.graph.strong_count() > 0);
        let (name, recorded) = (name.to_owned(), segments.recorded.clone());
        let graph_of_it = Arc::downgrade(graph);
        let segment = Segment {
            name: name.clone(),
            graph: graph_of_it,
            statistics: None,
            trace: None,
            report: None,
        };
        segments.known.push(segment);
        drop(segments);
        if let Some(options) = recorded
            && let Err(error) = graph.trace_start(&options)
        {
            tracing::warn!("segment {name} is not recorded: {error}");
        }
    }

    /// Leaves what was measured and recorded to the graph that this one is a segment of.
    pub fn leave_graph(&self) {
        let Some(graph) = self.segment_of.lock().upgrade() else { return };
        let (statistics, trace) = (self.statistics(), self.trace_stop());
        let report = Some(self.run_report());
        let mut segments = graph.segments.lock();
        let is_this = |segment: &&mut Segment| std::ptr::eq(segment.graph.as_ptr(), self);
        if let Some(segment) = segments.known.iter_mut().find(is_this) {
            (segment.statistics, segment.trace, segment.report) = (statistics, trace, report);
            segment.graph = Weak::new();
        }
    }

    /// The segments that are there, with their names.
    pub fn living_segments(&self) -> Vec<(String, Arc<Self>)> {
        let segments = self.segments.lock();
        let living = segments.known.iter().map(|segment| {
            let graph = segment.graph.upgrade()?;
            Some((segment.name.clone(), graph))
        });
        living.flatten().collect()
    }

    /// What is left of segments that are gone, and then that of those that are there, with their names.
    fn of_segments<T>(
        &self,
        left: impl Fn(&Segment) -> Option<T>,
        living: impl Fn(&Self) -> Option<T>,
    ) -> Vec<(String, T)> {
        let segments = self.segments.lock();
        let known = segments.known.iter();
        let left = known.filter_map(|segment| Some((segment.name.clone(), left(segment)?)));
        let mut all: Vec<(String, T)> = left.collect();
        drop(segments);
        let segments = self.living_segments().into_iter();
        all.extend(segments.filter_map(|(name, segment)| Some((name, living(&segment)?))));
        all
    }

    /// Enables statistics from the next activation on.
    pub fn enable_statistics(&self, history: usize) {
        watch_devices();
        self.observation.enable_statistics(history);
        for (_, segment) in self.living_segments() {
            segment.enable_statistics(history);
        }
    }

    /// What was measured of the segments, by name.
    pub fn segment_statistics(&self) -> BTreeMap<String, Statistics> {
        let all = self.of_segments(|segment| segment.statistics.clone(), Self::statistics);
        all.into_iter().collect()
    }

    /// Adds what ran in the segments; their entities are called `segment/entity`.
    pub fn add_segment_reports(&self, report: &mut RunReport) {
        let all = self
            .of_segments(|segment| segment.report.clone(), |segment| Some(segment.run_report()));
        let all: BTreeMap<String, RunReport> = all.into_iter().collect();
        for (name, segment) in all {
            report.entities.extend(segment.entities.into_iter().map(|mut entity| {
                entity.name = format!("{name}/{}", entity.name);
                entity
            }));
        }
    }

    /// Adds what the segments do; their entities are called `segment/entity`, and so are their threads
    /// and jobs.
    pub fn add_segment_status(&self, whole: &mut GraphStatus) {
        for (name, segment) in self.living_segments() {
            let full = |entity: &str| format!("{name}/{entity}");
            let status = segment.status();
            whole.entities.extend(status.entities.into_iter().map(|mut entity| {
                entity.name = full(&entity.name);
                for link in entity.queues.iter_mut().filter_map(|queue| queue.link.as_mut()) {
                    link.entity = full(&link.entity);
                }
                entity
            }));
            let named = |row: StatusRow| StatusRow { name: full(&row.name), ..row };
            whole.threads.extend(status.threads.into_iter().map(named));
            whole.jobs.extend(status.jobs.into_iter().map(named));
            whole.calls.extend(status.calls.into_iter().map(|mut call| {
                call.entity =
                    Some(call.entity.map_or_else(|| name.clone(), |entity| full(&entity)));
                call
            }));
        }
    }

    /// Records the segments, too, from now on.
    pub fn start_segment_traces(&self, options: &TraceOptions) -> Result<()> {
        let options = TraceOptions { file: None, ..options.clone() };
        self.segments.lock().recorded = Some(options.clone());
        self.living_segments().iter().try_for_each(|(_, segment)| segment.trace_start(&options))
    }

    /// Ends the recording of segments.
    pub fn stop_segment_traces(&self) -> Vec<(String, Trace)> {
        let mut segments = self.segments.lock();
        segments.recorded = None;
        let known = segments.known.iter_mut();
        let left = known.filter_map(|segment| Some((segment.name.clone(), segment.trace.take()?)));
        let mut all: Vec<(String, Trace)> = left.collect();
        drop(segments);
        let living = self.living_segments().into_iter();
        all.extend(living.filter_map(|(name, segment)| Some((name, segment.trace_stop()?))));
        all
    }

    /// What was recorded of segments so far.
    pub fn segment_traces(&self) -> Vec<(String, Trace)> {
        self.of_segments(|segment| segment.trace.clone(), Self::trace)
    }
}
