//! Extensions, types and parameters as plain data, which commands print in several formats.

mod value;

pub use value::{json, text};

use gxf_plugin_abi::{
    PARAMETER_DYNAMIC, PARAMETER_OPTIONAL, ParameterType, TYPE_CAPTURABLE, TYPE_IN_PLACE,
    TYPE_PUBLISHES_INTO,
};
use gxf_runtime::extension::{ExtensionInfo, PortType, TypeInfo};
use gxf_runtime::graph::{Number, ParameterSpec};
use gxf_runtime::{Context, Tid};
use serde::Serialize;

/// An extension with its types.
#[derive(Debug, Serialize)]
pub struct Extension {
    /// Name.
    pub name: String,
    /// Name for people.
    pub display_name: Option<String>,
    /// What kind of extension it is, for people.
    pub category: Option<String>,
    /// One line about it.
    pub brief: Option<String>,
    /// Its own version.
    pub version: String,
    /// 32 hexadecimal digits.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// Who wrote it.
    pub author: String,
    /// Its licence.
    pub license: String,
    /// ABI version it was compiled against.
    pub abi: String,
    /// Language and compiler it was built with.
    pub build: String,
    /// File it was loaded from; none for what is built in.
    pub path: Option<String>,
    /// Its types.
    pub types: Vec<Type>,
}

/// A component type or a payload type.
#[derive(Debug, Serialize)]
pub struct Type {
    /// Full name.
    pub name: String,
    /// Name for people.
    pub display_name: Option<String>,
    /// 32 hexadecimal digits.
    pub id: String,
    /// Whether entities contain it, other types derive from it, or messages carry it.
    pub kind: TypeKind,
    /// Names of its bases, nearest first.
    pub bases: Vec<String>,
    /// One line, or the first sentence of the description.
    pub brief: String,
    /// Full description.
    pub description: String,
    /// What it says about its ticks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// Names of the payload types that go through it, a queue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carries: Vec<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// What a codelet says about its ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// They may be recorded into a CUDA graph.
    Capturable,
    /// They change the memory of their input.
    InPlace,
    /// They can publish into memory that they are given.
    PublishesInto,
}

impl Flag {
    /// Each with its bit in the ABI.
    const ALL: [(Self, u32); 3] = [
        (Self::Capturable, TYPE_CAPTURABLE),
        (Self::InPlace, TYPE_IN_PLACE),
        (Self::PublishesInto, TYPE_PUBLISHES_INTO),
    ];

    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Capturable => "capturable",
            Self::InPlace => "in place",
            Self::PublishesInto => "publishes into a given register",
        }
    }
}

/// What a type is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TypeKind {
    /// A component of an entity.
    Component,
    /// Other types are derived from it.
    Abstract,
    /// Messages carry it.
    Payload,
}

/// A parameter of a component type.
#[derive(Debug, Serialize)]
pub struct Parameter {
    /// Name in YAML.
    pub key: String,
    /// Type for people, such as `[int32]` or `handle of nvidia::gxf::Receiver`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Short title.
    pub headline: String,
    /// Full description.
    pub description: String,
    /// Physical unit.
    pub unit: Option<String>,
    /// Whether it may have no value.
    pub optional: bool,
    /// Whether it is meant to change while the graph runs.
    pub dynamic: bool,
    /// Value if the file gives none.
    pub default: Option<serde_json::Value>,
    /// Smallest allowed number.
    pub minimum: Option<serde_json::Number>,
    /// Largest allowed number.
    pub maximum: Option<serde_json::Number>,
    /// Distance of allowed numbers.
    pub step: Option<serde_json::Number>,
    /// The only texts allowed; empty for any.
    pub choices: Vec<String>,
    /// Names of the payload types that go through its queues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carries: Vec<String>,
}

impl Extension {
    /// An extension of a context.
    pub fn new(context: &Context, info: &ExtensionInfo) -> Self {
        let types = info.types.iter().filter_map(|tid| context.type_info_by_id(*tid));
        let path = info.path.to_string_lossy().into_owned();
        Self {
            name: info.name.clone(),
            display_name: given(&info.display_name),
            category: given(&info.category),
            brief: given(&info.brief),
            version: info.version.clone(),
            id: info.tid.to_string(),
            description: info.description.clone(),
            author: info.author.clone(),
            license: info.license.clone(),
            abi: format!("{}.{}", info.abi_version.0, info.abi_version.1),
            build: info.build_info.clone(),
            path: given(&path),
            types: types.map(|known| Type::new(context, &known)).collect(),
        }
    }
}

impl Type {
    /// A type of a context.
    pub fn new(context: &Context, info: &TypeInfo) -> Self {
        let description = info.description.clone();
        let brief = if info.brief.is_empty() { first_sentence(&description) } else { &info.brief };
        Self {
            name: info.name.clone(),
            display_name: given(&info.display_name),
            id: info.tid.to_string(),
            kind: match (info.is_component(), info.is_abstract()) {
                (true, false) => TypeKind::Component,
                (true, true) => TypeKind::Abstract,
                (false, _) => TypeKind::Payload,
            },
            bases: bases(context, info.base),
            brief: brief.to_owned(),
            description,
            flags: Flag::ALL
                .iter()
                .filter(|(_, bit)| info.flags & bit != 0)
                .map(|(flag, _)| *flag)
                .collect(),
            carries: carries(context, info, None),
            parameters: (0..info.parameters.len())
                .map(|index| Parameter::new(context, info, index))
                .collect(),
        }
    }

    /// The name without its namespace.
    pub fn short_name(&self) -> &str {
        short_name(&self.name)
    }
}

