//! `gxe schema`: a JSON Schema of app files, for editors.
//!
//! Editors apply a schema to each document of a file, so it describes one document. It uses draft
//! 7, which yaml-language-server supports best.

mod parameter;

use super::error::CommandError;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::loading::{load_extensions, never};
use crate::options::GraphOptions;
use clap::Args;
use gxf_runtime::Context;
use gxf_runtime::extension::{ALIASES, TypeInfo};
use gxf_runtime::graph::escape;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A JSON Schema of app files.
#[derive(Args, Debug)]
pub struct Schema {
    #[command(flatten)]
    extensions: ExtensionArguments,

    #[command(flatten)]
    common: CommonArguments,
}

impl Schema {
    /// Prints the schema.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let environment = |name: &str| std::env::var_os(name);
        let graph = GraphArguments::default();
        let options = GraphOptions::new(graph, self.extensions, environment)?;
        let context = Context::new();
        load_extensions(&context, &options, &never)?;
        Console::print(&format!("{:#}\n", escape::json(document(&context))))?;
        Ok(ExitStatus::Success)
    }
}

/// The schema of one document of an app file.
fn document(context: &Context) -> Value {
    let types = component_types(context);
    let mut definitions = Map::new();
    definitions.insert("name".to_owned(), name());
    definitions.insert("names".to_owned(), names());
    definitions.insert("component".to_owned(), component(&types));
    for known in &types {
        definitions.insert(known.name.clone(), parameters(context, known));
    }
    let extensions = context.extensions();
    let extensions: Vec<_> =
        extensions.iter().map(|info| format!("{} {}", info.name, info.version)).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A document of a gxe app",
        "description": format!("An entity of a graph. Extensions: {}.", extensions.join(", ")),
        "type": ["object", "null"],
        "additionalProperties": false,
        "properties": {
            "name": {
                "$ref": "#/definitions/name",
                "description": "Name of the entity. The same name in another document or file \
                                means the same entity.",
            },
            "components": {
                "type": ["array", "null"],
                "items": {"$ref": "#/definitions/component"},
                "description": "What the entity is made of. Codelets tick in this order.",
            },
            "interfaces": {
                "type": ["array", "null"],
                "items": interface(),
                "description": "Components of this subgraph that its user may refer to.",
            },
            "prerequisites": {
                "$ref": "#/definitions/names",
                "description": "Names that the user of this subgraph has to hand in.",
            },
            "start_order": {
                "$ref": "#/definitions/names",
                "description": "Entities of this file that come first, in this order.",
            },
            "default_conditions": {
                "type": ["boolean", "string"],
                "description": "Whether each queue of an entity with a codelet gets the term that \
                                Holoscan gives a port.",
            },
            "extensions": {
                "type": ["array", "null"],
                "items": {"type": "string"},
                "description": "Extension libraries that the app needs.",
            },
            "EntityGroups": {"type": ["array", "null"], "items": group()},
            "graph-specs": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": segment_files(),
                "description": "The segments of a graph in several processes, by name.",
            },
            "connections": {
                "type": ["array", "null"],
                "items": segment_connection(),
                "description": "Links between segments.",
            },
            "application": true,
            "dependencies": true,
            "description": true,
            "display_name": true,
            "segment_config": true,
            "ui_property": true,
            "version": true,
        },
        "definitions": definitions,
    })
}

/// An entry of `graph-specs`.
fn segment_files() -> Value {
    json!({
        "type": "object",
        "properties": {
            "app-path": {"type": "string", "description": "The app file."},
            "manifest-path": {"type": "string", "description": "The manifest."},
            "param-path": {"type": "string", "description": "An app file that sets parameters."},
            "severity": {"type": ["integer", "string"], "description": "Severity of the log."},
        },
        "required": ["app-path"],
        "additionalProperties": false,
    })
}

/// An entry of `connections`.
fn segment_connection() -> Value {
    json!({
        "type": "object",
        "properties": {
            "source": {"type": "string", "description": "The transmitter, `segment.entity.component`."},
            "target": {"type": "string", "description": "The receiver, `segment.entity.component`."},
        },
        "required": ["source", "target"],
        "additionalProperties": false,
    })
}

/// The component types, in the order of registration.
fn component_types(context: &Context) -> Vec<Arc<TypeInfo>> {
    let extensions = context.extensions();
    let ids = extensions.iter().flat_map(|info| &info.types);
    let types = ids.filter_map(|tid| context.type_info_by_id(*tid));
    types.filter(|known| known.is_component() && !known.is_abstract()).collect()
}

/// One entry of `components`: a new component, or more parameters for the one with this name.
///
/// Editors offer what any condition that may hold allows, so the ones about types are asked only of
/// an entry that has a type. Each type is a schema of its own: an editor shows the text of the one
/// that matches.
fn component(types: &[Arc<TypeInfo>]) -> Value {
    let own = types.iter().map(|known| (known.name.as_str(), known));
    let others = ALIASES.iter().filter_map(|(alias, name)| {
        let known = types.iter().find(|known| known.name == *name)?;
        Some((*alias, known))
    });
    let all: Vec<(&str, &Arc<TypeInfo>)> = own.chain(others).collect();
    let names = all.iter().map(|(name, known)| {
        let text = &known.description;
        json!({"const": name, "description": text, "markdownDescription": text})
    });
    let choices = all.iter().map(|(name, known)| {
        json!({
            "if": {"properties": {"type": {"const": name}}},
            "then": {"properties": {"parameters": {"$ref": reference(&known.name)}}},
        })
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "if": {"type": "object", "required": ["type"]},
        "then": {"allOf": choices.collect::<Vec<_>>()},
        "else": {"required": ["name"]},
        "properties": {
            "name": {
                "$ref": "#/definitions/name",
                "description": "Name of the component, by which handles find it. Without a type: \
                                the component whose parameters change.",
            },
            "type": {
                "anyOf": names.collect::<Vec<_>>(),
                "description": "Type of the component, of one of the loaded extensions.",
            },
            "parameters": {
                "type": ["object", "null"],
                "description": "Values of the component's parameters.",
            },
            "description": true,
            "ui_property": true,
        },
    })
}

/// The parameters of one component type.
fn parameters(context: &Context, known: &TypeInfo) -> Value {
    let properties = known
        .parameters
        .iter()
        .map(|spec| (spec.key.clone(), parameter::schema(context, known, spec)))
        .collect::<Map<_, _>>();
    json!({
        "type": ["object", "null"],
        "description": known.description,
        "additionalProperties": false,
        "properties": properties,
    })
}

/// The path of a type's definition in this document, with `/`, `~` and `%` escaped.
fn reference(name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1").replace('%', "%25");
    format!("#/definitions/{name}")
}

fn name() -> Value {
    json!({"type": ["string", "number", "boolean", "null"]})
}

fn names() -> Value {
    json!({"type": ["array", "null"], "items": {"type": ["string", "number", "boolean"]}})
}

fn interface() -> Value {
    json!({
        "type": "object",
        "required": ["name", "target"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "target": {"type": "string", "pattern": "^[^/]+/.+$"},
        },
    })
}

fn group() -> Value {
    json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "target": {"$ref": "#/definitions/names"},
        },
    })
}
