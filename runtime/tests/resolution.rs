//! Handles lead to exactly the component that a naive model of the rules says, or to the right
//! error, for any names; nothing panics.

use gxf_runtime::graph::ParameterValue;
use gxf_runtime::{Context, ResultCode};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

const RECEIVER: &str = "nvidia::gxf::DoubleBufferReceiver";
const TRANSMITTER: &str = "nvidia::gxf::DoubleBufferTransmitter";

/// A component that a handle may lead to. Its capacity tells it from all others.
#[derive(Clone, Debug)]
struct Part {
    name: String,
    is_receiver: bool,
}

/// A document: name of an entity, and components it adds.
type Document = (String, Vec<Part>);

/// An app, with or without a subgraph called `sub`, and one handle.
#[derive(Clone, Debug)]
struct World {
    outer: Vec<Document>,
    inner: Vec<Document>,
    /// Positions of components in `inner` that the subgraph exports, by name.
    exports: Vec<(String, usize, usize)>,
    /// Whether the handle stands in the subgraph.
    handle_is_inside: bool,
    /// The entity it stands in.
    holder: String,
    handle: String,
}

/// What the model knows: by full name the components of each entity in order, with capacities.
#[derive(Default)]
struct Model {
    entities: BTreeMap<String, Vec<(Part, u64)>>,
    exports: Vec<(String, (Part, u64))>,
}

/// The text as a YAML string.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|character| {
        if character.is_ascii_alphanumeric() || " /.<>_-".contains(character) {
            character.to_string()
        } else {
            format!("\\U{:08x}", u32::from(character))
        }
    });
    format!("\"{}\"", escaped.collect::<String>())
}

impl World {
    /// The texts of the two files, and what they mean.
    fn write(&self, inner_file: &Path) -> (String, String, Model) {
        let (mut outer, mut inner) = (String::new(), String::new());
        let mut model = Model::default();
        let mut capacity = 0;
        for (text, documents, prefix) in
            [(&mut outer, &self.outer, ""), (&mut inner, &self.inner, "sub.")]
        {
            for (name, parts) in documents {
                let known = model.entities.entry(format!("{prefix}{name}")).or_default();
                *text += &format!("---\nname: {}\ncomponents:\n", quoted(name));
                for part in parts {
                    capacity += 1;
                    let kind = if part.is_receiver { RECEIVER } else { TRANSMITTER };
                    *text += &format!(
                        "- name: {}\n  type: {kind}\n  parameters: {{capacity: {capacity}}}\n",
                        quoted(&part.name)
                    );
                    known.push((part.clone(), capacity));
                }
            }
        }
        if !self.exports.is_empty() {
            inner += "---\ninterfaces:\n";
        }
        for (name, document, part) in &self.exports {
            let (entity, parts) = &self.inner[*document];
            let target = &parts[*part].name;
            inner += &format!(
                "- name: {}\n  target: {}\n",
                quoted(name),
                quoted(&format!("{entity}/{target}"))
            );
            let all = &model.entities[&format!("sub.{entity}")];
            let first = all.iter().find(|(known, _)| known.name == *target).unwrap().clone();
            model.exports.push((name.clone(), first));
        }
        outer += &format!(
            "---\nname: sub\ncomponents:\n- name: graph\n  type: nvidia::gxf::Subgraph\n  \
             parameters: {{location: {}}}\n",
            quoted(inner_file.to_str().unwrap())
        );
        let text = if self.handle_is_inside { &mut inner } else { &mut outer };
        *text += &format!(
            "---\nname: {}\ncomponents:\n- name: ref\n  \
             type: nvidia::gxf::MessageAvailableSchedulingTerm\n  parameters: {{receiver: {}}}\n",
            quoted(&self.holder),
            quoted(&self.handle)
        );
        model.entities.entry(self.full_holder()).or_default();
        (outer, inner, model)
    }

