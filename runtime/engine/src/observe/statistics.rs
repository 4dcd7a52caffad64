//! Statistics of a run as plain data, which `gxe --statistics` prints and writes.

use gxf_app::escape;
use gxf_plugin::component::{Component, FromComponent};
use gxf_plugin_abi::{DeviceWork, tids};
use serde::Serialize;
use serde::ser::SerializeMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Statistics of a run; see [`crate::Context::enable_statistics`].
///
/// Execution times are real time, waiting times are the scheduler's clock. Quantiles have two
/// significant digits.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Statistics {
    /// Version of this format. New keys do not change it; any other change raises it.
    pub version: Version,
    /// Type of the scheduler.
    pub scheduler: String,
    /// Duration of the run so far, in nanoseconds of real time.
    pub duration_ns: u64,
    /// The entities with codelets, in the order of activation, including the latest hundred
    /// destroyed ones.
    pub entities: Vec<EntityStatistics>,
    /// The sum of earlier destroyed entities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub departed: Option<DepartedStatistics>,
    /// Their queues.
    pub queues: Vec<QueueStatistics>,
    /// Pairs of a transmitter and a connected receiver.
    pub connections: Vec<ConnectionStatistics>,
    /// The allocators of the graph.
    pub allocators: Vec<AllocatorUse>,
    /// The streams of CUDA devices that worked for the graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuda_streams: Vec<StreamUse>,
    /// The entities whose work on CUDA devices may become CUDA graphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuda_graphs: Vec<GraphUse>,
    /// The links to other processes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkUse>,
    /// The parts of the graph that end alone, under the actor scheduler.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobProgress>,
    /// The deadlines of the entities that have one.
    pub deadlines: Vec<DeadlineStatistics>,
    /// The segments of the graph: graphs of their own, in this process, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub segments: BTreeMap<String, Statistics>,
    /// What the run did.
    pub trace_hash: TraceHash,
}

impl Statistics {
    /// The same with the rows of the segments beside those of the graph. Names of their entities
    /// begin with the segment: `segment/entity`.
    #[must_use]
    pub fn flattened(mut self) -> Self {
        for (segment, statistics) in std::mem::take(&mut self.segments) {
            let full = |name: &mut String| *name = format!("{segment}/{name}");
            let mut part = statistics.flattened();
            part.entities.iter_mut().for_each(|one| full(&mut one.name));
            part.queues.iter_mut().for_each(|one| full(&mut one.entity));
            part.allocators.iter_mut().for_each(|one| full(&mut one.entity));
            part.links.iter_mut().for_each(|one| full(&mut one.entity));
            part.deadlines.iter_mut().for_each(|one| full(&mut one.entity));
            part.cuda_graphs.iter_mut().for_each(|one| full(&mut one.entity));
            part.jobs.iter_mut().for_each(|one| full(&mut one.name));
            for connection in &mut part.connections {
                full(&mut connection.source);
                full(&mut connection.target);
            }
            self.entities.append(&mut part.entities);
            self.queues.append(&mut part.queues);
            self.connections.append(&mut part.connections);
            self.allocators.append(&mut part.allocators);
            self.links.append(&mut part.links);
            self.cuda_streams.append(&mut part.cuda_streams);
            self.cuda_graphs.append(&mut part.cuda_graphs);
            self.jobs.append(&mut part.jobs);
            self.deadlines.append(&mut part.deadlines);
        }
        self
    }
}

/// A part of the graph that ends alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JobProgress {
    /// Its name, with its number in the plan.
    pub name: String,
    /// Number of its entities.
    pub actors: u64,
    /// Number of those that have not ended.
    pub running: u64,
}

/// Version of the form of [`Statistics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Version(pub u32);

impl Default for Version {
    fn default() -> Self {
        Self(1)
    }
}

/// One number for the schedule of the run: which entity ticked when, and which messages it took and
/// sent. Under a `ManualClock`, an app whose schedule is deterministic has the same in every run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TraceHash {
    /// In hexadecimal.
    pub sha256: String,
}

