//! What a word of the file means, and where it is defined.

use super::document::{Document, Place};
use super::knowledge;
use super::outline::{self, Component, Entity};
use crate::options::GraphOptions;
use serde_json::{Value, json};

/// The documentation of a type or a parameter, or of the component that a handle names.
pub fn at(document: &Document, place: Place, options: &GraphOptions) -> Value {
    let entities = outline::read(&document.lines());
    let Some((entity, word)) = outline::word_at(&entities, place) else { return Value::Null };
    let context = knowledge::context(document, options);
    let path = word.slot.path();
    let described = match (&path[..], entity.component(&path), word.slot.is_key) {
        (["components", _, "type"], _, false) => {
            knowledge::type_named(&context, &word.text).map(|known| knowledge::describe(&known))
        }
        (["components", _, "parameters"], Some(own), true) => {
            let known = knowledge::type_named(&context, &own.type_name);
            let parameter = known.iter().flat_map(|known| &known.parameters);
            let mut parameter = parameter.filter(|parameter| parameter.key == word.text);
            parameter.next().map(knowledge::describe_parameter)
        }
        (_, _, false) => target(&entities, entity, &word.text).map(|component| {
            let known = knowledge::type_named(&context, &component.type_name);
            known.map_or_else(|| component.type_name.clone(), |known| knowledge::describe(&known))
        }),
        _ => None,
    };
    let Some(text) = described else { return Value::Null };
    json!({
        "contents": {"kind": "markdown", "value": text},
        "range": document.range_in(place.line, word.range.clone()),
    })
}

/// The place of the component that a handle names.
pub fn definition(document: &Document, place: Place) -> Value {
    let lines = document.lines();
    let entities = outline::read(&lines);
    let found = outline::word_at(&entities, place);
    let found = found.and_then(|(entity, word)| target(&entities, entity, &word.text));
    let Some(component) = found else { return Value::Null };
    let start = component.line;
    let length = lines.get(start).map_or(0, |line| line.len());
    let uri = document.path.as_deref().map(|path| format!("file://{}", path.display()));
    json!({"uri": uri, "range": document.range_in(start, 0..length)})
}

/// The component with this name in the same entity, or `entity/component` anywhere.
fn target<'a>(entities: &'a [Entity], own: &'a Entity, text: &str) -> Option<&'a Component> {
    let (entity, name) = match text.rsplit_once('/') {
        Some((entity, name)) => (entities.iter().find(|known| known.name == entity)?, name),
        None => (own, text),
    };
    entity.components.iter().find(|known| known.name == name)
}
