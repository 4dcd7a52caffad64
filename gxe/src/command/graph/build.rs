//! Builds the model of a drawing from the description of a graph.

use super::format::short_type;
use super::measurements::Measurements;
use super::model::{Fill, Group, Measured, Model, Node, NodeKind, Port, Wire, WireKind};
use super::statistics::Statistics;
use super::terms;
use gxf_runtime::graph::describe::{
    ComponentDescription, ComponentPosition, EntityDescription, GraphDescription, Place,
};
use gxf_runtime::graph::escape::one_line;
use std::collections::{HashMap, HashSet};

const CODELET: &str = "nvidia::gxf::Codelet";
const RECEIVER: &str = "nvidia::gxf::Receiver";
const TRANSMITTER: &str = "nvidia::gxf::Transmitter";
const TERM: &str = "nvidia::gxf::SchedulingTerm";
const COMBINER: &str = "nvidia::gxf::SchedulingTermCombiner";
const CONNECTION: &str = "nvidia::gxf::Connection";
const TOPIC: &str = "nvidia::gxf::Topic";
const SUBGRAPH: &str = "nvidia::gxf::Subgraph";

/// Most addresses of a segment that its title has.
const ADDRESSES: usize = 4;

/// Builds a model.
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
    /// Both ends of all connections, each with the type it must have. For a component of an unknown
    /// type, nothing else tells what it is.
    ends: HashSet<(ComponentPosition, &'static str)>,
}

fn has(entity: &EntityDescription, base: &str) -> bool {
    entity.components.iter().any(|component| component.is_a(base))
}

/// A title, with addresses below it.
fn titled(title: String, addresses: &[String]) -> String {
    let shown = addresses.iter().take(ADDRESSES).map(|address| one_line(address));
    let more = addresses.len().saturating_sub(ADDRESSES);
    let more = (more > 0).then(|| format!("and {more} more"));
    let lines: Vec<String> = std::iter::once(title).chain(shown).chain(more).collect();
    lines.join("\n")
}

/// The model of a graph.
pub fn model(graph: &GraphDescription, statistics: Option<&Statistics>) -> Model {
    Builder::new(graph, statistics).build()
}

impl<'a> Builder<'a> {
    /// A builder without nodes.
    fn new(graph: &'a GraphDescription, statistics: Option<&'a Statistics>) -> Self {
        let senders = graph.connections.iter().map(|known| known.source);
        let senders =
            senders.chain(graph.topics.iter().flat_map(|topic| topic.transmitters.clone()));
        let takers = graph.connections.iter().map(|known| known.target);
        let takers = takers.chain(graph.topics.iter().flat_map(|topic| topic.receivers.clone()));
        let ends = senders.map(|end| (end, TRANSMITTER)).chain(takers.map(|end| (end, RECEIVER)));
        Self {
            ends: ends.collect(),
            graph,
            measured: statistics.map(Measurements::new),
            model: Model::default(),
            group_of: HashMap::new(),
            node_of: HashMap::new(),
            port_of: HashMap::new(),
        }
    }

    /// Builds everything, each part after those it refers to.
    fn build(mut self) -> Model {
        self.groups();
        self.nodes();
        self.connections();
        self.topics();
        self.references();
        self.model
    }

    fn groups(&mut self) {
        for (index, entity) in self.graph.entities.iter().enumerate() {
            if has(entity, SUBGRAPH) {
                self.group(index);
            }
        }
    }

    /// The group for an entity with a subgraph; creates outer groups first.
    fn group(&mut self, index: usize) -> usize {
        if let Some(known) = self.group_of.get(&index) {
            return *known;
        }
        let entity = &self.graph.entities[index];
        let parent = entity.subgraph.map(|around| self.group(around));
        let group = self.model.groups.len();
        self.model.groups.push(Group {
            name: one_line(&entity.name),
            label: titled(self.label(entity), &entity.addresses),
            parent,
            entity: index,
        });
        self.group_of.insert(index, group);
        group
    }

