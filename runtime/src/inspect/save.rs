//! Writes a graph as an app file that loads to the same graph.
//!
//! Subgraphs are expanded: their entities keep their full names, and handles refer to the
//! components themselves. Unnamed targets of handles get a name.

use crate::context::Context;
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_app::yaml::{Kind, Node, emit, parse_stream};
use gxf_app::{Diagnostics, HandleText, ParameterSpec, ParameterValue, Source};
use gxf_engine::graph::store::Entity;
use gxf_engine::standard::subgraph::Subgraph;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ParameterType, ResultCode, Uid, tids};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

impl Context {
    /// Writes the graph as an app file that loads to the same graph.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND`: the file cannot be written. `INVALID_DATA_FORMAT`: a handle refers to a
    /// component that no text can name.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = self.to_yaml()?;
        std::fs::write(path, text).map_err(|error| {
            let what = format!("the graph cannot be written to `{}`", path.display());
            Error::new(ResultCode::FILE_NOT_FOUND, what).caused_by(error)
        })
    }

    /// The graph as the text of an app file, see [`Context::save`].
    ///
    /// # Errors
    /// `INVALID_DATA_FORMAT`
    pub fn to_yaml(&self) -> Result<String> {
        Writer::new(self.inner()).graph()
    }

    /// The graph as [`Context::to_yaml`] has it, with a name for every entity that has codelets. Also
    /// returns the names in the text of entities without one, by those that they have here.
    ///
    /// # Errors
    /// `INVALID_DATA_FORMAT`
    pub fn to_named_yaml(&self) -> Result<(String, BTreeMap<String, String>)> {
        let mut writer = Writer::new(self.inner());
        for entity in writer.entities.clone() {
            if entity.components().iter().any(|one| one.is_a(tids::CODELET)) {
                writer.name_entity(&entity);
            }
        }
        let named = writer.entities.iter().filter_map(|entity| {
            Some((entity.name().to_owned(), writer.names.get(&entity.eid())?.clone()))
        });
        Ok((writer.graph()?, named.collect()))
    }

    /// The graph, or one of its entities, as [`Context::to_yaml`] has it, with the id of each entity
    /// and component as `uid`.
    pub(crate) fn to_yaml_with_ids(&self, entity: Option<Uid>) -> Result<String> {
        let mut writer = Writer { with_ids: true, ..Writer::new(self.inner()) };
        if let Some(eid) = entity {
            writer.entities.retain(|entity| entity.eid() == eid);
            let mut text = String::new();
            writer.entities.iter().try_for_each(|entity| writer.entity(entity, &mut text))?;
            return Ok(text);
        }
        writer.graph()
    }

    /// The value of a parameter as YAML text.
    ///
    /// # Errors
    /// As [`Context::parameter`]; `INVALID_DATA_FORMAT` as [`Context::save`].
    pub fn parameter_yaml(&self, cid: Uid, key: &str) -> Result<String> {
        let value = self.parameter(cid, key)?;
        let component = self.inner().graph.component(cid)?;
        let spec = component.type_info().parameter(key).map(|(_, spec)| spec);
        let writer = Writer::new(self.inner());
        writer.value(&component, spec, &value).map(|node| emit(&node))
    }
}

struct Writer<'a> {
    inner: &'a Inner,
    entities: Vec<Arc<Entity>>,
    /// Names for objects without one that need one, by id.
    names: FxHashMap<Uid, String>,
    with_ids: bool,
}

impl<'a> Writer<'a> {
    fn new(inner: &'a Inner) -> Self {
        let mut entities = inner.graph.store.read().program();
        entities.retain(|entity| !stands_for_others(entity));
        let mut writer = Self { inner, entities, names: FxHashMap::default(), with_ids: false };
        writer.name_unnamed();
        writer
    }

    /// Names the objects that handles and groups have to refer to.
    fn name_unnamed(&mut self) {
        let mut targets = FxHashSet::default();
        let mut across = FxHashSet::default();
        for entity in &self.entities {
            for component in written(entity) {
                for (_, _, value) in values_of(&component) {
                    each_target(&value, &mut |cid| {
                        targets.insert(cid);
                        if let Ok(target) = self.inner.graph.component(cid)
                            && target.eid() != entity.eid()
                        {
                            across.insert(target.eid());
                        }
                    });
                }
            }
            if self.inner.graph.groups.lock().of(entity.eid()) != 1 {
                across.insert(entity.eid());
            }
        }
        for eid in across {
            if let Ok(entity) = self.inner.graph.entity(eid) {
                self.name_entity(&entity);
            }
        }
        for cid in targets {
            let Ok(component) = self.inner.graph.component(cid) else { continue };
            let Ok(entity) = self.inner.graph.entity(component.eid()) else { continue };
            if component.name().is_empty() {
                let taken = |name: &str| !entity.components_named(name).is_empty();
                self.names.insert(cid, free_name("component", cid, taken));
            }
        }
    }

