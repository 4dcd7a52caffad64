//! Copies a loaded graph into a description.

use super::{
    ComponentDescription, ComponentPosition, ConnectionDescription, EntityDescription,
    GraphDescription, InterfaceDescription, ParameterDescription, Place, TopicDescription,
};
use crate::builtin;
use crate::context::Inner;
use crate::entity::store::Entity;
use crate::graph::{ParameterSpec, ParameterValue, Span};
use crate::message::router::TOPIC;
use crate::plugin::component::Component;
use gxf_plugin_abi::{PARAMETER_DYNAMIC, Uid};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Longest text of a parameter value, in bytes; a list may have millions of elements.
const LONGEST_VALUE: usize = 2000;

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
            is_unknown: info.is_unknown(),
            bases: bases.map(|base| base.name.clone()).collect(),
            extension: info.extension.clone(),
            description: either(&info.description, &info.brief),
            parameters: match info.is_unknown() {
                false => info.parameters.iter().enumerate().map(describe).collect(),
                true => self.written(component),
            },
            place: self.origins.get(&component.cid()).map(|span| {
                let (line, column) = span.line_column();
                Place { file: span.source.name.clone(), line, column }
            }),
        }
    }

    /// What the file says of a component about whose parameters nobody knows anything.
    fn written(&self, component: &Component) -> Vec<ParameterDescription> {
        let written = component.unregistered().into_iter();
        let described = written.map(|(key, value)| ParameterDescription {
            key,
            description: String::new(),
            unit: None,
            value: Some(self.text_of(&value)),
            is_default: false,
            is_dynamic: false,
            targets: Vec::new(),
        });
        described.collect()
    }

    fn text_of(&self, value: &ParameterValue) -> String {
        let mut text = String::new();
        self.write_value(value, &mut text);
        shortened(text)
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
            value: value.as_ref().map(|value| self.text_of(value)),
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
