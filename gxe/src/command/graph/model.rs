//! What is drawn, whatever the format: entities become nodes with ports, subgraphs groups,
//! connections wires.
//!
//! An entity that only holds connections is not drawn: it is the wires. A topic is a node of its
//! own, so that many senders and many receivers take one wire each and not one a pair. Entities
//! without codelets and queues (schedulers, clocks, allocators) are drawn quietly and without
//! wires to everyone who uses them.

use super::format::{one_line, short_type};
use super::statistics::{EntityStatistics, QueueStatistics, Statistics};
use super::terms;
use gxf_runtime::graph::describe::{
    ComponentDescription, ComponentPosition, EntityDescription, GraphDescription, Place,
};
use std::collections::{BTreeMap, HashMap, HashSet};

const CODELET: &str = "nvidia::gxf::Codelet";
const RECEIVER: &str = "nvidia::gxf::Receiver";
const TRANSMITTER: &str = "nvidia::gxf::Transmitter";
const TERM: &str = "nvidia::gxf::SchedulingTerm";
const COMBINER: &str = "nvidia::gxf::SchedulingTermCombiner";
const CONNECTION: &str = "nvidia::gxf::Connection";
const TOPIC: &str = "nvidia::gxf::Topic";
const SUBGRAPH: &str = "nvidia::gxf::Subgraph";

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

impl Model {
    /// What is drawn of a graph.
    pub fn new(graph: &GraphDescription, statistics: Option<&Statistics>) -> Self {
        let mut builder = Builder {
            graph,
            measured: statistics.map(Measurements::new),
            model: Self::default(),
            group_of: HashMap::new(),
            node_of: HashMap::new(),
            port_of: HashMap::new(),
        };
        builder.groups();
        builder.nodes();
        builder.connections();
        builder.topics();
        builder.references();
        builder.model
    }

    /// The groups a node or group is in, the outermost first.
    pub fn groups_around(&self, innermost: Option<usize>) -> Vec<usize> {
        let mut groups: Vec<_> =
            std::iter::successors(innermost, |group| self.groups[*group].parent).collect();
        groups.reverse();
        groups
    }
}

/// Statistics by what they are about.
struct Measurements<'a> {
    duration_s: Option<f64>,
    duration_ns: Option<f64>,
    entities: HashMap<&'a str, &'a EntityStatistics>,
    queues: HashMap<(&'a str, &'a str), &'a QueueStatistics>,
    /// Messages and losses by `entity/component` of both ends.
    connections: HashMap<(&'a str, &'a str), (Option<f64>, f64)>,
}

impl<'a> Measurements<'a> {
    fn new(statistics: &'a Statistics) -> Self {
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
            connections: connections
                .map(|known| {
                    let ends = (known.source.as_str(), known.target.as_str());
                    (ends, (known.messages, known.dropped.unwrap_or(0.0)))
                })
                .collect(),
        }
    }
}

struct Builder<'a> {
    graph: &'a GraphDescription,
    measured: Option<Measurements<'a>>,
    model: Model,
    /// By entity with a subgraph.
    group_of: HashMap<usize, usize>,
    /// By entity.
    node_of: HashMap<usize, usize>,
    /// By queue: its position among the inputs or outputs of its node.
    port_of: HashMap<ComponentPosition, usize>,
}

fn has(entity: &EntityDescription, base: &str) -> bool {
    entity.components.iter().any(|component| component.is_a(base))
}

impl<'a> Builder<'a> {
    fn groups(&mut self) {
        for (index, entity) in self.graph.entities.iter().enumerate() {
            if has(entity, SUBGRAPH) {
                self.group(index);
            }
        }
    }

    /// The group an entity stands for; outer ones are made first.
    fn group(&mut self, index: usize) -> usize {
        if let Some(known) = self.group_of.get(&index) {
            return *known;
        }
        let entity = &self.graph.entities[index];
        let parent = entity.subgraph.map(|around| self.group(around));
        let group = self.model.groups.len();
        self.model.groups.push(Group {
            name: one_line(&entity.name),
            label: self.label(entity),
            parent,
            entity: index,
        });
        self.group_of.insert(index, group);
        group
    }

    /// The name without those of the groups around it.
    fn label(&self, entity: &EntityDescription) -> String {
        let around = entity.subgraph.map(|around| &self.graph.entities[around].name);
        let rest = around.and_then(|around| entity.name.strip_prefix(around.as_str()));
        one_line(rest.and_then(|rest| rest.strip_prefix('.')).unwrap_or(&entity.name))
    }

    fn nodes(&mut self) {
        for (index, entity) in self.graph.entities.iter().enumerate() {
            let only_wires = entity
                .components
                .iter()
                .all(|component| component.is_a(CONNECTION) || component.is_a(TOPIC));
            // Also entities that hand components in to a subgraph: they have nothing of their own.
            let is_wiring =
                only_wires && (!entity.components.is_empty() || !entity.interfaces.is_empty());
            if is_wiring || has(entity, SUBGRAPH) {
                continue;
            }
            let node = self.node(index, entity);
            self.node_of.insert(index, self.model.nodes.len());
            self.model.nodes.push(node);
        }
    }