impl Parameter {
    fn new(context: &Context, info: &TypeInfo, index: usize) -> Self {
        let spec = &info.parameters[index];
        Self {
            key: spec.key.clone(),
            type_name: type_name(context, spec),
            headline: spec.headline.clone(),
            description: spec.description.clone(),
            unit: spec.unit.clone(),
            optional: spec.flags & PARAMETER_OPTIONAL != 0,
            dynamic: spec.flags & PARAMETER_DYNAMIC != 0,
            default: spec.default.as_ref().map(json),
            minimum: spec.minimum.and_then(limit),
            maximum: spec.maximum.and_then(limit),
            step: spec.step.and_then(limit),
            choices: spec.choices.clone(),
            carries: carries(context, info, Some(index)),
        }
    }

    /// Allowed numbers, such as `1 to 10 ms`; empty if all are.
    pub fn range(&self) -> String {
        let mut text = match (&self.minimum, &self.maximum) {
            (Some(minimum), Some(maximum)) => format!("{minimum} to {maximum}"),
            (Some(minimum), None) => format!("from {minimum}"),
            (None, Some(maximum)) => format!("up to {maximum}"),
            (None, None) => String::new(),
        };
        if let Some(step) = &self.step {
            let space = if text.is_empty() { "" } else { " " };
            text.push_str(&format!("{space}in steps of {step}"));
        }
        text
    }

    /// Type and unit, such as `int64 in ms`.
    pub fn type_and_unit(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} in {unit}", self.type_name),
            None => self.type_name.clone(),
        }
    }

    /// The default as YAML text, or what happens without a value.
    pub fn default_text(&self) -> String {
        match &self.default {
            Some(value) => text(value),
            None if self.optional => "none".to_owned(),
            None => "mandatory".to_owned(),
        }
    }
}

/// The names of the payload types that go through a port; the id of one that has no name here.
fn carries(context: &Context, info: &TypeInfo, parameter: Option<usize>) -> Vec<String> {
    let ports = info.ports.iter().filter(|port| port.parameter == parameter);
    let name = |port: &PortType| match context.type_info_by_id(port.tid) {
        Some(known) => known.name.clone(),
        None if port.name.is_empty() => port.tid.to_string(),
        None => port.name.clone(),
    };
    ports.map(name).collect()
}

/// A text that an extension may leave empty.
fn given(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// The name of a type without its namespace.
pub fn short_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The name of an element type, as in GXF.
pub fn element_name(element: ParameterType) -> &'static str {
    match element {
        ParameterType::HANDLE => "handle",
        ParameterType::STRING => "string",
        ParameterType::INT8 => "int8",
        ParameterType::INT16 => "int16",
        ParameterType::INT32 => "int32",
        ParameterType::INT64 => "int64",
        ParameterType::UINT8 => "uint8",
        ParameterType::UINT16 => "uint16",
        ParameterType::UINT32 => "uint32",
        ParameterType::UINT64 => "uint64",
        ParameterType::FLOAT32 => "float32",
        ParameterType::FLOAT64 => "float64",
        ParameterType::BOOL => "bool",
        ParameterType::FILE => "file",
        ParameterType::COMPLEX64 => "complex64",
        ParameterType::COMPLEX128 => "complex128",
        ParameterType::TID => "type id",
        _ => "YAML",
    }
}

fn type_name(context: &Context, spec: &ParameterSpec) -> String {
    let element = element_name(spec.element);
    let mut text = match context.type_info_by_id(spec.handle_tid) {
        Some(target) => format!("{element} of {}", target.name),
        None if !spec.choices.is_empty() => "choice".to_owned(),
        None => element.to_owned(),
    };
    // The innermost dimension is the last one.
    for length in spec.shape[..spec.rank as usize].iter().rev() {
        text = match length {
            -1 => format!("[{text}]"),
            length => format!("[{text}; {length}]"),
        };
    }
    text
}

fn bases(context: &Context, mut tid: Tid) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(base) = context.type_info_by_id(tid) {
        names.push(base.name.clone());
        tid = base.base;
    }
    names
}

fn limit(number: Number) -> Option<serde_json::Number> {
    match number {
        Number::Integer(value) => serde_json::Number::from_i128(value),
        Number::Float(value) => serde_json::Number::from_f64(value),
    }
}

/// The text up to its first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    let paragraph = text.split('\n').next().unwrap_or_default();
    match paragraph.find(". ") {
        Some(end) => &paragraph[..=end],
        None => paragraph,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_as_people_write_them() {
        let context = Context::new();
        let mut spec = ParameterSpec::new("p", ParameterType::INT32, 2);
        spec.shape = [3, -1, 0, 0, 0, 0, 0, 0];
        assert_eq!(type_name(&context, &spec), "[[int32]; 3]");
        let mut spec = ParameterSpec::new("p", ParameterType::HANDLE, 1);
        spec.handle_tid = context.type_info("nvidia::gxf::Clock").unwrap().tid;
        assert_eq!(type_name(&context, &spec), "[handle of nvidia::gxf::Clock]");
    }

    #[test]
    fn every_built_in_component_is_described() {
        let context = Context::new();
        for extension in context.extensions() {
            for known in Extension::new(&context, &extension).types {
                if known.kind != TypeKind::Component {
                    continue;
                }
                assert!(!known.description.is_empty(), "{}", known.name);
                for parameter in known.parameters {
                    let key = format!("{}/{}", known.name, parameter.key);
                    assert!(!parameter.description.is_empty(), "{key}");
                }
            }
        }
    }
}
