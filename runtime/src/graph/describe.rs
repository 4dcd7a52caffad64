//! A loaded graph as plain data, for those who show it to people: tools that draw or check it.
//!
//! [`Context::describe`](crate::Context::describe) makes it. It is a copy: nothing in it changes
//! when the graph does.

use super::{ParameterSpec, ParameterValue, Span};
use crate::builtin;
use crate::context::Inner;
use crate::entity::store::Entity;
use crate::message::router::TOPIC;
use crate::plugin::component::Component;
use gxf_plugin_abi::{PARAMETER_DYNAMIC, Uid};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Longest text of a parameter value, in bytes; a list may have millions of elements.
const LONGEST_VALUE: usize = 2000;

/// All entities of a graph and how messages go between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphDescription {
    /// The entities in the order of loading.
    pub entities: Vec<EntityDescription>,
    /// What the `Connection` components say, in the order of loading.
    pub connections: Vec<ConnectionDescription>,
    /// What the `Topic` components say, by name of the topic, in the order of loading.
    pub topics: Vec<TopicDescription>,
}

/// One entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityDescription {
    /// The full name, with the names of the subgraphs it is in.
    pub name: String,
    /// Whether the file gives no name and this one is made up.
    pub is_unnamed: bool,
    /// Position of the entity whose `Subgraph` component loaded this one.
    pub subgraph: Option<usize>,
    /// The components in the order of the file.
    pub components: Vec<ComponentDescription>,
    /// Components of other entities that can be found here: what a subgraph exports, and what was
    /// handed in to it.
    pub interfaces: Vec<InterfaceDescription>,
}

/// One component of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentDescription {
    /// Name; may be empty.
    pub name: String,
    /// Full name of the type.
    pub type_name: String,
    /// Full names of the bases of the type, nearest first.
    pub bases: Vec<String>,
    /// Name of the extension the type comes from.
    pub extension: String,
    /// What the type is for; may be empty.
    pub description: String,
    /// The parameters of the type in its order.
    pub parameters: Vec<ParameterDescription>,
    /// Where a file asks for it; none for components made by a program.
    pub place: Option<Place>,
}

/// One parameter of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterDescription {
    /// Name in YAML.
    pub key: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Physical unit.
    pub unit: Option<String>,
    /// The value as text; handles as `entity/component`. None without a value and a default.
    pub value: Option<String>,
    /// Whether no file gives a value, so that the type's default counts.
    pub is_default: bool,
    /// Whether it may be changed while the graph runs.
    pub is_dynamic: bool,
    /// The components that a parameter with handles leads to.
    pub targets: Vec<ComponentPosition>,
}

/// A component by position, and not by name, because names may be missing or used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentPosition {
    /// Position of the entity in [`GraphDescription::entities`].
    pub entity: usize,
    /// Position in [`EntityDescription::components`].
    pub component: usize,
}

/// A component of another entity under a name of this one.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceDescription {
    /// The name here.
    pub name: String,
    /// The component.
    pub target: ComponentPosition,
}

/// One `Connection` component.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionDescription {
    /// The transmitter.
    pub source: ComponentPosition,
    /// The receiver.
    pub target: ComponentPosition,
    /// The `Connection` component itself.
    pub component: ComponentPosition,
}

/// All `Topic` components of one name together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicDescription {
    /// Name of the topic.
    pub name: String,
    /// The transmitters that send to it.
    pub transmitters: Vec<ComponentPosition>,
    /// The receivers that get what is sent.
    pub receivers: Vec<ComponentPosition>,
    /// The `Topic` components themselves.
    pub components: Vec<ComponentPosition>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl GraphDescription {
    /// The component at a position.
    #[must_use]
    pub fn component(&self, position: ComponentPosition) -> Option<&ComponentDescription> {
        self.entities.get(position.entity)?.components.get(position.component)
    }

    /// `entity/component`, with the type in place of a missing name.
    #[must_use]
    pub fn path(&self, position: ComponentPosition) -> String {
        let entity = self.entities.get(position.entity).map_or("", |entity| &entity.name);
        let component = self.component(position).map_or("", ComponentDescription::label);
        format!("{entity}/{component}")
    }
}

