//! Builds the description of a loaded graph.

use super::{
    ComponentDescription, ComponentPosition, ConnectionDescription, EntityDescription,
    GraphDescription, InterfaceDescription, ParameterDescription, Place, TopicDescription,
};
use crate::inner::Inner;
use gxf_app::{ParameterSpec, ParameterValue};
use gxf_engine::graph::routes::{Connected, Declared, Ends};
use gxf_engine::graph::store::Entity;
use gxf_engine::standard::subgraph::Subgraph;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{PARAMETER_DYNAMIC, Uid};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Longest text of a parameter value, in bytes; a list may have millions of elements.
const LONGEST_VALUE: usize = 2000;

/// Describes what is loaded.
pub(crate) fn describe(inner: &Inner) -> GraphDescription {
    let entities = inner.graph.store.read().entities();
    let components: Vec<_> = entities.iter().map(|entity| entity.components()).collect();
    let mut positions = FxHashMap::default();
    for (entity, components) in components.iter().enumerate() {
        for (component, known) in components.iter().enumerate() {
            positions.insert(known.cid(), ComponentPosition { entity, component });
        }
    }
    let subgraphs: FxHashMap<&str, usize> = (entities.iter().enumerate())
        .filter(|(index, _)| {
            components[*index].iter().any(|known| known.type_info().is::<Subgraph>())
        })
        .map(|(index, entity)| (entity.name(), index))
        .collect();
    let describer = Describer { inner, entities: &entities, positions };
    let mut graph = GraphDescription::default();
    for (entity, components) in entities.iter().zip(&components) {
        graph.entities.push(EntityDescription {
            name: entity.name().to_owned(),
            is_unnamed: entity.is_unnamed(),
            subgraph: subgraph_around(entity.name(), &subgraphs),
            components: components.iter().map(|known| describer.component(known)).collect(),
            interfaces: describer.interfaces(entity),
            addresses: Vec::new(),
        });
    }
    let mut declared = Declared::default();
    components.iter().flat_map(|components| components.iter()).for_each(|one| declared.add(one));
    let connections = declared.connections.iter();
    graph.connections = connections.filter_map(|known| describer.connection(known)).collect();
    graph.topics = declared.topics.into_iter().map(|topic| describer.topic(topic)).collect();
    graph
}

/// The innermost subgraph of an entity. Names may contain dots, so only a dot after the name of a
/// subgraph counts.
fn subgraph_around(name: &str, subgraphs: &FxHashMap<&str, usize>) -> Option<usize> {
    name.rmatch_indices('.').find_map(|(dot, _)| subgraphs.get(&name[..dot]).copied())
}

struct Describer<'a> {
    inner: &'a Inner,
    entities: &'a [Arc<Entity>],
    positions: FxHashMap<Uid, ComponentPosition>,
}

impl Describer<'_> {
    fn component(&self, component: &Component) -> ComponentDescription {
        let info = component.type_info();
        let registry = self.inner.graph.registry.read();
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
            place: component.place().map(|span| {
                let (line, column) = span.line_column();
                Place { file: span.source.name.clone(), line, column }
            }),
        }
    }

    /// The parameters in the file, for a component of an unknown type.
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

    fn interfaces(&self, entity: &Entity) -> Vec<InterfaceDescription> {
        let interfaces = entity.interfaces().into_iter();
        interfaces
            .filter_map(|(name, cid)| {
                Some(InterfaceDescription { name, target: *self.positions.get(&cid)? })
            })
            .collect()
    }

    /// `None` if its target no longer exists.
    fn connection(&self, connected: &Connected) -> Option<ConnectionDescription> {
        let position = |cid| self.positions.get(&cid).copied();
        Some(ConnectionDescription {
            source: position(connected.source)?,
            target: position(connected.target)?,
            component: position(connected.component)?,
        })
    }

    fn topic(&self, ends: Ends) -> TopicDescription {
        let positions =
            |cids: &[Uid]| cids.iter().filter_map(|cid| self.positions.get(cid).copied()).collect();
        TopicDescription {
            transmitters: positions(&ends.transmitters),
            receivers: positions(&ends.receivers),
            components: positions(&ends.components),
            name: ends.name,
        }
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
