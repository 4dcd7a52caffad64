//! The statistics and the trace of a graph.

use super::glance::{Look, Sample};
use super::observer::{ChainEnd, EntityObserver};
use super::record::{DEPARTED, Departed, Now, Record, codelet_labels, term_labels};
use super::statistics::{
    AllocatorUse, DeadlineStatistics, GraphUse, LinkUse, Statistics, StreamUse,
};
use super::time::{Origin, monotonic_now, nanoseconds_since};
use super::trace::{Event, Names, Recording, Span, Trace, TraceOptions};
use crate::entity::observer::{Observe, Observer};
use crate::entity::parts::Parts;
use crate::graph::Graph;
use crate::graph::store::Entity;
use crate::standard::deadline::{Deadline, Missed};
use gxf_app::error::{Error, Result};
use gxf_plugin::component::{CodeletRef, Component, FromComponent, Interface};
use gxf_plugin_abi::{DeviceWork, ResultCode, TYPE_CAPTURABLE, Uid};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// State changes to keep for an entity by default, as in GXF.
pub const HISTORY: usize = 100;

/// The observation of one graph.
pub struct Observation {
    /// Statistics and traces count times from here.
    origin: Origin,
    /// Whether a trace is being recorded, for readers without the lock.
    is_tracing: AtomicBool,
    /// If work on devices becomes CUDA graphs: whether those of several entities end with this one.
    chain_ends: OnceLock<ChainEnd>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Statistics are enabled, with this many state changes per entity.
    history: Option<usize>,
    /// In the order in which the entities were first activated.
    records: BTreeMap<u64, Arc<Mutex<Record>>>,
    /// Position of an entity's record.
    places: FxHashMap<Uid, u64>,
    /// Positions of the entities that left, latest last.
    left: VecDeque<u64>,
    /// Sum of the entities that left earlier.
    departed: Departed,
    recording: Option<Arc<Recording>>,
    /// By entity, once somebody has asked for samples.
    samples: Option<FxHashMap<Uid, Arc<Sample>>>,
    /// The streams of devices, in the order of their first work.
    streams: Vec<Stream>,
    /// The entities whose work may become CUDA graphs, in the order of their first work.
    graphs: Vec<GraphUse>,
    /// By entity.
    looks: Vec<(Uid, Arc<Look>)>,
    run: RunTime,
}

/// A stream of a device.
struct Stream {
    /// The driver's number of it; unused for the last one that statistics list.
    number: u64,
    counted: StreamUse,
    /// The latest time that it worked.
    latest: (i64, i64),
    /// Where the time before that ends.
    earlier: i64,
}

impl Stream {
    /// The part of a work's time that no other work has. Threads that enqueue work at the same time
    /// mark its begin before the end of what the stream does first, and their reports may come in
    /// another order.
    fn place(&mut self, begin: i64, end: i64) -> (i64, i64) {
        if end > self.latest.1 {
            self.earlier = self.latest.1;
            self.latest = (begin.max(self.earlier), end);
            return self.latest;
        }
        let (begin, end) = (begin.max(self.earlier), end.min(self.latest.0));
        if begin >= end {
            return (self.earlier, self.earlier);
        }
        self.earlier = end;
        (begin, end)
    }
}

/// Most streams that statistics list. The last one stands for all that came later.
const STREAMS: usize = 256;

/// Most entities whose CUDA graphs are counted.
const GRAPHS: usize = 1024;

/// Running time of a graph.
#[derive(Default)]
struct RunTime {
    scheduler: String,
    clock: Option<Interface<gxf::Clock>>,
    /// Start of the current run.
    begin: Option<u64>,
    /// Nanoseconds of finished runs.
    duration: u64,
    /// The clock's time at the end of the latest run.
    end: Option<i64>,
    /// Number of deadlocked entities.
    stuck: usize,
}

impl Default for Observation {
    fn default() -> Self {
        Self {
            origin: Origin::now(),
            is_tracing: AtomicBool::new(false),
            chain_ends: OnceLock::new(),
            state: Mutex::default(),
        }
    }
}