    /// Names an entity that has no name.
    fn name_entity(&mut self, entity: &Entity) {
        if entity.is_unnamed() {
            let eid = entity.eid();
            let store = self.inner.graph.store.read();
            let name = free_name("entity", eid, |name| store.entity_named(name).is_some());
            drop(store);
            self.names.insert(eid, name);
        }
    }

    fn graph(&self) -> Result<String> {
        let mut text = String::new();
        for entity in &self.entities {
            self.entity(entity, &mut text)?;
        }
        self.groups(&mut text);
        Ok(text)
    }

    fn entity(&self, entity: &Entity, text: &mut String) -> Result<()> {
        text.push_str("---\n");
        if let Some(name) = self.entity_name(entity) {
            line(text, &format!("name: {}", name_text(&name)));
        }
        if self.with_ids {
            line(text, &format!("uid: {}", entity.eid()));
        }
        let components = written(entity);
        if components.is_empty() {
            line(text, "components: []");
            return Ok(());
        }
        line(text, "components:");
        for component in components {
            line(text, &format!("- type: {}", name_text(&component.type_info().name)));
            if let Some(name) = self.component_name(&component) {
                line(text, &format!("  name: {}", name_text(&name)));
            }
            if self.with_ids {
                line(text, &format!("  uid: {}", component.cid()));
            }
            let values = values_of(&component);
            if !values.is_empty() {
                line(text, "  parameters:");
            }
            for (key, spec, value) in values {
                let value = self.value(&component, spec.as_ref(), &value)?;
                line(text, &format!("    {}: {}", emit(&quoted_or_plain(&key)), emit(&value)));
            }
        }
        Ok(())
    }

    fn groups(&self, text: &mut String) {
        let groups: Vec<(Uid, String)> = {
            let groups = self.inner.graph.groups.lock();
            groups.named().map(|(gid, name)| (gid, name.to_owned())).collect()
        };
        if groups.is_empty() {
            return;
        }
        text.push_str("---\nEntityGroups:\n");
        for (gid, name) in groups {
            let members = self.inner.graph.members_of(gid);
            let members = members.iter().filter(|entity| !stands_for_others(entity));
            let names = members.filter_map(|entity| self.entity_name(entity));
            let names: Vec<_> = names.map(|name| quoted_or_plain(&name)).collect();
            line(text, &format!("- name: {}", name_text(&name)));
            line(text, &format!("  target: {}", emit(&list(names))));
        }
    }

    fn entity_name(&self, entity: &Entity) -> Option<String> {
        let own = (!entity.is_unnamed()).then(|| entity.name().to_owned());
        own.or_else(|| self.names.get(&entity.eid()).cloned())
    }

    fn component_name(&self, component: &Component) -> Option<String> {
        let own = (!component.name().is_empty()).then(|| component.name().to_owned());
        own.or_else(|| self.names.get(&component.cid()).cloned())
    }

    /// The value of a parameter as in a file.
    fn value(
        &self,
        component: &Component,
        spec: Option<&ParameterSpec>,
        value: &ParameterValue,
    ) -> Result<Node> {
        use ParameterValue as V;
        let plain = |text: String| Ok(scalar(text, true));
        match value {
            V::List(items) => {
                let items = items.iter().map(|item| self.value(component, spec, item));
                items.collect::<Result<_>>().map(list)
            }
            V::Bool(value) => plain(value.to_string()),
            V::Int8(value) => plain(value.to_string()),
            V::Int16(value) => plain(value.to_string()),
            V::Int32(value) => plain(value.to_string()),
            V::Int64(value) => plain(value.to_string()),
            V::UInt8(value) => plain(value.to_string()),
            V::UInt16(value) => plain(value.to_string()),
            V::UInt32(value) => plain(value.to_string()),
            V::UInt64(value) => plain(value.to_string()),
            V::Float32(value) => plain(float(f64::from(*value), format!("{value:?}"))),
            V::Float64(value) => plain(float(*value, format!("{value:?}"))),
            V::Complex64([real, imaginary]) => plain(format!("{real:?}{imaginary:+?}j")),
            V::Complex128([real, imaginary]) => plain(format!("{real:?}{imaginary:+?}j")),
            V::Tid(tid) => plain(tid.to_string()),
            V::String(text) | V::File(text) => Ok(scalar(text.clone(), false)),
            V::Custom(text) => custom(spec, text),
            V::Handle(text) => Ok(scalar(text.to_string(), false)),
            V::Component(cid) => self.handle(component, spec, *cid),
        }
    }

