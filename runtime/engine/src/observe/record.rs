//! Statistics of one entity while it runs.

use super::devices::{self, DEVICES};
use super::distribution::Distribution;
use super::statistics::{
    CodeletStatistics, ConnectionStatistics, DepartedStatistics, EntityStatistics, QueueStatistics,
    StateChange, StateStatistics, TermStatistics, Times,
};
use super::trace_hash::{TraceHash, Trail};
use crate::entity::parts::Parts;
use crate::entity::ports::Delivery;
use crate::standard::queue::{DoubleBuffer, Reported};
use gxf_plugin::component::{Component, FromComponent};
use gxf_plugin_abi::{Condition, ConditionType, Uid};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::Arc;

/// GXF's names of conditions, by number.
const STATES: [&str; 5] = ["Never", "Ready", "Wait", "WaitTime", "WaitEvent"];

fn state_of(condition: ConditionType) -> usize {
    match condition {
        ConditionType::READY => 1,
        ConditionType::WAIT => 2,
        ConditionType::WAIT_TIME => 3,
        ConditionType::WAIT_EVENT => 4,
        _ => 0,
    }
}

/// Most departed entities, and most former connections of an entity, to list individually; earlier
/// ones are summed up. A graph whose entities come and go all day thus needs bounded memory.
pub const DEPARTED: usize = 100;

/// Sum of entities that are no longer listed individually.
#[derive(Default)]
pub struct Departed {
    entities: u64,
    ticks: u64,
    failed_ticks: u64,
    execution: Distribution,
    connections: Sent,
    hash: TraceHash,
}

/// Sum of connections that are no longer listed individually.
#[derive(Clone, Copy, Default)]
struct Sent {
    messages: u64,
    dropped: u64,
}

impl Sent {
    fn add(&mut self, messages: u64, dropped: u64) {
        self.messages += messages;
        self.dropped += dropped;
    }
}

impl Departed {
    /// Adds an entity that left earlier.
    pub fn add(&mut self, record: &Record) {
        self.entities += 1;
        self.ticks += record.ticks;
        self.failed_ticks += record.failed_ticks;
        self.execution.merge(&record.execution);
        record.add_to(&mut self.hash);
        self.connections.add(record.earlier.messages, record.earlier.dropped);
        for connection in &record.connections {
            self.connections.add(connection.messages, connection.dropped);
        }
    }

    /// What they did.
    pub fn trace_hash(&self) -> TraceHash {
        self.hash
    }

    /// As a report, including the connections of entities that are listed individually.
    pub fn statistics<'a>(
        &self,
        records: impl Iterator<Item = &'a Arc<Mutex<Record>>>,
    ) -> Option<DepartedStatistics> {
        let mut sent = self.connections;
        for record in records {
            let earlier = record.lock().earlier;
            sent.add(earlier.messages, earlier.dropped);
        }
        (self.entities > 0 || sent.messages > 0).then(|| DepartedStatistics {
            entities: self.entities,
            ticks: self.ticks,
            failed_ticks: self.failed_ticks,
            execution_ns: times(&self.execution),
            messages: sent.messages,
            dropped: sent.dropped,
        })
    }
}

/// Counts and distributions of one entity.
pub struct Record {
    pub name: String,
    pub eid: Uid,
    ticks: u64,
    failed_ticks: u64,
    execution: Distribution,
    variation: Distribution,
    codelets: Vec<CodeletRecord>,
    terms: Vec<TermRecord>,
    /// The term that keeps the entity waiting, or [`DEVICES`], and since when.
    waiting: Option<(usize, i64)>,
    /// Time that devices kept it waiting.
    held: i64,
    state: Option<usize>,
    history: VecDeque<(i64, usize)>,
    history_limit: usize,
    /// In the order of the entity's inbox, then of its outbox.
    queues: Vec<QueueRecord>,
    receivers: usize,
    connections: Vec<ConnectionRecord>,
    /// By position in the outbox and of the target there: the position in `connections`.
    routes: Vec<Vec<usize>>,
    /// Former connections that are not in `connections`.
    earlier: Sent,
    trail: Trail,
}

