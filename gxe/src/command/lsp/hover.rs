//! What a word of the file means, and where it is defined.

use super::document::{Document, Place};
use super::knowledge;
use super::outline::{self, Component, Entity};
use crate::options::GraphOptions;
use serde_json::{Value, json};
use std::ops::Range;

/// The documentation of a type or a parameter, or of the component that a handle names.
pub fn at(document: &Document, place: Place, options: &GraphOptions) -> Value {
    let lines = document.lines();
    let Some(line) = lines.get(place.line) else { return Value::Null };
    let entities = outline::read(&lines);
    let context = knowledge::context(document, options);
    let Some(word) = word_at(line, place.byte) else { return Value::Null };
    let text = &line[word.clone()];
    let own = own_component(&entities, place.line);
    let key = outline::key(line);
    let described = match (own, key) {
        (_, Some(("type", _, _))) if text != "type" => {
            knowledge::type_named(&context, text).map(|known| knowledge::describe(&known))
        }
        (Some(own), Some((key, column, _))) if word.start == column && text == key => {
            let known = knowledge::type_named(&context, &own.type_name);
            let parameter = known.iter().flat_map(|known| &known.parameters);
            let mut parameter = parameter.filter(|parameter| parameter.key == key);
            parameter.next().map(knowledge::describe_parameter)
        }
        _ => target(&entities, place.line, text).map(|(_, component)| {
            let known = knowledge::type_named(&context, &component.type_name);
            known.map_or_else(|| component.type_name.clone(), |known| knowledge::describe(&known))
        }),
    };
    let Some(text) = described else { return Value::Null };
    json!({
        "contents": {"kind": "markdown", "value": text},
        "range": document.range_in(place.line, word),
    })
}

/// The place of the component that a handle names.
pub fn definition(document: &Document, place: Place) -> Value {
    let lines = document.lines();
    let Some(line) = lines.get(place.line) else { return Value::Null };
    let Some(word) = word_at(line, place.byte) else { return Value::Null };
    let entities = outline::read(&lines);
    let Some((_, component)) = target(&entities, place.line, &line[word]) else {
        return Value::Null;
    };
    let start = component.lines.start;
    let length = lines.get(start).map_or(0, |line| line.len());
    let uri = document.path.as_deref().map(|path| format!("file://{}", path.display()));
    json!({"uri": uri, "range": document.range_in(start, 0..length)})
}

fn own_component(entities: &[Entity], line: usize) -> Option<&Component> {
    let mut all = entities.iter().flat_map(|entity| &entity.components);
    all.find(|component| component.lines.contains(&line))
}

/// The component with this name in the same entity, or `entity/component` anywhere.
fn target<'a>(
    entities: &'a [Entity],
    line: usize,
    text: &str,
) -> Option<(&'a Entity, &'a Component)> {
    let (entity, name) = match text.rsplit_once('/') {
        Some((entity, name)) => (entities.iter().find(|known| known.name == entity)?, name),
        None => (entities.iter().find(|known| known.lines.contains(&line))?, text),
    };
    let component = entity.components.iter().find(|known| known.name == name)?;
    Some((entity, component))
}

/// The word around a byte of a line.
fn word_at(line: &str, byte: usize) -> Option<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '/' | '.');
    let (before, after) = line.split_at_checked(byte.min(line.len()))?;
    let start = before.trim_end_matches(is_word).len();
    let end = line.len() - after.trim_start_matches(is_word).len();
    let word = &line[start..end];
    // The colon of a key is no part of it, those of a type are.
    let length = word.trim_end_matches(':').len();
    (length > 0).then(|| start..start + length)
}