    fn prefix(&self) -> &'static str {
        if self.handle_is_inside { "sub." } else { "" }
    }

    fn full_holder(&self) -> String {
        format!("{}{}", self.prefix(), self.holder)
    }

    /// The capacity of the component the handle leads to, none for an open one, or the error.
    fn expected(&self, model: &Model) -> Result<Option<u64>, ResultCode> {
        if self.handle == "<Unspecified>" {
            return Ok(None);
        }
        let (entity, name) = match self.handle.split_once('/') {
            Some(("", _) | (_, "")) => return Err(ResultCode::PARAMETER_PARSER_ERROR),
            None if self.handle.is_empty() => return Err(ResultCode::PARAMETER_PARSER_ERROR),
            None => (self.full_holder(), self.handle.as_str()),
            Some((entity, name)) => {
                let with_prefix = format!("{}{entity}", self.prefix());
                let is_there = |name: &str| name == "sub" || model.entities.contains_key(name);
                let full = if is_there(&with_prefix) { with_prefix } else { entity.to_owned() };
                if !is_there(&full) {
                    return Err(ResultCode::ENTITY_NOT_FOUND);
                }
                (full, name)
            }
        };
        let own = model.entities.get(&entity).into_iter().flatten();
        let exported = model.exports.iter().filter(|_| entity == "sub");
        // Of the exports of one name only the first counts, whatever its type.
        let first_export =
            exported.filter(|(known, _)| known == name).map(|(_, part)| part).take(1);
        let mut candidates = own.filter(|(part, _)| part.name == name).chain(first_export);
        let found = candidates.find(|(part, _)| part.is_receiver);
        found.map(|(_, capacity)| Some(*capacity)).ok_or(ResultCode::ENTITY_COMPONENT_NOT_FOUND)
    }
}

/// What the runtime makes of it.
fn found(world: &World, context: &Context) -> Option<u64> {
    let term = context.find_component(&world.full_holder(), "ref").unwrap();
    let ParameterValue::Component(cid) = context.parameter(term, "receiver").ok()? else {
        panic!("a handle");
    };
    match context.parameter(cid, "capacity").unwrap() {
        ParameterValue::UInt64(capacity) => Some(capacity),
        other => panic!("a capacity: {other:?}"),
    }
}

fn entity_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "x y", "ö", "sub.a", "a.b", "e/f", "ref"])
        .prop_map(str::to_owned)
}

fn part_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["in", "out", "a", "x y", "ö", "in/out", "null", "graph"])
        .prop_map(str::to_owned)
}

fn documents(least: usize) -> impl Strategy<Value = Vec<Document>> {
    let part =
        (part_name(), any::<bool>()).prop_map(|(name, is_receiver)| Part { name, is_receiver });
    let document = (entity_name(), prop::collection::vec(part, 1..4));
    prop::collection::vec(document, least..4)
}

fn handle() -> impl Strategy<Value = String> {
    let any_entity = prop_oneof![
        4 => entity_name(),
        1 => Just("sub".to_owned()),
        1 => entity_name().prop_map(|name| format!("sub.{name}")),
        1 => Just("nobody".to_owned()),
    ];
    prop_oneof![
        3 => part_name(),
        6 => (any_entity, part_name()).prop_map(|(entity, part)| format!("{entity}/{part}")),
        1 => Just("<Unspecified>".to_owned()),
        2 => ".{0,6}",
        2 => "[a/.<> ]{0,6}",
    ]
}

fn world() -> impl Strategy<Value = World> {
    (documents(0), documents(1), any::<bool>(), entity_name(), handle()).prop_flat_map(
        |(outer, inner, handle_is_inside, holder, handle)| {
            // An entity with a slash in its name cannot be the target of an interface.
            let mut places = Vec::new();
            for (index, (name, parts)) in inner.iter().enumerate() {
                if !name.contains('/') {
                    places.extend((0..parts.len()).map(|part| (index, part)));
                }
            }
            let exports = if places.is_empty() {
                Just(Vec::new()).boxed()
            } else {
                prop::collection::vec((part_name(), prop::sample::select(places)), 0..3).boxed()
            };
            exports.prop_map(move |exports| World {
                outer: outer.clone(),
                inner: inner.clone(),
                exports: exports
                    .into_iter()
                    .map(|(name, (document, part))| (name, document, part))
                    .collect(),
                handle_is_inside,
                holder: holder.clone(),
                handle: handle.clone(),
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        // Cases worth keeping become tests of their own.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_handle_leads_where_the_model_says(world in world()) {
        let folder = tempfile::tempdir().unwrap();
        let inner_file = folder.path().join("inner.yaml");
        let (outer, inner, model) = world.write(&inner_file);
        std::fs::write(&inner_file, &inner).unwrap();
        let context = Context::new();
        let loaded = context.load_app_text("outer.yaml", &outer, &[]);
        let actual = match loaded {
            Ok(()) => Ok(found(&world, &context)),
            Err(error) => Err((error.code(), format!("{error:?}"))),
        };
        match (world.expected(&model), actual) {
            (Ok(expected), Ok(actual)) => prop_assert_eq!(expected, actual, "{}\n{}", outer, inner),
            (Err(expected), Err((code, text))) => {
                prop_assert_eq!(expected, code, "{}\n{}\n{}", text, outer, inner);
            }
            (expected, actual) => {
                prop_assert!(false, "{:?} {:?}\n{}\n{}", expected, actual, outer, inner);
            }
        }
    }
}