struct CodeletRecord {
    name: String,
    cid: Uid,
    execution: Distribution,
}

struct TermRecord {
    name: String,
    waited: i64,
    /// Its latest answer, and since when.
    state: Option<(usize, i64)>,
    counts: [u64; 5],
    times: [i64; 5],
}

struct QueueRecord {
    name: String,
    cid: Uid,
    capacity: usize,
    fill: Distribution,
    messages: u64,
    largest_payload: u64,
    /// What the queue itself counts; `None` for queues of extensions.
    reported: Option<Arc<Reported>>,
}

struct ConnectionRecord {
    source: Box<str>,
    source_cid: Uid,
    target: Box<str>,
    target_cid: Uid,
    messages: u64,
    dropped: u64,
}

/// Labels of components, each unique.
fn labels<'a>(components: impl Iterator<Item = &'a Arc<Component>>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for component in components {
        let label = component.label();
        let mut unique = label.to_owned();
        let mut number = 1;
        while labels.contains(&unique) {
            number += 1;
            unique = format!("{label} #{number}");
        }
        labels.push(unique);
    }
    labels
}

/// Labels of the terms and combiners of an entity.
pub(super) fn term_labels(parts: &Parts) -> Vec<String> {
    let terms = parts.terms.iter().map(|term| term.component());
    labels(terms.chain(parts.combiners.iter().map(|combiner| combiner.component())))
}

/// Labels of the codelets of an entity.
pub(super) fn codelet_labels(parts: &Parts) -> Vec<String> {
    labels(parts.codelets.iter().map(|codelet| codelet.component()))
}

fn queue(component: &Arc<Component>, buffer: Option<&DoubleBuffer>) -> QueueRecord {
    QueueRecord {
        name: component.label().to_owned(),
        cid: component.cid(),
        capacity: gxf::Queue::from_component(component).map_or(0, |queue| queue.capacity()),
        fill: Distribution::default(),
        messages: 0,
        largest_payload: 0,
        reported: buffer.map(|buffer| buffer.reported().clone()),
    }
}

impl Record {
    pub fn new(name: &str, eid: Uid, history_limit: usize) -> Self {
        Self {
            name: name.to_owned(),
            eid,
            ticks: 0,
            failed_ticks: 0,
            execution: Distribution::default(),
            variation: Distribution::default(),
            codelets: Vec::new(),
            terms: Vec::new(),
            waiting: None,
            held: 0,
            state: None,
            history: VecDeque::new(),
            history_limit,
            queues: Vec::new(),
            receivers: 0,
            connections: Vec::new(),
            routes: Vec::new(),
            earlier: Sent::default(),
            trail: Trail::default(),
        }
    }

    /// Updates the record for the entity's current parts. Connections may come and go; the rest
    /// never changes.
    pub fn learn(&mut self, parts: &Parts) {
        if self.codelets.is_empty() {
            let codelets = codelet_labels(parts).into_iter().zip(&parts.codelets);
            self.codelets = codelets
                .map(|(name, codelet)| CodeletRecord {
                    name,
                    cid: codelet.component().cid(),
                    execution: Distribution::default(),
                })
                .collect();
            let terms = term_labels(parts).into_iter().map(|name| TermRecord {
                name,
                waited: 0,
                state: None,
                counts: [0; 5],
                times: [0; 5],
            });
            self.terms = terms.collect();
            self.receivers = parts.inbox.len();
            let receivers = parts
                .inbox
                .iter()
                .map(|inbox| queue(inbox.receiver.component(), inbox.receiver.buffer()));
            let transmitters = parts
                .outbox
                .iter()
                .map(|outbox| queue(outbox.transmitter.component(), outbox.transmitter.buffer()));
            self.queues = receivers.chain(transmitters).collect();
        }
        self.routes.clear();
        for outbox in &parts.outbox {
            let source = outbox.transmitter.component();
            let route = outbox.targets.iter().map(|target| {
                let ends = (source.cid(), target.queue.component().cid());
                let known = self
                    .connections
                    .iter()
                    .position(|known| (known.source_cid, known.target_cid) == ends);
                known.unwrap_or_else(|| {
                    self.connections.push(ConnectionRecord {
                        source: target.from.clone(),
                        source_cid: ends.0,
                        target: target.to.clone(),
                        target_cid: ends.1,
                        messages: 0,
                        dropped: 0,
                    });
                    self.connections.len() - 1
                })
            });
            let route = route.collect();
            self.routes.push(route);
        }
        self.sum_up_connections();
    }