    fn node(&mut self, index: usize, entity: &'a EntityDescription) -> Node {
        let ticks_or_holds = [CODELET, RECEIVER, TRANSMITTER].iter().any(|base| has(entity, base));
        let kind = if ticks_or_holds { NodeKind::Entity } else { NodeKind::Resource };
        let shown = |component: &&ComponentDescription| match kind {
            NodeKind::Entity => component.is_a(CODELET),
            _ => ![TERM, COMBINER, CONNECTION, TOPIC].iter().any(|base| component.is_a(base)),
        };
        let types = entity.components.iter().filter(shown);
        let terms = entity.components.iter();
        let terms = terms.filter(|known| known.is_a(TERM) || known.is_a(COMBINER));
        Node {
            name: one_line(&entity.name),
            label: self.label(entity),
            kind,
            group: entity.subgraph.and_then(|around| self.group_of.get(&around).copied()),
            entity: Some(index),
            types: types.map(|component| one_line(short_type(&component.type_name))).collect(),
            terms: terms.map(|term| one_line(&terms::summary(self.graph, term))).collect(),
            inputs: self.ports(index, entity, RECEIVER),
            outputs: self.ports(index, entity, TRANSMITTER),
            measured: self.measured_entity(entity),
        }
    }

    fn ports(&mut self, entity: usize, known: &'a EntityDescription, base: &str) -> Vec<Port> {
        let mut ports = Vec::new();
        for (component, queue) in known.components.iter().enumerate() {
            if !queue.is_a(base) {
                continue;
            }
            let position = ComponentPosition { entity, component };
            self.port_of.insert(position, ports.len());
            ports.push(Port {
                name: one_line(short_type(queue.label())),
                queue: queue_text(queue),
                is_queue_chosen: ["capacity", "policy"]
                    .iter()
                    .any(|key| queue.parameter(key).is_some_and(|known| !known.is_default)),
                connected: false,
                measured: self.fill(known, queue),
            });
        }
        ports
    }

    fn fill(&self, entity: &EntityDescription, queue: &ComponentDescription) -> Option<Fill> {
        let queues = &self.measured.as_ref()?.queues;
        let known = queues.get(&(entity.name.as_str(), queue.label()))?;
        let written = queue.parameter("capacity").and_then(|known| known.value.as_ref());
        let capacity = known.capacity.or_else(|| written?.parse().ok())?;
        Some(Fill {
            capacity,
            median: known.median_fill,
            max: known.max_fill,
            dropped: known.dropped.unwrap_or(0.0),
        })
    }

    fn measured_entity(&self, entity: &EntityDescription) -> Option<Measured> {
        let measured = self.measured.as_ref()?;
        let known = measured.entities.get(entity.name.as_str())?;
        let rate = |ticks| Some(ticks / measured.duration_s?);
        let load = |total| Some(total / measured.duration_ns?);
        let waited = known.waited_ns.iter().filter_map(|(term, time)| Some((term, (*time)?)));
        let longest = waited.filter(|(_, time)| *time > 0.0).max_by(|a, b| a.1.total_cmp(&b.1));
        Some(Measured {
            ticks: known.ticks,
            rate_hz: known.rate_hz.or_else(|| known.ticks.and_then(rate)),
            median_ns: known.execution_ns.median,
            p99_ns: known.execution_ns.p99,
            load: known.execution_ns.total.and_then(load),
            waited: longest.map(|(term, time)| (one_line(short_type(term)), time)),
        })
    }

    /// The node of a queue and which of its ports it is.
    fn end(&mut self, position: ComponentPosition, base: &str) -> Option<(usize, Option<usize>)> {
        let node = *self.node_of.get(&position.entity)?;
        if !self.graph.component(position)?.is_a(base) {
            return None;
        }
        let port = *self.port_of.get(&position)?;
        let ports = match base {
            RECEIVER => &mut self.model.nodes[node].inputs,
            _ => &mut self.model.nodes[node].outputs,
        };
        ports[port].connected = true;
        Some((node, Some(port)))
    }

    fn place(&self, position: ComponentPosition) -> Option<Place> {
        self.graph.component(position)?.place.clone()
    }

    /// Messages and losses between two queues.
    fn traffic(&self, source: ComponentPosition, target: ComponentPosition) -> (Option<f64>, f64) {
        let Some(measured) = &self.measured else { return (None, 0.0) };
        let (source, target) = (self.graph.path(source), self.graph.path(target));
        let known = measured.connections.get(&(source.as_str(), target.as_str()));
        known.copied().unwrap_or_default()
    }

    fn wire(
        &mut self,
        source: (usize, Option<usize>),
        target: (usize, Option<usize>),
        place: Option<Place>,
        (messages, dropped): (Option<f64>, f64),
    ) {
        let duration = self.measured.as_ref().and_then(|measured| measured.duration_s);
        self.model.wires.push(Wire {
            kind: WireKind::Messages,
            source,
            target,
            place,
            messages,
            rate_hz: messages.zip(duration).map(|(messages, duration)| messages / duration),
            dropped,
        });
    }

