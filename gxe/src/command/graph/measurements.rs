//! Statistics by entity, queue and connection.

use super::statistics::{EntityStatistics, QueueStatistics, Statistics};
use gxf_runtime::graph::GraphDescription;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Statistics by entity, queue and connection.
pub struct Measurements<'a> {
    /// Duration of the run in seconds.
    pub duration_s: Option<f64>,
    /// The same in nanoseconds.
    pub duration_ns: Option<f64>,
    /// By name.
    pub entities: HashMap<&'a str, &'a EntityStatistics>,
    /// By names of entity and queue.
    pub queues: HashMap<(&'a str, &'a str), &'a QueueStatistics>,
    /// Missed deadlines by name of the entity.
    pub missed: HashMap<&'a str, f64>,
    /// Messages and losses by `entity/component` of both ends.
    pub connections: HashMap<(&'a str, &'a str), (Option<f64>, f64)>,
}

impl<'a> Measurements<'a> {
    /// Indexes the statistics of a run.
    pub fn new(statistics: &'a Statistics) -> Self {
        let entities = statistics.entities.iter().map(|entity| (entity.name.as_str(), entity));
        let queues = statistics.queues.iter();
        let connections = statistics.connections.iter();
        let duration_ns = statistics.duration_ns.filter(|duration| *duration > 0.0);
        Self {
            duration_s: duration_ns.map(|duration| duration / 1e9),
            duration_ns,
            entities: entities.collect(),
            queues: queues
                .map(|queue| ((queue.entity.as_str(), queue.component.as_str()), queue))
                .collect(),
            missed: {
                let mut missed = HashMap::new();
                for known in &statistics.deadlines {
                    *missed.entry(known.entity.as_str()).or_default() +=
                        known.missed.unwrap_or(0.0);
                }
                missed
            },
            connections: connections
                .map(|known| {
                    let ends = (known.source.as_str(), known.target.as_str());
                    (ends, (known.messages, known.dropped.unwrap_or(0.0)))
                })
                .collect(),
        }
    }
}

/// Names in the statistics that the graph does not have, in order: a sign of another graph.
pub fn unknown_entities(graph: &GraphDescription, statistics: &Statistics) -> Vec<String> {
    let names: HashSet<&str> = graph.entities.iter().map(|entity| entity.name.as_str()).collect();
    let measured = statistics.entities.iter().map(|entity| entity.name.as_str());
    let measured = measured.chain(statistics.queues.iter().map(|queue| queue.entity.as_str()));
    let unknown = measured.filter(|name| !name.is_empty() && !names.contains(name));
    unknown.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}