/// Statistics of one entity.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EntityStatistics {
    /// Name of the entity.
    pub name: String,
    /// Id of the entity.
    #[serde(skip)]
    pub eid: i64,
    /// GXF's name of its execution status.
    pub state: String,
    /// Number of successful ticks.
    pub ticks: u64,
    /// Number of failed ticks. A failure usually ends the graph, except in a behaviour tree.
    pub failed_ticks: u64,
    /// Ticks per second of the run.
    pub rate_hz: f64,
    /// Durations of its ticks.
    pub execution_ns: Times,
    /// Percentage of the run's time that it spent executing.
    pub load_percent: f64,
    /// Delays of its execution after the times its terms named, in nanoseconds of the scheduler's
    /// clock.
    pub variation_ns: Times,
    /// Time that each term kept it waiting, and CUDA devices, in nanoseconds of the scheduler's clock.
    #[serde(serialize_with = "by_term")]
    pub waited_ns: Vec<(String, i64)>,
    /// Its codelets in order.
    pub codelets: Vec<CodeletStatistics>,
    /// Its terms in order, combiners last.
    pub terms: Vec<TermStatistics>,
    /// The latest changes of its condition, oldest first.
    #[serde(skip)]
    pub events: Vec<StateChange>,
}

/// Sum of entities that were destroyed earlier, and of former connections.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct DepartedStatistics {
    /// Number of these entities.
    pub entities: u64,
    /// Number of their successful ticks.
    pub ticks: u64,
    /// Number of their ticks that failed.
    pub failed_ticks: u64,
    /// Durations of their ticks.
    pub execution_ns: Times,
    /// Messages sent, including those of existing entities over former connections.
    pub messages: u64,
    /// Number of these messages that displaced or lost a message.
    pub dropped: u64,
}

/// Durations in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    /// Sum.
    pub total: u64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Maximum.
    pub max: u64,
}

/// Statistics of one codelet.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CodeletStatistics {
    /// Name of the component, or its type if it has none.
    pub name: String,
    /// Id of the component.
    #[serde(skip)]
    pub cid: i64,
    /// Number of ticks.
    pub ticks: u64,
    /// Ticks per second of the run.
    pub rate_hz: f64,
    /// Durations of the ticks.
    pub execution_ns: Times,
}

/// Statistics of one scheduling term or combiner.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TermStatistics {
    /// Name of the component, or its type if it has none.
    pub name: String,
    /// How often and how long it was in each state, in nanoseconds of the scheduler's clock: Never,
    /// Ready, Wait, WaitTime, WaitEvent.
    pub states: Vec<StateStatistics>,
}

/// One state of a [`TermStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StateStatistics {
    /// GXF's name of the state.
    pub state: &'static str,
    /// How often the term entered it.
    pub count: u64,
    /// How long the term was in it, in nanoseconds of the scheduler's clock.
    pub duration_ns: i64,
}

/// A change of an entity's combined condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StateChange {
    /// Time of the change, in nanoseconds of the scheduler's clock.
    pub timestamp: i64,
    /// GXF's name of the new condition.
    pub state: &'static str,
}

/// Fill level of one queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QueueStatistics {
    /// Name of its entity.
    pub entity: String,
    /// Name of the component.
    pub component: String,
    /// Capacity in messages; under the actor scheduler, the number of instances of the plan.
    pub capacity: u64,
    /// Median number of messages in the samples. A receiver is sampled before each tick of its
    /// entity, a transmitter after it.
    pub median_fill: u64,
    /// Highest number of messages in the samples.
    pub max_fill: u64,
    /// Messages taken out.
    pub messages: u64,
    /// Messages lost here.
    pub dropped: u64,
    /// For a transmitter, the bytes of the largest payloads of a message: of the latest message of
    /// each tick. Memory that a payload holds counts if it is that of a tensor, a video frame or an
    /// audio buffer. Absent for a receiver.
    #[serde(skip_serializing_if = "is_zero")]
    pub max_payload_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Statistics of one connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConnectionStatistics {
    /// The transmitter, as `entity/component`.
    pub source: String,
    /// The receiver, as `entity/component`.
    pub target: String,
    /// Messages sent.
    pub messages: u64,
    /// Number of these messages that displaced or lost a message, because the receiver was full.
    pub dropped: u64,
}

