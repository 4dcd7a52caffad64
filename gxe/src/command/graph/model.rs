//! What is drawn, whatever the format: entities become nodes with ports, subgraphs groups,
//! connections wires.
//!
//! An entity that only holds connections is not drawn: it is the wires. A topic is a node of its
//! own, so that many senders and many receivers take one wire each and not one a pair. Entities
//! without codelets and queues (schedulers, clocks, allocators) are drawn quietly and without
//! wires to everyone who uses them.

use gxf_runtime::graph::describe::Place;

/// A graph as it is drawn.
#[derive(Debug, Default)]
pub struct Model {
    /// Subgraphs; an outer one comes before those in it.
    pub groups: Vec<Group>,
    /// Everything with a place of its own.
    pub nodes: Vec<Node>,
    /// Everything that leads from one node to another.
    pub wires: Vec<Wire>,
}

/// A subgraph.
#[derive(Debug)]
pub struct Group {
    /// Full name of the entity that stands for it.
    pub name: String,
    /// Its name within the group around it.
    pub label: String,
    /// The group around it.
    pub parent: Option<usize>,
    /// The entity that stands for it.
    pub entity: usize,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// An entity that ticks or holds messages.
    Entity,
    /// An entity others use: scheduler, clock, allocator, thread pool, ….
    Resource,
    /// A topic.
    Topic,
}

/// Something with a place of its own.
#[derive(Debug)]
pub struct Node {
    /// Full name.
    pub name: String,
    /// Name within its group.
    pub label: String,
    /// What it stands for.
    pub kind: NodeKind,
    /// The group it is in.
    pub group: Option<usize>,
    /// The entity; none for topics.
    pub entity: Option<usize>,
    /// Types of the codelets, or of everything for a resource, without namespaces.
    pub types: Vec<String>,
    /// Types that no loaded extension has, without namespaces.
    pub unknown_types: Vec<String>,
    /// The scheduling terms in a few words each.
    pub terms: Vec<String>,
    /// Receivers.
    pub inputs: Vec<Port>,
    /// Transmitters.
    pub outputs: Vec<Port>,
    /// What a run measured.
    pub measured: Option<Measured>,
}

/// What a run measured of one entity.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Number of ticks.
    pub ticks: Option<f64>,
    /// Ticks a second.
    pub rate_hz: Option<f64>,
    /// Half of the ticks took no longer.
    pub median_ns: Option<f64>,
    /// 99 of 100 ticks took no longer.
    pub p99_ns: Option<f64>,
    /// Share of the run that the entity's ticks took, from 0 to 1.
    pub load: Option<f64>,
    /// The term that kept the entity waiting longest, and how long in nanoseconds.
    pub waited: Option<(String, f64)>,
}

/// A queue of an entity.
#[derive(Debug)]
pub struct Port {
    /// Name of the queue.
    pub name: String,
    /// Capacity and what happens when it is full: `1 / fault`.
    pub queue: String,
    /// Whether the file says so, and not the type's default.
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

/// What a wire stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireKind {
    /// Messages.
    Messages,
    /// A parameter of one entity names a component of the other.
    Reference,
}

/// Something that leads from one node to another.
#[derive(Debug)]
pub struct Wire {
    /// What it stands for.
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
    /// What is said of each component of an unknown type.
    pub fn unknown(&self) -> impl Iterator<Item = String> {
        self.unknown_types.iter().map(|known| format!("unknown type {known}"))
    }
}

impl Model {
    /// Number of components whose type no loaded extension has.
    pub fn unknown_components(&self) -> usize {
        self.nodes.iter().map(|node| node.unknown_types.len()).sum()
    }

    /// The groups a node or group is in, the outermost first.
    pub fn groups_around(&self, innermost: Option<usize>) -> Vec<usize> {
        let mut groups: Vec<_> =
            std::iter::successors(innermost, |group| self.groups[*group].parent).collect();
        groups.reverse();
        groups
    }
}