impl Observation {
    /// Enables statistics from the next activation on.
    pub fn enable_statistics(&self, history: usize) {
        let mut state = self.state.lock();
        let before = state.history.unwrap_or(0);
        state.history = Some(before.max(history));
    }

    /// How many state changes statistics keep of an entity; `None` unless they are enabled.
    pub fn history(&self) -> Option<usize> {
        self.state.lock().history
    }

    /// Starts over, because a graph is activated.
    pub fn begin(&self) {
        let mut state = self.state.lock();
        *state =
            State { history: state.history, recording: state.recording.take(), ..State::default() };
    }

    /// Notes that an entity is destroyed.
    pub fn entity_left(&self, entity: Uid) {
        let mut state = self.state.lock();
        if let Some(samples) = &mut state.samples {
            samples.remove(&entity);
        }
        let Some(place) = state.places.remove(&entity) else { return };
        state.left.push_back(place);
        if state.left.len() <= DEPARTED {
            return;
        }
        let oldest = state.left.pop_front();
        if let Some(record) = oldest.and_then(|place| state.records.remove(&place)) {
            state.departed.add(&record.lock());
        }
    }

    /// The lowest index that may be reused: the events of a trace name entities by index, as long
    /// as it has room for their names.
    pub fn reusable_from(&self) -> u32 {
        self.state.lock().recording.as_ref().map_or(0, |recording| recording.nameless())
    }

    /// Starts a run; `system` is a scheduler of an extension.
    pub fn run_begins(&self, system: Option<&Component>) {
        let mut state = self.state.lock();
        let run = &mut state.run;
        run.scheduler = system.map_or_else(String::new, |system| system.type_info().name.clone());
        run.begin = Some(nanoseconds_since(self.origin));
        run.stuck = 0;
    }

    /// Sets the scheduler and the clock of the run.
    pub fn run_uses(&self, scheduler: &Component, clock: &Interface<gxf::Clock>) {
        let mut state = self.state.lock();
        state.run.scheduler.clone_from(&scheduler.type_info().name);
        state.run.clock = Some(clock.clone());
    }

    /// Ends the run with this many stuck entities.
    pub fn run_ends(&self, stuck: usize) {
        // Outside the lock, because the clock may belong to an extension.
        let clock = self.state.lock().run.clock.take();
        let end = clock.map(|clock| clock.timestamp());
        let mut state = self.state.lock();
        let run = &mut state.run;
        if let Some(begin) = run.begin.take() {
            run.duration += nanoseconds_since(self.origin) - begin;
        }
        run.end = end;
        run.stuck = stuck;
    }

    /// The clock of the run, if there is one.
    pub fn clock(&self) -> Option<Interface<gxf::Clock>> {
        self.state.lock().run.clock.clone()
    }

    /// Number of deadlocked entities at the end of the latest run.
    pub fn stuck(&self) -> usize {
        self.state.lock().run.stuck
    }
}

impl Observe for Observation {
    fn observer(&self, entity: &Entity, number: u32, parts: &Parts) -> Option<Box<dyn Observer>> {
        let mut state = self.state.lock();
        let record = state.history.map(|history| {
            let next = state.records.last_key_value().map_or(0, |(latest, _)| latest + 1);
            let place = *state.places.entry(entity.eid()).or_insert(next);
            let record = state.records.entry(place);
            let new = || Record::new(entity.name(), entity.eid(), history);
            let record = record.or_insert_with(|| Arc::new(Mutex::new(new()))).clone();
            record.lock().learn(parts);
            record
        });
        let recording = state.recording.clone();
        let sample = state.samples.as_mut().map(|samples| samples.entry(entity.eid()).or_default());
        let sample = sample.cloned();
        state.looks.retain(|(_, look)| !look.is_done());
        let looks = state.looks.iter().filter(|(eid, _)| *eid == entity.eid());
        let looks: Vec<_> = looks.map(|(_, look)| look.clone()).collect();
        drop(state);
        if let Some(recording) = &recording {
            let queues = parts.inbox.iter().map(|inbox| inbox.receiver.component());
            recording.introduce(&Names {
                entity: number,
                name: entity.name().to_owned(),
                terms: term_labels(parts),
                codelets: codelet_labels(parts),
                queues: queues.map(|queue| (queue.cid(), queue.label().to_owned())).collect(),
            });
        }
        let is_capturable =
            |codelet: &CodeletRef| codelet.component().type_info().flags & TYPE_CAPTURABLE != 0;
        let chain_end = self.chain_ends.get().filter(|_| parts.codelets.iter().any(is_capturable));
        let chain_end = chain_end.map(|is_end| (entity.eid(), is_end.clone()));
        let is_used = chain_end.is_some()
            || record.is_some()
            || recording.is_some()
            || sample.is_some()
            || !looks.is_empty();
        is_used.then(|| {
            let observer = EntityObserver::new(number, self.origin, record, recording);
            Box::new(observer.glancing(sample, looks).ending(chain_end)) as Box<_>
        })
    }