    /// Keeps the latest former connections and sums up the others.
    fn sum_up_connections(&mut self) {
        let open: FxHashSet<usize> = self.routes.iter().flatten().copied().collect();
        let closed = self.connections.len() - open.len();
        // Not for every connection that ends.
        if closed <= 2 * DEPARTED {
            return;
        }
        let mut surplus = closed - DEPARTED;
        let mut places = vec![0; self.connections.len()];
        let before = std::mem::take(&mut self.connections);
        for (place, connection) in before.into_iter().enumerate() {
            if surplus > 0 && !open.contains(&place) {
                surplus -= 1;
                self.earlier.add(connection.messages, connection.dropped);
            } else {
                places[place] = self.connections.len();
                self.connections.push(connection);
            }
        }
        for place in self.routes.iter_mut().flatten() {
            *place = places[*place];
        }
    }

    /// Records the answer of one term.
    #[inline]
    pub fn term(&mut self, index: usize, condition: Condition, now: i64) {
        let Some(term) = self.terms.get_mut(index) else { return };
        let state = state_of(condition.condition_type);
        match term.state {
            Some((before, _)) if before == state => return,
            Some((before, since)) => term.times[before] += now - since,
            None => {}
        }
        term.state = Some((state, now));
        term.counts[state] += 1;
    }

    /// Records the combined answer; `culprit` is the term that decided.
    #[inline]
    pub fn condition(&mut self, condition: Condition, culprit: usize, now: i64) {
        let state = state_of(condition.condition_type);
        if state != 1 && self.waiting.is_some_and(|(term, _)| term == culprit) && state != 0 {
            return self.change(state, now);
        }
        if let Some(before) = self.waiting.take() {
            self.waited(before, now);
        }
        if state == 0 {
            // An entity that has ended waits for nothing.
            for term in &mut self.terms {
                if let Some((state, since)) = term.state.take() {
                    term.times[state] += now - since;
                }
            }
        }
        if state > 1 && culprit < self.terms.len() {
            self.waiting = Some((culprit, now));
        } else if state == 1 && condition.target > 0 {
            self.variation.add(u64::try_from(now - condition.target).unwrap_or(0));
        }
        self.change(state, now);
    }

    /// Records that devices have not done the work of the entity's ticks.
    pub fn held(&mut self, now: i64) {
        if self.waiting.is_some_and(|(term, _)| term == DEVICES) {
            return;
        }
        if let Some(before) = self.waiting.replace((DEVICES, now)) {
            self.waited(before, now);
        }
        self.change(state_of(ConditionType::WAIT_EVENT), now);
    }

    fn waited(&mut self, (term, since): (usize, i64), now: i64) {
        match self.terms.get_mut(term) {
            Some(term) => term.waited += now - since,
            None => self.held += now - since,
        }
    }

    #[inline]
    fn change(&mut self, state: usize, now: i64) {
        if self.state == Some(state) || self.history_limit == 0 {
            return;
        }
        self.state = Some(state);
        if self.history.len() >= self.history_limit {
            self.history.pop_front();
        }
        self.history.push_back((now, state));
    }

    #[inline]
    pub fn codelet_ticked(&mut self, index: usize, time: u64) {
        // The only codelet of an entity takes as long as the entity.
        if self.codelets.len() > 1 {
            self.codelets[index].execution.add(time);
        }
    }

    #[inline]
    pub fn ticked(&mut self, succeeded: bool, time: u64, now: i64) {
        self.trail.ticked(self.ticks + self.failed_ticks, now, succeeded);
        if succeeded {
            self.ticks += 1;
        } else {
            self.failed_ticks += 1;
        }
        self.execution.add(time);
    }