    fn connections(&mut self) {
        for known in &self.graph.connections {
            let source = self.end(known.source, TRANSMITTER);
            let target = self.end(known.target, RECEIVER);
            if let (Some(source), Some(target)) = (source, target) {
                let traffic = self.traffic(known.source, known.target);
                self.wire(source, target, self.place(known.component), traffic);
            }
        }
    }

    fn topics(&mut self) {
        for topic in &self.graph.topics {
            let ends = topic.transmitters.iter().chain(&topic.receivers);
            let nodes = ends.filter_map(|end| self.node_of.get(&end.entity));
            let groups = nodes.map(|node| self.model.groups_around(self.model.nodes[*node].group));
            let around = groups.reduce(|one, other| {
                let same = one.iter().zip(&other).take_while(|(one, other)| one == other);
                same.map(|(one, _)| *one).collect()
            });
            let port = || Port {
                name: String::new(),
                queue: String::new(),
                is_queue_chosen: false,
                connected: true,
                measured: None,
            };
            let hub = self.model.nodes.len();
            self.model.nodes.push(Node {
                name: one_line(&topic.name),
                label: one_line(&topic.name),
                kind: NodeKind::Topic,
                group: around.and_then(|groups| groups.last().copied()),
                entity: None,
                types: Vec::new(),
                terms: Vec::new(),
                inputs: vec![port()],
                outputs: vec![port()],
                measured: None,
            });
            let place = topic.components.first().and_then(|component| self.place(*component));
            for sender in &topic.transmitters {
                let traffic =
                    topic.receivers.iter().map(|receiver| self.traffic(*sender, *receiver));
                // Each receiver gets every message: the most any of them got is what was sent.
                let messages = traffic.filter_map(|(messages, _)| messages).reduce(f64::max);
                if let Some(source) = self.end(*sender, TRANSMITTER) {
                    self.wire(source, (hub, Some(0)), place.clone(), (messages, 0.0));
                }
            }
            for receiver in &topic.receivers {
                let traffic =
                    topic.transmitters.iter().map(|sender| self.traffic(*sender, *receiver));
                let sum = traffic.fold((None, 0.0), |(sum, lost), (messages, dropped)| {
                    let sum = messages.map(|messages| sum.unwrap_or(0.0) + messages).or(sum);
                    (sum, lost + dropped)
                });
                if let Some(target) = self.end(*receiver, RECEIVER) {
                    self.wire((hub, Some(0)), target, place.clone(), sum);
                }
            }
        }
    }

    /// Parameters that name components of other entities, such as the children in a behaviour
    /// tree. What everyone uses is left out: it would be a tangle.
    fn references(&mut self) {
        let mut known = HashSet::new();
        for (index, entity) in self.graph.entities.iter().enumerate() {
            let Some(&source) = self.node_of.get(&index) else { continue };
            for component in &entity.components {
                if component.is_a(CONNECTION) || component.is_a(TOPIC) {
                    continue;
                }
                let targets = component.parameters.iter().flat_map(|known| &known.targets);
                for target in targets.filter(|target| target.entity != index) {
                    let Some(&target) = self.node_of.get(&target.entity) else { continue };
                    let is_resource = self.model.nodes[target].kind == NodeKind::Resource;
                    if is_resource || !known.insert((source, target)) {
                        continue;
                    }
                    self.model.wires.push(Wire {
                        kind: WireKind::Reference,
                        source: (source, None),
                        target: (target, None),
                        place: component.place.clone(),
                        messages: None,
                        rate_hz: None,
                        dropped: 0.0,
                    });
                }
            }
        }
    }
}

/// Capacity and policy of a queue, as far as it has them: `1 / fault`.
fn queue_text(queue: &ComponentDescription) -> String {
    let value = |key| queue.parameter(key).and_then(|known| known.value.as_deref());
    let policy = value("policy").map(|policy| match policy {
        "0" => "pop",
        "1" => "reject",
        "2" => "fault",
        other => other,
    });
    let parts = [value("capacity"), policy];
    parts.into_iter().flatten().map(one_line).collect::<Vec<_>>().join(" / ")
}

/// Names in the statistics that the graph does not have, in order; they mean another graph.
pub fn unknown_entities(graph: &GraphDescription, statistics: &Statistics) -> Vec<String> {
    let names: HashSet<&str> = graph.entities.iter().map(|entity| entity.name.as_str()).collect();
    let measured = statistics.entities.iter().map(|entity| entity.name.as_str());
    let measured = measured.chain(statistics.queues.iter().map(|queue| queue.entity.as_str()));
    let unknown = measured.filter(|name| !name.is_empty() && !names.contains(name));
    let ordered: BTreeMap<String, ()> = unknown.map(|name| (name.to_owned(), ())).collect();
    ordered.into_keys().collect()
}