    fn now(&self) -> Option<i64> {
        self.clock().map(|clock| clock.timestamp())
    }

    fn missed_deadline(&self, entity: &Entity, missed: &Missed) {
        if self.is_tracing() {
            let end = monotonic_now();
            let span = Span { group: "deadlines", track: entity.name(), name: "missed" };
            self.trace_span(&span, end - missed.took, end);
        }
    }
}

impl Observation {
    /// What was measured since the graph was activated, if statistics are enabled.
    pub fn statistics(
        &self,
        graph: &Graph,
        states: &FxHashMap<String, String>,
    ) -> Option<Statistics> {
        let state = self.state.lock();
        state.history?;
        let run = &state.run;
        let running = run.begin.map_or(0, |begin| nanoseconds_since(self.origin) - begin);
        let records: Vec<_> = state.records.values().cloned().collect();
        let departed = state.departed.statistics(records.iter());
        let mut hash = state.departed.trace_hash();
        let (scheduler, duration) = (run.scheduler.clone(), run.duration + running);
        let (clock, end) = (run.clock.clone(), run.end);
        let streams = state.streams.iter().map(|stream| stream.counted).collect();
        let graphs = state.graphs.clone();
        drop(state);
        let now = Now { duration, clock: clock.map(|clock| clock.timestamp()).or(end) };
        let mut statistics =
            Statistics { scheduler, duration_ns: duration, departed, ..Statistics::default() };
        let mut lost: FxHashMap<Uid, u64> = FxHashMap::default();
        for record in &records {
            for (receiver, connection) in record.lock().connections() {
                *lost.entry(receiver).or_default() += connection.dropped;
                statistics.connections.push(connection);
            }
        }
        for record in &records {
            let record = record.lock();
            record.add_to(&mut hash);
            let state = states.get(&record.name).cloned();
            let state = state.unwrap_or_else(|| "not started".to_owned());
            statistics.entities.push(record.entity(&now, state));
            for (cid, counted, mut queue) in record.queues() {
                if !counted {
                    queue.dropped = lost.get(&cid).copied().unwrap_or(0);
                }
                statistics.queues.push(queue);
            }
        }
        statistics.allocators = allocators(graph);
        statistics.cuda_streams = streams;
        statistics.cuda_graphs = graphs;
        statistics.links =
            of_components(graph, |entity, component| LinkUse::of(entity.name(), component));
        // What a link drops, no connection of the graph counts.
        let dropped: FxHashMap<_, _> = statistics
            .links
            .iter()
            .map(|link| ((&*link.entity, &*link.component), link.dropped))
            .collect();
        for queue in &mut statistics.queues {
            let of_link = dropped.get(&(&*queue.entity, &*queue.component));
            queue.dropped += of_link.copied().unwrap_or(0);
        }
        statistics.deadlines = deadlines(graph);
        statistics.trace_hash.sha256 = hash.hex();
        Some(statistics)
    }