/// How an entity kept its deadline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeadlineStatistics {
    /// Name of the entity.
    pub entity: String,
    /// Name of the `Deadline`.
    pub component: String,
    /// Nanoseconds that are allowed.
    pub limit_ns: i64,
    /// Number of ticks that took longer.
    pub missed: u64,
    /// Nanoseconds of the longest tick, from the moment at which it could begin.
    pub longest_ns: i64,
}

/// Statistics of one allocator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AllocatorUse {
    /// Name of its entity.
    pub entity: String,
    /// Name of the component.
    pub component: String,
    /// Bytes in use.
    pub used_bytes: u64,
    /// Highest number of bytes in use at once.
    pub peak_bytes: u64,
    /// Number of allocations so far.
    pub allocations: u64,
}

/// What a stream of a CUDA device did for a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StreamUse {
    /// Number of the device.
    pub device: i32,
    /// Number of the stream among those of the device that worked for the graph, from 1.
    pub stream: u64,
    /// Pieces of work that the device has done.
    pub works: u64,
    /// Nanoseconds of the device from the first to the last operation of each piece.
    pub busy_ns: u64,
    /// Waits for other streams, on the device.
    pub waits: u64,
    /// Bytes copied to the device.
    pub to_device_bytes: u64,
    /// Bytes copied to the host.
    pub to_host_bytes: u64,
    /// Bytes copied within or between devices.
    pub between_bytes: u64,
}

impl StreamUse {
    /// Adds a piece of work, apart from its time.
    pub fn add(&mut self, work: &DeviceWork) {
        self.works += 1;
        self.waits += work.waits;
        self.to_device_bytes += work.to_device;
        self.to_host_bytes += work.to_host;
        self.between_bytes += work.between;
    }
}

/// What became of the work of an entity that may become CUDA graphs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphUse {
    /// Name of the entity.
    pub entity: String,
    /// Graphs that were captured.
    pub captured: u64,
    /// Pieces of work that were launched as a graph.
    pub launches: u64,
    /// Operations in them.
    pub operations: u64,
    /// Pieces of work that were launched with that of an entity behind this one.
    pub joined: u64,
    /// Pieces of work that were not, and so the last of a chain.
    pub ended: u64,
    /// Why the first of them was; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub end_reason: String,
    /// Pieces of work that were enqueued operation by operation.
    pub ordinary: u64,
    /// Why they stay so; empty if a graph may follow.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// What went over a link to another process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkUse {
    /// Name of its entity.
    pub entity: String,
    /// Name of the receiver or transmitter.
    pub component: String,
    /// The other end.
    pub peer: String,
    /// Whether the entity receives through it; otherwise it sends.
    pub receives: bool,
    /// Messages so far.
    pub messages: u64,
    /// Their bytes on the wire; 0 within a process.
    pub bytes: u64,
    /// Messages that wait: to be sent or acknowledged, or to be taken.
    pub queued: u64,
    /// Messages that may be sent before the receiver says more.
    pub credits: u64,
    /// Nanoseconds of the latest round trip; 0 if there was none.
    pub round_trip_ns: u64,
    /// Connections after the first one.
    pub reconnects: u64,
    /// Messages that were lost.
    pub dropped: u64,
}

impl LinkUse {
    /// That of a component, if it has a link.
    #[must_use]
    pub fn of(entity: &str, component: &Arc<Component>) -> Option<Self> {
        let link = gxf::Link::from_component(component)?;
        let statistics = link.call("statistics", |link| link.statistics()).ok()?;
        Some(Self {
            entity: entity.to_owned(),
            component: component.label().to_owned(),
            peer: link.call("peer", |link| link.peer()).unwrap_or_default(),
            receives: component.is_a(tids::RECEIVER),
            messages: statistics.messages,
            bytes: statistics.bytes,
            queued: statistics.queued,
            credits: statistics.credits,
            round_trip_ns: statistics.round_trip,
            reconnects: statistics.reconnects,
            dropped: statistics.dropped,
        })
    }
}

fn by_term<S: serde::Serializer>(
    waited: &[(String, i64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(waited.len()))?;
    for (term, time) in waited {
        map.serialize_entry(term, time)?;
    }
    map.end()
}

impl Statistics {
    /// The statistics as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("keys are texts");
        format!("{}\n", escape::json(&text))
    }
}