    /// Records how many messages a receiver held before a tick, and how many the tick took.
    #[inline]
    pub fn received(&mut self, inbox: usize, before: usize, taken: usize) {
        let queue = &mut self.queues[inbox];
        queue.fill.add(before as u64);
        queue.messages += taken as u64;
        self.trail.received(inbox, taken);
    }

    /// Records what a transmitter sent after a tick, and the bytes of the payloads of one of these
    /// messages.
    #[inline]
    pub fn sent(&mut self, outbox: usize, messages: usize, payload: u64, deliveries: &[Delivered]) {
        let queue = &mut self.queues[self.receivers + outbox];
        queue.largest_payload = queue.largest_payload.max(payload);
        queue.fill.add(messages as u64);
        queue.messages += messages as u64;
        for delivered in deliveries {
            let Some(place) = self.routes[outbox].get(delivered.target) else { continue };
            let connection = &mut self.connections[*place];
            connection.messages += 1;
            let kept = delivered.how == Delivery::Kept;
            connection.dropped += u64::from(!kept);
            self.trail.sent(outbox, delivered.target, connection.messages, kept);
        }
    }
}

/// One message sent to one receiver.
pub struct Delivered {
    /// Position of the target in the outbox.
    pub target: usize,
    /// Identifies the message among those on their way.
    pub message: u64,
    /// For the trace: number of messages in the queue at that moment, and its id.
    pub depth: usize,
    pub queue: Uid,
    pub how: Delivery,
}

/// The moment at which a record becomes a report.
pub(super) struct Now {
    /// Running time of the graph, in nanoseconds.
    pub duration: u64,
    /// Time of the scheduler's clock, if known.
    pub clock: Option<i64>,
}

impl Now {
    fn rate(&self, ticks: u64) -> f64 {
        if self.duration == 0 { 0.0 } else { ticks as f64 * 1e9 / self.duration as f64 }
    }

    fn since(&self, time: i64) -> i64 {
        self.clock.map_or(0, |now| (now - time).max(0))
    }
}

fn times(distribution: &Distribution) -> Times {
    Times {
        total: distribution.total(),
        mean: distribution.mean(),
        median: distribution.quantile(0.5),
        p90: distribution.quantile(0.9),
        p95: distribution.quantile(0.95),
        p99: distribution.quantile(0.99),
        max: distribution.max(),
    }
}

impl Record {
    /// Adds what the entity did to the hash of the run.
    pub fn add_to(&self, hash: &mut TraceHash) {
        hash.add(&self.name, &self.trail);
    }

    pub(super) fn entity(&self, now: &Now, state: String) -> EntityStatistics {
        let load = match now.duration {
            0 => 0.0,
            duration => self.execution.total() as f64 * 100.0 / duration as f64,
        };
        let single = self.codelets.len() == 1;
        let codelets = self.codelets.iter().map(|codelet| {
            let execution = if single { &self.execution } else { &codelet.execution };
            CodeletStatistics {
                name: codelet.name.clone(),
                cid: codelet.cid,
                ticks: execution.count(),
                rate_hz: now.rate(execution.count()),
                execution_ns: times(execution),
            }
        });
        let open = |awaited: usize| {
            let open = self.waiting.filter(|(waiting, _)| *waiting == awaited);
            open.map_or(0, |(_, since)| now.since(since))
        };
        let terms = self.terms.iter().enumerate();
        let waited = terms.map(|(index, term)| (term.name.clone(), term.waited + open(index)));
        let held = self.held + open(DEVICES);
        let held = (held > 0).then(|| (devices::NAME.to_owned(), held));
        let terms = self.terms.iter().map(|term| TermStatistics {
            name: term.name.clone(),
            states: (0..STATES.len())
                .map(|state| {
                    let open = term.state.filter(|(current, _)| *current == state);
                    let open = open.map_or(0, |(_, since)| now.since(since));
                    StateStatistics {
                        state: STATES[state],
                        count: term.counts[state],
                        duration_ns: term.times[state] + open,
                    }
                })
                .collect(),
        });
        let events = self.history.iter();
        EntityStatistics {
            name: self.name.clone(),
            eid: self.eid,
            state,
            ticks: self.ticks,
            failed_ticks: self.failed_ticks,
            rate_hz: now.rate(self.ticks),
            execution_ns: times(&self.execution),
            load_percent: load,
            variation_ns: times(&self.variation),
            waited_ns: waited.chain(held).collect(),
            codelets: codelets.collect(),
            terms: terms.collect(),
            events: events
                .map(|(timestamp, state)| StateChange {
                    timestamp: *timestamp,
                    state: STATES[*state],
                })
                .collect(),
        }
    }