impl ComponentDescription {
    /// Whether the type is this one or derived from it.
    #[must_use]
    pub fn is_a(&self, type_name: &str) -> bool {
        self.type_name == type_name || self.bases.iter().any(|base| base == type_name)
    }

    /// Name, or type when it has none.
    #[must_use]
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.type_name } else { &self.name }
    }

    /// A parameter by its key.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<&ParameterDescription> {
        self.parameters.iter().find(|parameter| parameter.key == key)
    }
}

/// Copies what is loaded.
pub(crate) fn describe(inner: &Inner) -> GraphDescription {
    let entities = inner.store.read().entities();
    let components: Vec<_> = entities.iter().map(|entity| entity.components()).collect();
    let mut positions = FxHashMap::default();
    for (entity, components) in components.iter().enumerate() {
        for (component, known) in components.iter().enumerate() {
            positions.insert(known.cid(), ComponentPosition { entity, component });
        }
    }
    let subgraphs: FxHashMap<&str, usize> = (entities.iter().enumerate())
        .filter(|(index, _)| {
            components[*index].iter().any(|known| known.type_info().tid == builtin::SUBGRAPH)
        })
        .map(|(index, entity)| (entity.name(), index))
        .collect();
    let origins = inner.origins.lock();
    let describer = Describer { inner, entities: &entities, positions, origins: &origins };
    let mut graph = GraphDescription::default();
    for (entity, components) in entities.iter().zip(&components) {
        graph.entities.push(EntityDescription {
            name: entity.name().to_owned(),
            is_unnamed: entity.is_unnamed(),
            subgraph: subgraph_around(entity.name(), &subgraphs),
            components: components.iter().map(|known| describer.component(known)).collect(),
            interfaces: describer.interfaces(entity),
        });
    }
    for component in components.iter().flat_map(|components| components.iter()) {
        let tid = component.type_info().tid;
        if tid == builtin::CONNECTION {
            graph.connections.extend(describer.connection(component));
        } else if tid == TOPIC {
            describer.add_topic(component, &mut graph.topics);
        }
    }
    graph
}

/// The innermost subgraph an entity is in. Dots may also be part of a name, so only those behind
/// the name of a subgraph count.
fn subgraph_around(name: &str, subgraphs: &FxHashMap<&str, usize>) -> Option<usize> {
    name.rmatch_indices('.').find_map(|(dot, _)| subgraphs.get(&name[..dot]).copied())
}

struct Describer<'a> {
    inner: &'a Inner,
    entities: &'a [Arc<Entity>],
    positions: FxHashMap<Uid, ComponentPosition>,
    origins: &'a FxHashMap<Uid, Span>,
}