    /// The name without the prefix of its groups.
    fn label(&self, entity: &EntityDescription) -> String {
        if entity.is_unnamed {
            return "unnamed".to_owned();
        }
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
            // Includes entities that pass components to a subgraph: they have none of their own.
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
        let unknown = entity.components.iter().filter(|component| component.is_unknown);
        let unknown: Vec<_> = unknown.map(|known| one_line(short_type(&known.type_name))).collect();
        let kind = match ticks_or_holds || !unknown.is_empty() {
            true => NodeKind::Entity,
            false => NodeKind::Resource,
        };
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
            unknown_types: unknown,
            terms: terms.map(|term| one_line(&terms::summary(self.graph, term))).collect(),
            inputs: self.ports(index, entity, RECEIVER),
            outputs: self.ports(index, entity, TRANSMITTER),
            measured: self.measured_entity(entity),
            is_live: false,
        }
    }

    fn ports(
        &mut self,
        entity: usize,
        known: &'a EntityDescription,
        base: &'static str,
    ) -> Vec<Port> {
        let mut ports = Vec::new();
        for (component, queue) in known.components.iter().enumerate() {
            let position = ComponentPosition { entity, component };
            if !self.is_queue(position, queue, base) {
                continue;
            }
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

    /// Whether a component is a queue, by its type or by its connections.
    fn is_queue(
        &self,
        position: ComponentPosition,
        component: &ComponentDescription,
        base: &'static str,
    ) -> bool {
        component.is_a(base) || (component.is_unknown && self.ends.contains(&(position, base)))
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
            waited: longest.map(|(term, time)| (self.condition(entity, term), time)),
            missed: measured.missed.get(entity.name.as_str()).copied(),
        })
    }

    /// What a term waits for, in a few words. Statistics name a term by its name or type.
    fn condition(&self, entity: &EntityDescription, term: &str) -> String {
        let is_meant = |known: &&ComponentDescription| {
            known.is_a(TERM) && [known.label(), short_type(known.label())].contains(&term)
        };
        let mut terms = entity.components.iter().filter(is_meant);
        let text = match (terms.next(), terms.next()) {
            (Some(only), None) => terms::summary(self.graph, only),
            _ => terms::without_ending(short_type(term)).to_owned(),
        };
        one_line(&text)
    }

    /// The node of a queue, and the index of the port.
    fn end(
        &mut self,
        position: ComponentPosition,
        base: &'static str,
    ) -> Option<(usize, Option<usize>)> {
        let node = *self.node_of.get(&position.entity)?;
        if !self.is_queue(position, self.graph.component(position)?, base) {
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

    /// Numbers of sent and lost messages between two queues.
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
                unknown_types: Vec::new(),
                terms: Vec::new(),
                inputs: vec![port()],
                outputs: vec![port()],
                measured: None,
                is_live: false,
            });
            let place = topic.components.first().and_then(|component| self.place(*component));
            for sender in &topic.transmitters {
                let traffic =
                    topic.receivers.iter().map(|receiver| self.traffic(*sender, *receiver));
                // Each receiver gets every message, so the highest count is the number of sent
                // messages.
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

    /// Parameters that name components of other entities, such as children in a behaviour tree.
    /// Omits components that many entities use, because the wires would be a tangle.
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

/// Capacity of a queue and what happens when it is full, if it has them: `1, full = error`.
fn queue_text(queue: &ComponentDescription) -> String {
    let value = |key| queue.parameter(key).and_then(|known| known.value.as_deref());
    let policy = value("policy").map(|policy| match policy {
        "0" | "pop" => "full = lose oldest".to_owned(),
        "1" | "reject" => "full = lose newest".to_owned(),
        "2" | "fault" if queue.type_name == "nvidia::gxf::UcxReceiver" => {
            "full = sender waits".to_owned()
        }
        "2" | "fault" => "full = error".to_owned(),
        other => format!("policy {}", one_line(other)),
    });
    let parts = [value("capacity").map(one_line), policy];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
