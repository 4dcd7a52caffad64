//! The values in the files of a graph, to compare with later versions: an edit that changes only
//! dynamic parameters needs no new graph.

use crate::inner::Inner;
use gxf_app::ParameterValue;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{PARAMETER_DYNAMIC, Tid, Uid};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// All entities, components and values of a graph at one moment; see
/// [`Context::values`](crate::Context::values).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphValues {
    entities: Vec<EntityValues>,
}

#[derive(Clone, Debug, PartialEq)]
struct EntityValues {
    name: String,
    group: String,
    components: Vec<ComponentValues>,
}

#[derive(Clone, Debug, PartialEq)]
struct ComponentValues {
    tid: Tid,
    name: String,
    /// Name or type, for people.
    label: String,
    parameters: Vec<Parameter>,
    /// Values for keys that the type does not declare.
    unregistered: BTreeMap<String, ParameterValue>,
}

#[derive(Clone, Debug, PartialEq)]
struct Parameter {
    key: String,
    is_dynamic: bool,
    /// Contains positions of components instead of ids, which have no meaning elsewhere.
    value: Option<ParameterValue>,
}

/// A new value for a dynamic parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterChange {
    /// `entity/component/key`, for people.
    pub path: String,
    /// Name of the entity.
    pub entity: String,
    /// Position of the component in its entity.
    pub component: usize,
    /// Name of the parameter.
    pub key: String,
    /// The new value; `None` removes the value.
    pub value: Option<ParameterValue>,
}

impl GraphValues {
    /// The changes that turn a graph with these values into one with `new`. `None` if that requires
    /// a new graph.
    #[must_use]
    pub fn changes(&self, new: &Self) -> Option<Vec<ParameterChange>> {
        let mut changes = Vec::new();
        if self.entities.len() != new.entities.len() {
            return None;
        }
        for (old, new) in self.entities.iter().zip(&new.entities) {
            let is_same = (&old.name, &old.group) == (&new.name, &new.group);
            if !is_same || old.components.len() != new.components.len() {
                return None;
            }
            for (index, (before, after)) in old.components.iter().zip(&new.components).enumerate() {
                for parameter in before.changes(after)? {
                    changes.push(ParameterChange {
                        path: format!("{}/{}/{}", new.name, after.label, parameter.key),
                        entity: new.name.clone(),
                        component: index,
                        key: parameter.key.clone(),
                        value: parameter.value.clone(),
                    });
                }
            }
        }
        Some(changes)
    }
}

impl GraphValues {
    /// The value of a parameter, `entity/component/key`; `Some(None)` if it has none.
    #[must_use]
    pub fn value(&self, path: &str) -> Option<&Option<ParameterValue>> {
        let mut pieces = path.rsplitn(3, '/');
        let (key, component, entity) = (pieces.next()?, pieces.next()?, pieces.next()?);
        let entity = self.entities.iter().find(|known| known.name == entity)?;
        let component = entity.components.iter().find(|known| known.label == component)?;
        component.parameters.iter().find(|known| known.key == key).map(|known| &known.value)
    }
}

impl ComponentValues {
    fn changes<'a>(&self, new: &'a Self) -> Option<Vec<&'a Parameter>> {
        let is_same = (self.tid, &self.name, &self.unregistered)
            == (new.tid, &new.name, &new.unregistered)
            && self.parameters.len() == new.parameters.len();
        if !is_same {
            return None;
        }
        let pairs = self.parameters.iter().zip(&new.parameters);
        let changed: Vec<_> = pairs.filter(|(old, new)| old != new).collect();
        let fits = |(old, new): &(&Parameter, &Parameter)| {
            old.key == new.key && old.is_dynamic && new.is_dynamic
        };
        changed.iter().all(fits).then(|| changed.into_iter().map(|(_, new)| new).collect())
    }
}

/// Copies the values of everything that is loaded.
pub(crate) fn values(inner: &Inner) -> GraphValues {
    let entities = inner.graph.store.read().program();
    let mut positions = FxHashMap::default();
    for (index, entity) in entities.iter().enumerate() {
        for (place, component) in entity.components().iter().enumerate() {
            // Both are far below 2³¹, because each one takes memory.
            positions.insert(component.cid(), ((index as Uid) << 32) | place as Uid);
        }
    }
    let groups = inner.graph.groups.lock();
    let entities = entities.iter().map(|entity| EntityValues {
        name: entity.name().to_owned(),
        group: groups.name(groups.of(entity.eid())).unwrap_or_default().to_owned(),
        components: entity.components().iter().map(|known| component(known, &positions)).collect(),
    });
    GraphValues { entities: entities.collect() }
}

fn component(component: &Component, positions: &FxHashMap<Uid, Uid>) -> ComponentValues {
    let info = component.type_info();
    let parameters = info.parameters.iter().map(|spec| Parameter {
        key: spec.key.clone(),
        is_dynamic: spec.flags & PARAMETER_DYNAMIC != 0,
        value: component.parameter(&spec.key).map(|value| located(value, positions)),
    });
    ComponentValues {
        tid: info.tid,
        name: component.name().to_owned(),
        label: component.label().to_owned(),
        parameters: parameters.collect(),
        unregistered: component.unregistered(),
    }
}

/// The value with positions of components instead of ids.
fn located(value: ParameterValue, positions: &FxHashMap<Uid, Uid>) -> ParameterValue {
    match value {
        ParameterValue::Component(cid) => {
            ParameterValue::Component(positions.get(&cid).copied().unwrap_or(cid))
        }
        ParameterValue::List(items) => {
            ParameterValue::List(items.into_iter().map(|item| located(item, positions)).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    fn values_of(app: &str) -> GraphValues {
        let context = Context::new();
        context.load_app_text("app.yaml", app, &[]).unwrap();
        context.values()
    }

    const APP: &str = "name: a\ncomponents:\n- {name: in, type: nvidia::gxf::DoubleBufferReceiver, \
                       parameters: {capacity: 2}}\n- {type: nvidia::gxf::BooleanSchedulingTerm, \
                       parameters: {enable_tick: true}}\n- {type: \
                       nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}\n";

    #[test]
    fn values_of_dynamic_parameters_are_changes() {
        let before = values_of(APP);
        assert_eq!(before.changes(&values_of(APP)), Some(vec![]));
        assert_eq!(before.changes(&values_of(&format!("# a comment\n{APP}"))), Some(vec![]));
        let changes = before.changes(&values_of(&APP.replace("true", "false"))).unwrap();
        assert_eq!(
            changes,
            [ParameterChange {
                path: "a/nvidia::gxf::BooleanSchedulingTerm/enable_tick".into(),
                entity: "a".into(),
                component: 1,
                key: "enable_tick".into(),
                value: Some(ParameterValue::Bool(false)),
            }]
        );
    }

    #[test]
    fn everything_else_takes_a_new_graph() {
        let before = values_of(APP);
        for (from, to) in [
            ("capacity: 2", "capacity: 3"),
            ("name: a", "name: b"),
            ("name: in,", "name: inn,"),
            ("capacity: 2", "capacity: 2, policy: 1"),
            ("enable_tick: true", "enable_tick: true, other: 1"),
            ("name: a\n", "name: a\ncomponents: []\n---\nname: b\n"),
        ] {
            let app = APP.replace(from, to).replace("receiver: in}", "receiver: inn}");
            let app = if to.contains("inn") { app } else { app.replace("inn}", "in}") };
            assert_eq!(before.changes(&values_of(&app)), None, "{to}");
        }
    }
}