impl Describer<'_> {
    fn component(&self, component: &Component) -> ComponentDescription {
        let info = component.type_info();
        let registry = self.inner.registry.read();
        let bases = info.lineage.iter().skip(1).filter_map(|base| registry.by_id(*base));
        let describe = |(index, spec)| self.parameter(component, index, spec);
        ComponentDescription {
            name: component.name().to_owned(),
            type_name: info.name.clone(),
            bases: bases.map(|base| base.name.clone()).collect(),
            extension: info.extension.clone(),
            description: either(&info.description, &info.brief),
            parameters: info.parameters.iter().enumerate().map(describe).collect(),
            place: self.origins.get(&component.cid()).map(|span| {
                let (line, column) = span.line_column();
                Place { file: span.source.name.clone(), line, column }
            }),
        }
    }

    fn parameter(
        &self,
        component: &Component,
        index: usize,
        spec: &ParameterSpec,
    ) -> ParameterDescription {
        let value = component.parameter(&spec.key);
        ParameterDescription {
            key: spec.key.clone(),
            description: either(&spec.description, &spec.headline),
            unit: spec.unit.clone(),
            value: value.as_ref().map(|value| {
                let mut text = String::new();
                self.write_value(value, &mut text);
                shortened(text)
            }),
            is_default: !component.has_value(index),
            is_dynamic: spec.flags & PARAMETER_DYNAMIC != 0,
            targets: value.iter().flat_map(|value| self.targets(value)).collect(),
        }
    }

    fn write_value(&self, value: &ParameterValue, text: &mut String) {
        // Writing to a `String` does not fail.
        _ = match value {
            ParameterValue::Bool(value) => write!(text, "{value}"),
            ParameterValue::Int8(value) => write!(text, "{value}"),
            ParameterValue::Int16(value) => write!(text, "{value}"),
            ParameterValue::Int32(value) => write!(text, "{value}"),
            ParameterValue::Int64(value) => write!(text, "{value}"),
            ParameterValue::UInt8(value) => write!(text, "{value}"),
            ParameterValue::UInt16(value) => write!(text, "{value}"),
            ParameterValue::UInt32(value) => write!(text, "{value}"),
            ParameterValue::UInt64(value) => write!(text, "{value}"),
            ParameterValue::Float32(value) => write!(text, "{value}"),
            ParameterValue::Float64(value) => write!(text, "{value}"),
            ParameterValue::String(value)
            | ParameterValue::File(value)
            | ParameterValue::Custom(value) => write!(text, "{value}"),
            ParameterValue::Tid(value) => write!(text, "{value}"),
            ParameterValue::Complex64([real, imaginary]) => write!(text, "{real}{imaginary:+}j"),
            ParameterValue::Complex128([real, imaginary]) => write!(text, "{real}{imaginary:+}j"),
            ParameterValue::Handle(handle) => write!(text, "{handle}"),
            ParameterValue::Component(cid) => match self.positions.get(cid) {
                Some(position) => {
                    let entity = &self.entities[position.entity];
                    let components = entity.components();
                    let label = components.get(position.component).map_or("", |it| it.label());
                    write!(text, "{}/{label}", entity.name())
                }
                None => write!(text, "component {cid}"),
            },
            ParameterValue::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        text.push_str(", ");
                    }
                    if text.len() > LONGEST_VALUE {
                        break;
                    }
                    self.write_value(item, text);
                }
                text.push(']');
                Ok(())
            }
        };
    }

    fn targets(&self, value: &ParameterValue) -> Vec<ComponentPosition> {
        match value {
            ParameterValue::Component(cid) => {
                self.positions.get(cid).copied().into_iter().collect()
            }
            ParameterValue::List(items) => items.iter().flat_map(|it| self.targets(it)).collect(),
            _ => Vec::new(),
        }
    }

    fn target(&self, component: &Component, key: &str) -> Vec<ComponentPosition> {
        component.parameter(key).iter().flat_map(|value| self.targets(value)).collect()
    }

    fn interfaces(&self, entity: &Entity) -> Vec<InterfaceDescription> {
        let interfaces = entity.interfaces().into_iter();
        interfaces
            .filter_map(|(name, cid)| {
                Some(InterfaceDescription { name, target: *self.positions.get(&cid)? })
            })
            .collect()
    }

    /// None while one end is missing, which activation complains about.
    fn connection(&self, component: &Component) -> Option<ConnectionDescription> {
        Some(ConnectionDescription {
            source: *self.target(component, "source").first()?,
            target: *self.target(component, "target").first()?,
            component: *self.positions.get(&component.cid())?,
        })
    }

    fn add_topic(&self, component: &Component, topics: &mut Vec<TopicDescription>) {
        let Some(ParameterValue::String(name)) = component.parameter("topic_name") else { return };
        let known = topics.iter().position(|topic| topic.name == name).unwrap_or_else(|| {
            topics.push(TopicDescription { name, ..TopicDescription::default() });
            topics.len() - 1
        });
        let topic = &mut topics[known];
        topic.transmitters.extend(self.target(component, "transmitters"));
        topic.receivers.extend(self.target(component, "receivers"));
        topic.components.extend(self.positions.get(&component.cid()));
    }
}

