//! The model of a drawing, for all formats: entities become nodes with ports, subgraphs become
//! groups, connections become wires.
//!
//! An entity that only holds connections becomes wires, not a node. A topic is a node, so that many
//! senders and receivers need one wire each instead of one per pair. Entities without codelets and
//! queues (schedulers, clocks, allocators) are drawn in grey, without wires to their users.

use gxf_runtime::graph::describe::Place;

/// A graph as it is drawn.
#[derive(Debug, Default)]
pub struct Model {
    /// Subgraphs; outer ones come before inner ones.
    pub groups: Vec<Group>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The wires.
    pub wires: Vec<Wire>,
}

/// A subgraph.
#[derive(Debug)]
pub struct Group {
    /// Full name of its entity.
    pub name: String,
    /// Its name within the outer group. In further lines, where a segment of a graph in several
    /// processes is reached.
    pub label: String,
    /// The outer group.
    pub parent: Option<usize>,
    /// Its entity.
    pub entity: usize,
}

/// What a node represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// An entity that ticks or holds messages.
    Entity,
    /// An entity others use: scheduler, clock, allocator, thread pool, ….
    Resource,
    /// A topic.
    Topic,
}

/// A node.
#[derive(Debug)]
pub struct Node {
    /// Full name.
    pub name: String,
    /// Name within its group.
    pub label: String,
    /// What it represents.
    pub kind: NodeKind,
    /// The group it is in.
    pub group: Option<usize>,
    /// The entity; none for topics.
    pub entity: Option<usize>,
    /// Types of the codelets, or of everything for a resource, without namespaces.
    pub types: Vec<String>,
    /// Unknown types, without namespaces.
    pub unknown_types: Vec<String>,
    /// The scheduling terms in a few words each.
    pub terms: Vec<String>,
    /// Receivers.
    pub inputs: Vec<Port>,
    /// Transmitters.
    pub outputs: Vec<Port>,
    /// What a run measured.
    pub measured: Option<Measured>,
    /// Whether the page shows what it does now.
    pub is_live: bool,
}

/// What a run measured of one entity.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Number of ticks.
    pub ticks: Option<f64>,
    /// Ticks a second.
    pub rate_hz: Option<f64>,
    /// Median duration of a tick.
    pub median_ns: Option<f64>,
    /// 99th percentile.
    pub p99_ns: Option<f64>,
    /// Share of the run that the entity's ticks took, from 0 to 1.
    pub load: Option<f64>,
    /// The term that kept the entity waiting longest, and for how many nanoseconds.
    pub waited: Option<(String, f64)>,
    /// Number of ticks that missed the deadline of the entity, if it has one.
    pub missed: Option<f64>,
}

/// A queue of an entity.
#[derive(Debug)]
pub struct Port {
    /// Name of the queue.
    pub name: String,
    /// Capacity and what happens when it is full: `1, full = error`.
    pub queue: String,
    /// Whether the file sets it; otherwise it is the type's default.
    pub is_queue_chosen: bool,
    /// Whether a wire leads here.
    pub connected: bool,
    /// What a run measured.
    pub measured: Option<Fill>,
}

/// What a run measured of one queue.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// Number of messages it holds at most.
    pub capacity: f64,
    /// Number of messages that half of the samples did not exceed.
    pub median: Option<f64>,
    /// Largest number of messages.
    pub max: Option<f64>,
    /// Number of messages that were lost.
    pub dropped: f64,
}

/// What a wire represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireKind {
    /// Messages.
    Messages,
    /// A parameter of one entity names a component of the other.
    Reference,
}

/// A wire.
#[derive(Debug)]
pub struct Wire {
    /// What it represents.
    pub kind: WireKind,
    /// Node and position of its output; none for a reference.
    pub source: (usize, Option<usize>),
    /// Node and position of its input; none for a reference.
    pub target: (usize, Option<usize>),
    /// Where the file asks for it.
    pub place: Option<Place>,
    /// Number of messages in a measured run.
    pub messages: Option<f64>,
    /// Messages a second.
    pub rate_hz: Option<f64>,
    /// Number of messages that were lost on arrival.
    pub dropped: f64,
}

impl Node {
    /// A text about each component of an unknown type.
    pub fn unknown(&self) -> impl Iterator<Item = String> {
        self.unknown_types.iter().map(|known| format!("unknown type {known}"))
    }
}

impl Model {
    /// Number of components whose type no loaded extension has.
    pub fn unknown_components(&self) -> usize {
        self.nodes.iter().map(|node| node.unknown_types.len()).sum()
    }

    /// Which groups are folded if those at this depth are; 1 is the outermost.
    pub fn folded_from(&self, depth: Option<u32>) -> Vec<bool> {
        let is_folded = |group: usize| {
            depth.is_some_and(|depth| self.groups_around(Some(group)).len() >= depth as usize)
        };
        (0..self.groups.len()).map(is_folded).collect()
    }

    /// The groups around a node or group, the outermost first.
    pub fn groups_around(&self, innermost: Option<usize>) -> Vec<usize> {
        let mut groups: Vec<_> =
            std::iter::successors(innermost, |group| self.groups[*group].parent).collect();
        groups.reverse();
        groups
    }
}
