//! What may stand at a position.

use super::document::{Document, Place};
use super::knowledge;
use super::outline::{self, Component, Entity};
use crate::options::GraphOptions;
use gxf_runtime::{Context, Tid};
use serde_json::{Value, json};

/// The kinds of entries that the protocol numbers.
const FIELD: u32 = 5;
const CLASS: u32 = 7;
const VALUE: u32 = 12;
const REFERENCE: u32 = 18;

/// The keys of a document and of a component, with what they are for.
const DOCUMENT_KEYS: &[(&str, &str)] = &[
    ("name", "Name of the entity."),
    ("components", "List of the entity's components."),
    ("interfaces", "Components that a subgraph offers to the file that uses it."),
    ("prerequisites", "Components that a subgraph needs from the file that uses it."),
    ("start_order", "Entities in the order in which they start."),
    ("EntityGroups", "Groups of entities that share resources."),
    ("default_conditions", "Whether entities get Holoscan's default scheduling terms."),
    ("extensions", "List of the extension libraries that the app needs."),
];
const COMPONENT_KEYS: &[(&str, &str)] = &[
    ("name", "Name of the component, by which handles refer to it."),
    ("type", "Component type, such as nvidia::gxf::GreedyScheduler."),
    ("parameters", "Values of the component's parameters."),
];

/// The entries for a position.
pub fn at(document: &Document, place: Place, options: &GraphOptions) -> Value {
    let lines = document.lines();
    let Some(line) = lines.get(place.line) else { return Value::Null };
    let place = Place { byte: place.byte.min(line.len()), ..place };
    let before = &line[..place.byte];
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '/' | '.');
    let start = Place { byte: before.trim_end_matches(is_word).len(), ..place };
    let range = document.range_in(place.line, start.byte..place.byte);
    let entities = outline::read(&lines);
    let entity = entities.iter().find(|entity| entity.lines.contains(&place.line));
    let found = entity.and_then(|entity| Some((entity, outline::slot(&lines, entity, place)?)));
    let Some((entity, slot)) = found else { return Value::Null };
    let path = slot.path();
    let own = entity.component(&path);
    let context = || knowledge::context(document, options);
    let entries = match (&path[..], own, slot.is_key) {
        ([], _, true) => keys(DOCUMENT_KEYS),
        (["components", _], _, _) => keys(COMPONENT_KEYS),
        (["components", _, "type"], _, false) => types(&context()),
        (["components", _, "parameters"], Some(own), true) => parameters(&context(), own, start),
        (["components", _, "parameters", key, ..], Some(own), false) => {
            values(&context(), &entities, entity, own, key)
        }
        _ => return Value::Null,
    };
    let items = entries.into_iter().enumerate().map(|(index, entry)| entry.json(&range, index));
    json!({"isIncomplete": false, "items": items.collect::<Vec<_>>()})
}

/// One line of the list.
struct Entry {
    label: String,
    kind: u32,
    detail: String,
    text: String,
    /// What is inserted after the label.
    suffix: &'static str,
}

impl Entry {
    /// Editors sort by label unless the index says otherwise: keys come in the order in which they
    /// are written, and handles of the same entity first.
    fn json(self, range: &Value, index: usize) -> Value {
        json!({
            "label": self.label,
            "sortText": format!("{index:04}"),
            "kind": self.kind,
            "detail": self.detail,
            "documentation": {"kind": "markdown", "value": self.text},
            "textEdit": {"range": range, "newText": format!("{}{}", self.label, self.suffix)},
        })
    }
}

fn keys(known: &[(&str, &str)]) -> Vec<Entry> {
    let entry = |(key, text): &(&str, &str)| Entry {
        label: (*key).to_owned(),
        kind: FIELD,
        detail: String::new(),
        text: (*text).to_owned(),
        suffix: ": ",
    };
    known.iter().map(entry).collect()
}

fn types(context: &Context) -> Vec<Entry> {
    let all = knowledge::components(context).into_iter().map(|known| Entry {
        label: known.name.clone(),
        kind: CLASS,
        detail: known.brief.clone(),
        text: knowledge::describe(&known),
        suffix: "",
    });
    all.collect()
}

/// The parameters that have no value yet, or whose key is what is typed at a place.
fn parameters(context: &Context, own: &Component, typed: Place) -> Vec<Entry> {
    let Some(known) = knowledge::type_named(context, &own.type_name) else { return Vec::new() };
    let is_given =
        |key: &str| own.parameters.iter().any(|(given, place)| given == key && *place != typed);
    let free = known.parameters.iter().filter(|parameter| !is_given(&parameter.key));
    let entries = free.map(|parameter| Entry {
        label: parameter.key.clone(),
        kind: FIELD,
        detail: format!("{}, {}", parameter.type_and_unit(), parameter.default_text()),
        text: knowledge::describe_parameter(parameter),
        suffix: ": ",
    });
    entries.collect()
}

/// Components for a handle; else choices, or the words of a boolean.
fn values(
    context: &Context,
    entities: &[Entity],
    entity: &Entity,
    own: &Component,
    key: &str,
) -> Vec<Entry> {
    if let Some(target) = knowledge::target_of(context, &own.type_name, key) {
        return handles(context, entities, entity, target);
    }
    let known = knowledge::type_named(context, &own.type_name);
    let parameter = known.iter().flat_map(|known| &known.parameters);
    let parameter = parameter.into_iter().find(|parameter| parameter.key == key);
    let words = match parameter {
        Some(parameter) if !parameter.choices.is_empty() => parameter.choices.clone(),
        Some(parameter) if parameter.type_name == "bool" => {
            ["true", "false"].map(str::to_owned).to_vec()
        }
        _ => Vec::new(),
    };
    let entry = |label| Entry {
        label,
        kind: VALUE,
        detail: String::new(),
        text: String::new(),
        suffix: "",
    };
    words.into_iter().map(entry).collect()
}

/// The components that a handle may name, those of the same entity first.
fn handles(context: &Context, entities: &[Entity], entity: &Entity, target: Tid) -> Vec<Entry> {
    let mut own = Vec::new();
    let mut others = Vec::new();
    for other in entities {
        let is_own = entity.lines == other.lines;
        for component in other.components.iter().filter(|known| !known.name.is_empty()) {
            let Some(info) = context.type_info(&component.type_name) else { continue };
            if info.tid != target && !context.is_base(info.tid, target).unwrap_or(false) {
                continue;
            }
            let label = match (is_own, other.name.is_empty()) {
                (true, _) => component.name.clone(),
                (false, false) => format!("{}/{}", other.name, component.name),
                (false, true) => continue,
            };
            let entry = Entry {
                label,
                kind: REFERENCE,
                detail: component.type_name.clone(),
                text: info.description.clone(),
                suffix: "",
            };
            if is_own { own.push(entry) } else { others.push(entry) }
        }
    }
    own.extend(others);
    own
}