    /// Begins to record a trace.
    pub fn trace_start(&self, options: &TraceOptions) -> Result<()> {
        let origin = self.origin;
        {
            let mut state = self.state.lock();
            if state.recording.is_some() {
                return Err(Error::new(
                    ResultCode::INVALID_EXECUTION_SEQUENCE,
                    "a trace is already being recorded",
                ));
            }
            let file = options.file.as_deref();
            state.recording = Some(Recording::new(options.events_per_thread, file, origin)?);
            self.is_tracing.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Measures the next few ticks of every entity that looks for its observer again.
    pub fn take_samples(&self) {
        self.state.lock().samples.get_or_insert_default();
    }

    /// How long the latest measured ticks of an entity took.
    pub fn sample(&self, entity: Uid) -> Option<Arc<Sample>> {
        self.state.lock().samples.as_ref()?.get(&entity).cloned()
    }

    /// Looks at a message of an entity that looks for its observer again.
    pub fn look(&self, entity: Uid, look: Arc<Look>) {
        self.state.lock().looks.push((entity, look));
    }

    /// Whether a trace is being recorded. Cheap.
    pub fn is_tracing(&self) -> bool {
        self.is_tracing.load(Ordering::Relaxed)
    }

    /// Records a span of an extension, if a trace is being recorded. Times are those of
    /// [`super::monotonic_now`]; a span that began before this graph begins with it.
    pub fn trace_span(&self, span: &Span<'_>, begin: i64, end: i64) {
        let Some(recording) = self.state.lock().recording.clone() else { return };
        recording.write_span(span, self.origin.until(begin), self.origin.until(end.max(begin)));
    }

    /// Whether somebody wants to know about the work of devices.
    pub fn watches_devices(&self) -> bool {
        self.is_tracing() || self.history().is_some()
    }

    /// Counts and traces a piece of work of a device, which an entity enqueued.
    pub fn device_worked(&self, entity: &str, work: &DeviceWork) {
        let mut state = self.state.lock();
        let is_it =
            |stream: &Stream| stream.number == work.stream && stream.counted.device == work.device;
        let known = state.streams.iter().position(is_it);
        let place = known.unwrap_or_else(|| state.streams.len().min(STREAMS - 1));
        if place == state.streams.len() {
            let of_device = |stream: &&Stream| stream.counted.device == work.device;
            let stream = state.streams.iter().filter(of_device).count() as u64 + 1;
            let counted = StreamUse { device: work.device, stream, ..StreamUse::default() };
            state.streams.push(Stream { number: work.stream, counted, latest: (0, 0), earlier: 0 });
        }
        let is_shared = place == STREAMS - 1;
        let stream = &mut state.streams[place];
        let StreamUse { device, stream: number, .. } = stream.counted;
        stream.counted.add(work);
        let (begin, end) = stream.place(work.begin, work.end);
        stream.counted.busy_ns += u64::try_from(end - begin).unwrap_or(0);
        drop(state);
        // Work of several streams would overlap on one track.
        if self.is_tracing() && !is_shared {
            let track = format!("device {device}, stream {number}");
            let name = if entity.is_empty() { "outside of ticks" } else { entity };
            self.trace_span(&Span { group: "CUDA", track: &track, name }, begin, end);
        }
    }

    /// Counts a piece of work of an entity that was launched as a CUDA graph.
    pub fn launched_graph(&self, entity: &str, operations: u64, is_new: bool) {
        self.count_graphs(entity, |counted| {
            counted.captured += u64::from(is_new);
            counted.launches += 1;
            counted.operations += operations;
        });
    }

    /// Lets work of capturable codelets be held back beyond their ticks: an entity whose messages may
    /// not bear such work launches it before it sends them.
    pub fn end_chains(&self, is_end: ChainEnd) {
        _ = self.chain_ends.set(is_end);
    }

    /// Whether [`Self::end_chains`] was called.
    pub fn ends_chains(&self) -> bool {
        self.chain_ends.get().is_some()
    }

    /// Counts a piece of work of an entity that was launched with that of a later one.
    pub fn joined_graph(&self, entity: &str) {
        self.count_graphs(entity, |counted| counted.joined += 1);
    }

    /// Counts a piece of work of an entity that was not launched with that of the next one, and why.
    pub fn ends_chain(&self, entity: &str, reason: &str) {
        self.count_graphs(entity, |counted| {
            counted.ended += 1;
            if counted.end_reason.is_empty() {
                reason.clone_into(&mut counted.end_reason);
            }
        });
    }

    /// Counts a piece of work of an entity that was enqueued operation by operation, for this reason if
    /// it does not change, else an empty one. True for a reason that is not known yet.
    pub fn launched_each(&self, entity: &str, reason: &str) -> bool {
        let mut is_new = false;
        self.count_graphs(entity, |counted| {
            counted.ordinary += 1;
            is_new = !reason.is_empty() && counted.reason.is_empty();
            if is_new {
                reason.clone_into(&mut counted.reason);
            }
        });
        is_new
    }

    fn count_graphs(&self, entity: &str, count: impl FnOnce(&mut GraphUse)) {
        let graphs = &mut self.state.lock().graphs;
        let known = graphs.iter().position(|known| known.entity == entity);
        let place = known.unwrap_or(graphs.len());
        if place == GRAPHS {
            return;
        }
        if known.is_none() {
            graphs.push(GraphUse { entity: entity.to_owned(), ..GraphUse::default() });
        }
        count(&mut graphs[place]);
    }

    /// Records that a message went over a link, if a trace is being recorded.
    pub fn trace_passed(&self, track: &str, link: u64, sequence: u64, has_arrived: bool) {
        let Some(recording) = self.state.lock().recording.clone() else { return };
        let time = nanoseconds_since(self.origin);
        let event = |label| Event::passed(time, label, has_arrived, link, sequence);
        recording.write_link(track, event);
    }

    /// Records that the clock of a link's other end is ahead by so many nanoseconds, give or take
    /// `error`, if a trace is being recorded.
    pub fn trace_clock(&self, track: &str, link: u64, offset: i64, error: u64) {
        let Some(recording) = self.state.lock().recording.clone() else { return };
        let time = nanoseconds_since(self.origin);
        recording.write_link(track, |label| Event::clock(time, label, link, offset, error));
    }

    /// The trace so far.
    pub fn trace(&self) -> Option<Trace> {
        let recording = self.state.lock().recording.clone();
        recording.map(|recording| Trace::of(&recording))
    }

    /// Stops recording.
    pub fn trace_stop(&self) -> Option<Trace> {
        self.is_tracing.store(false, Ordering::Relaxed);
        let recording = self.state.lock().recording.take();
        recording.map(|recording| Trace::of(&recording))
    }
}

/// What some components of the graph say of themselves. The graph is not locked meanwhile, because a
/// component may be an extension's.
fn of_components<T>(graph: &Graph, look: impl Fn(&Entity, &Arc<Component>) -> Option<T>) -> Vec<T> {
    let entities = graph.store.read().entities();
    let mut found = Vec::new();
    for entity in &entities {
        found.extend(entity.components().iter().filter_map(|component| look(entity, component)));
    }
    found
}

fn deadlines(graph: &Graph) -> Vec<DeadlineStatistics> {
    of_components(graph, |entity, component| {
        let kept = component.native::<Deadline>()?.kept();
        Some(DeadlineStatistics {
            entity: entity.name().to_owned(),
            component: component.label().to_owned(),
            limit_ns: kept.limit,
            missed: kept.missed,
            longest_ns: kept.longest,
        })
    })
}

/// Statistics of the graph's allocators.
fn allocators(graph: &Graph) -> Vec<AllocatorUse> {
    of_components(graph, |entity, component| {
        let statistics = gxf::Allocator::from_component(component)?.statistics();
        Some(AllocatorUse {
            entity: entity.name().to_owned(),
            component: component.label().to_owned(),
            used_bytes: statistics.used_bytes,
            peak_bytes: statistics.peak_bytes,
            allocations: statistics.allocation_count,
        })
    })
}