    /// The queues, each with its component's id.
    pub(super) fn queues(&self) -> impl Iterator<Item = (Uid, bool, QueueStatistics)> {
        self.queues.iter().map(|queue| {
            let reported = queue.reported.as_ref();
            let room = reported.map_or(queue.capacity, |reported| reported.room(queue.capacity));
            let statistics = QueueStatistics {
                entity: self.name.clone(),
                component: queue.name.clone(),
                capacity: room as u64,
                median_fill: queue.fill.quantile(0.5),
                max_fill: queue.fill.max(),
                messages: queue.messages,
                dropped: reported.map_or(0, |reported| reported.lost()),
                max_payload_bytes: queue.largest_payload,
            };
            (queue.cid, reported.is_some(), statistics)
        })
    }

    /// The connections, each with the id of the receiver.
    pub(super) fn connections(&self) -> impl Iterator<Item = (Uid, ConnectionStatistics)> {
        self.connections.iter().map(|connection| {
            let statistics = ConnectionStatistics {
                source: connection.source.to_string(),
                target: connection.target.to_string(),
                messages: connection.messages,
                dropped: connection.dropped,
            };
            (connection.target_cid, statistics)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_that_has_ended_waits_no_longer() {
        let mut record = Record::new("a", 1, 0);
        record.terms.push(TermRecord {
            name: "period".into(),
            waited: 0,
            state: None,
            counts: [0; 5],
            times: [0; 5],
        });
        let condition = |condition_type| Condition { condition_type, target: 100 };
        record.term(0, condition(ConditionType::WAIT_TIME), 10);
        record.condition(condition(ConditionType::NEVER), 1, 60);
        let now = Now { duration: 1000, clock: Some(1000) };
        let states = &record.entity(&now, "ended".to_owned()).terms[0].states;
        assert_eq!((states[3].state, states[3].count, states[3].duration_ns), ("WaitTime", 1, 50));
    }

    #[test]
    fn connections_that_are_no_more_are_summed_up() {
        let mut record = Record::new("a", 1, 0);
        let connection = |number: usize| ConnectionRecord {
            source: "a/out".into(),
            source_cid: 2,
            target: format!("{number}/in").into(),
            target_cid: number as i64,
            messages: 1 << number.min(1),
            dropped: 1,
        };
        // Only records of open routes are left; the oldest is one of them.
        record.connections = (0..3 * DEPARTED).map(connection).collect();
        record.routes = vec![vec![3 * DEPARTED - 1, 0], vec![50]];
        record.sum_up_connections();
        assert_eq!(record.connections.len(), DEPARTED + 3);
        let targets: Vec<Vec<i64>> = record
            .routes
            .iter()
            .map(|route| route.iter().map(|place| record.connections[*place].target_cid).collect())
            .collect();
        assert_eq!(targets, [vec![3 * DEPARTED as i64 - 1, 0], vec![50]]);
        let summed = 2 * DEPARTED as u64 - 3;
        assert_eq!((record.earlier.messages, record.earlier.dropped), (2 * summed, summed));
        let mut departed = Departed::default();
        departed.add(&record);
        let told = departed.statistics([].iter()).unwrap();
        assert_eq!((told.entities, told.dropped), (1, 3 * DEPARTED as u64));
        assert_eq!(told.messages, 6 * DEPARTED as u64 - 1);
        // A few are kept as they are.
        record.sum_up_connections();
        assert_eq!(record.connections.len(), DEPARTED + 3);
    }
}