    /// The text of a handle from a component to another one.
    fn handle(
        &self,
        component: &Component,
        spec: Option<&ParameterSpec>,
        cid: Uid,
    ) -> Result<Node> {
        let impossible = |why: &str| {
            let text = format!("a handle of `{}` leads to a component {why}", component.label());
            Error::new(ResultCode::INVALID_DATA_FORMAT, text)
        };
        let target = self.inner.graph.component(cid).map_err(|_| impossible("that is gone"))?;
        let holder = self.inner.graph.entity(target.eid())?;
        let name = self.component_name(&target).ok_or_else(|| impossible("without a name"))?;
        let fits = |other: &Arc<Component>| {
            spec.is_none_or(|spec| spec.handle_tid.is_null() || other.is_a(spec.handle_tid))
        };
        let same = holder.components_named(&name);
        if same.iter().find(|other| fits(other)).is_some_and(|first| first.cid() != cid) {
            return Err(impossible("whose name another component of its entity has as well"));
        }
        let near = HandleText::parse(&name) == Some(HandleText::Local(name.clone()));
        let text = if target.eid() == component.eid() && near {
            name
        } else {
            let entity = self.entity_name(&holder);
            let entity = entity.ok_or_else(|| impossible("of an entity without a name"))?;
            if entity.contains('/') {
                return Err(impossible("of an entity whose name has a slash"));
            }
            format!("{entity}/{name}")
        };
        Ok(quoted_or_plain(&text))
    }
}

/// Whether the entity only provides components of others, like that of a subgraph.
fn stands_for_others(entity: &Entity) -> bool {
    let subgraph = entity.components().iter().any(|component| is_loaded_subgraph(component));
    written(entity).is_empty() && (subgraph || entity.exports())
}

/// Whether this is a subgraph whose entities exist: loading it again would duplicate them.
fn is_loaded_subgraph(component: &Component) -> bool {
    component.type_info().is::<Subgraph>() && component.parameter("location").is_some()
}

/// The components of an entity that a file must contain.
fn written(entity: &Entity) -> Vec<Arc<Component>> {
    let components = entity.components();
    components.iter().filter(|component| !is_loaded_subgraph(component)).cloned().collect()
}

/// The parameters with values.
fn values_of(component: &Component) -> Vec<(String, Option<ParameterSpec>, ParameterValue)> {
    let parameters = component.type_info().parameters.iter().enumerate();
    let set = parameters.filter(|(index, _)| component.has_value(*index));
    let set = set.filter_map(|(_, spec)| {
        Some((spec.key.clone(), Some(spec.clone()), component.parameter(&spec.key)?))
    });
    let unknown = component.unregistered().into_iter().map(|(key, value)| (key, None, value));
    set.chain(unknown).collect()
}

fn each_target(value: &ParameterValue, found: &mut impl FnMut(Uid)) {
    match value {
        ParameterValue::Component(cid) => found(*cid),
        ParameterValue::List(items) => items.iter().for_each(|item| each_target(item, found)),
        _ => {}
    }
}

fn free_name(kind: &str, id: Uid, taken: impl Fn(&str) -> bool) -> String {
    let mut name = format!("{kind}_{id}");
    while taken(&name) {
        name.push('_');
    }
    name
}

fn float(value: f64, text: String) -> String {
    match value {
        value if value.is_nan() => ".nan".to_owned(),
        value if value == f64::INFINITY => ".inf".to_owned(),
        value if value == f64::NEG_INFINITY => "-.inf".to_owned(),
        _ => text,
    }
}

/// YAML of a type that only its component knows.
fn custom(spec: Option<&ParameterSpec>, text: &str) -> Result<Node> {
    if spec.is_some_and(|spec| spec.element == ParameterType::CUSTOM && !spec.choices.is_empty()) {
        return Ok(scalar(text.to_owned(), false));
    }
    let parsed = parse_stream(&Source::new("<value>", text), &mut Diagnostics::new()).ok();
    let mut documents = parsed.unwrap_or_default();
    match (documents.pop(), documents.is_empty()) {
        (Some(node), true) => Ok(node),
        _ => Ok(scalar(text.to_owned(), false)),
    }
}

fn scalar(text: String, plain: bool) -> Node {
    Node::made(Kind::Scalar { value: text.into(), plain })
}

fn list(items: Vec<Node>) -> Node {
    Node::made(Kind::Sequence(items))
}

/// Plain if no reader can mistake the word for anything else; otherwise in quotes.
fn quoted_or_plain(text: &str) -> Node {
    let word = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let reserved = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let reserved = reserved.iter().any(|word| text.eq_ignore_ascii_case(word));
    scalar(text.to_owned(), word && !reserved)
}

fn name_text(name: &str) -> String {
    emit(&quoted_or_plain(name))
}

fn line(text: &mut String, content: &str) {
    // Writing to a `String` does not fail.
    let _ = writeln!(text, "{content}");
}