fn either(first: &str, second: &str) -> String {
    if first.is_empty() { second.to_owned() } else { first.to_owned() }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_VALUE {
        text.truncate(text.floor_char_boundary(LONGEST_VALUE));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::Context;

    fn described(app: &str) -> super::GraphDescription {
        let context = Context::new();
        context.load_app_text("app.yaml", app, &[]).unwrap();
        context.describe()
    }

    #[test]
    fn components_come_with_values_and_places() {
        let graph = described(
            "name: a\ncomponents:\n- name: in\n  type: nvidia::gxf::DoubleBufferReceiver\n  \
             parameters: {capacity: 3}\n- type: nvidia::gxf::MessageAvailableSchedulingTerm\n  \
             parameters: {receiver: in}\n",
        );
        let entity = &graph.entities[0];
        assert_eq!((entity.name.as_str(), entity.is_unnamed), ("a", false));
        let queue = &entity.components[0];
        let place = queue.place.as_ref().unwrap();
        assert_eq!((place.file.as_str(), place.line, place.column), ("app.yaml", 4, 9));
        assert!(queue.is_a("nvidia::gxf::Queue") && !queue.is_a("nvidia::gxf::Transmitter"));
        let value = |key| {
            let parameter = queue.parameter(key).unwrap();
            (parameter.value.as_deref().unwrap(), parameter.is_default)
        };
        assert_eq!((value("capacity"), value("policy")), (("3", false), ("2", true)));
        let receiver = entity.components[1].parameter("receiver").unwrap();
        assert_eq!(receiver.value.as_deref(), Some("a/in"));
        assert_eq!(graph.component(receiver.targets[0]), Some(queue));
    }

    #[test]
    fn connections_and_topics_name_their_ends() {
        let graph = described(
            "name: a\ncomponents:\n- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
             - {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n\
             - {type: nvidia::gxf::Connection, parameters: {source: out, target: in}}\n\
             - {type: nvidia::gxf::Topic, parameters: {topic_name: t, transmitters: [out]}}\n\
             ---\ncomponents:\n\
             - {type: nvidia::gxf::Topic, parameters: {topic_name: t, receivers: [a/in]}}\n",
        );
        let [connection] = graph.connections.as_slice() else { panic!("{graph:?}") };
        assert_eq!(graph.path(connection.source), "a/out");
        assert_eq!(graph.path(connection.target), "a/in");
        assert_eq!(graph.path(connection.component), "a/nvidia::gxf::Connection");
        let [topic] = graph.topics.as_slice() else { panic!("{graph:?}") };
        assert_eq!(topic.transmitters, [connection.source]);
        assert_eq!(topic.receivers, [connection.target]);
        assert_eq!(topic.components.len(), 2);
        assert!(graph.entities[1].is_unnamed);
    }

    #[test]
    fn a_dot_in_a_name_makes_no_subgraph() {
        let graph = described("name: a\ncomponents: []\n---\nname: a.b\ncomponents: []\n");
        assert_eq!(graph.entities[1].subgraph, None);
    }

    #[test]
    fn long_values_are_cut() {
        let receivers = vec!["in"; 5000].join(", ");
        let graph = described(&format!(
            "name: a\ncomponents:\n- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
             - type: nvidia::gxf::MultiMessageAvailableSchedulingTerm\n  parameters: {{receivers: \
             [{receivers}]}}\n"
        ));
        let parameter = graph.entities[0].components[1].parameter("receivers").unwrap();
        let text = parameter.value.as_ref().unwrap();
        assert!(text.starts_with("[a/in, a/in") && text.ends_with('…'), "{text}");
        assert!(text.len() < 2010);
        assert_eq!(parameter.targets.len(), 5000);
    }
}
