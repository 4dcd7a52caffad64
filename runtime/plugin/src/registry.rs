//! The types of a context by id and by name, and their descriptions.

use crate::aliases::{ALIASES, registered_name};
use crate::descriptor::{Construction, interface_name, is_interface_with_functions};
use crate::message::payload_type::PayloadType;
use gxf::support::BuiltIn;
use gxf_app::ParameterSpec;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::{ResultCode, TYPE_ABSTRACT, TYPE_PAYLOAD, Tid, tids};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Interfaces that a type may implement whatever its base is. A handle to such an interface takes
/// every component that has it.
const INTERFACES_OF_ANY_BASE: [Tid; 1] = [tids::COMPLETION];

/// Description of an extension.
#[derive(Clone, Debug)]
pub struct ExtensionInfo {
    /// The extension's id.
    pub tid: Tid,
    /// Name.
    pub name: String,
    /// Version of the extension.
    pub version: String,
    /// Purpose.
    pub description: String,
    /// Author.
    pub author: String,
    /// Its licence.
    pub license: String,
    /// Name for tools to show; empty for none.
    pub display_name: String,
    /// Category for tools to show; empty for none.
    pub category: String,
    /// One-line summary for tools to show; empty for none.
    pub brief: String,
    /// Language and compiler; empty if unknown.
    pub build_info: String,
    /// ABI version it was compiled for.
    pub abi_version: (u32, u32),
    /// Its file; empty for built-in extensions.
    pub path: std::path::PathBuf,
    /// Its types, in the order of registration.
    pub types: Vec<Tid>,
}

/// A payload type that goes through a port of a component type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortType {
    /// Position of the parameter whose queues are the port; `None` for the component itself, a
    /// queue.
    pub parameter: Option<usize>,
    /// Id of the payload type; null if only its name is known.
    pub tid: Tid,
    /// Full name of the payload type; empty if only its id is known.
    pub name: String,
}

/// A component type or a payload type.
#[derive(Clone, Debug)]
pub struct TypeInfo {
    /// Type id.
    pub tid: Tid,
    /// The base type; null for none.
    pub base: Tid,
    /// Full name.
    pub name: String,
    /// Name for tools to show; empty for none.
    pub display_name: String,
    /// One-line summary for tools to show; empty for none.
    pub brief: String,
    /// Description; empty for none.
    pub description: String,
    /// `TYPE_…` flags of the ABI.
    pub flags: u32,
    /// Name of its extension.
    pub extension: String,
    /// Its parameters.
    pub parameters: Vec<ParameterSpec>,
    /// The payload types that it says go through its ports.
    pub ports: Vec<PortType>,
    /// The type itself and all its bases, nearest first, then those of
    /// [`INTERFACES_OF_ANY_BASE`] that it implements.
    pub lineage: Vec<Tid>,
    /// The Rust type, for built-in types that the engine knows.
    pub native: Option<std::any::TypeId>,
    /// How to create an instance, and its interfaces.
    pub construction: Construction,
}

impl TypeInfo {
    /// Whether it cannot be created.
    #[must_use]
    pub fn is_abstract(&self) -> bool {
        self.flags & TYPE_ABSTRACT != 0
    }

    /// Whether it is this built-in type.
    #[must_use]
    pub fn is<T: BuiltIn>(&self) -> bool {
        self.tid == T::TID
    }

    /// Whether it is this type or derives from it.
    #[must_use]
    pub fn is_a(&self, tid: Tid) -> bool {
        self.lineage.contains(&tid)
    }

    /// Whether it is a component and not a payload.
    #[must_use]
    pub fn is_component(&self) -> bool {
        self.is_a(tids::COMPONENT)
    }

    /// Represents a type that no loaded extension has, in a graph that is only inspected.
    pub fn unknown(name: &str) -> Self {
        Self {
            tid: Tid::NULL,
            base: Tid::NULL,
            name: name.to_owned(),
            display_name: String::new(),
            brief: String::new(),
            description: String::new(),
            flags: 0,
            extension: String::new(),
            parameters: Vec::new(),
            ports: Vec::new(),
            lineage: Vec::new(),
            native: None,
            construction: Construction::of_nothing(),
        }
    }

    /// Whether no loaded extension has this type, so that its bases are unknown.
    pub fn is_unknown(&self) -> bool {
        self.tid.is_null()
    }

    /// Information for the message pool, if messages can carry this type.
    pub fn payload(&self) -> Option<PayloadType> {
        let is_payload = self.base.is_null() || self.flags & TYPE_PAYLOAD != 0;
        if is_payload { self.construction.payload(self.tid) } else { None }
    }

    /// Position and description of a parameter.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<(usize, &ParameterSpec)> {
        self.parameters.iter().enumerate().find(|(_, parameter)| parameter.key == key)
    }
}

/// All types and extensions of a context.
#[derive(Default)]
pub struct Registry {
    types: FxHashMap<Tid, Arc<TypeInfo>>,
    names: FxHashMap<String, Tid>,
    extensions: Vec<ExtensionInfo>,
}

impl Registry {
    /// Adds an extension with all its types, or nothing at all.
    pub fn add_extension(&mut self, info: ExtensionInfo, types: Vec<TypeInfo>) -> Result<()> {
        if let Some(other) = self.extension(info.tid) {
            return Err(Error::new(
                ResultCode::FACTORY_DUPLICATE_TID,
                format!(
                    "extension `{}` has the id {} of extension `{}`, which is already loaded{}",
                    info.name,
                    info.tid,
                    other.name,
                    place(other),
                ),
            ));
        }
        let mut added: Vec<Arc<TypeInfo>> = Vec::with_capacity(types.len());
        for mut new in types {
            let earlier =
                |tid| added.iter().find(|known| known.tid == tid).or_else(|| self.types.get(&tid));
            if let Some(other) = earlier(new.tid) {
                return Err(clash(&new, other, "id", &new.tid.to_string()));
            }
            let same_name = self.names.get(&new.name).and_then(|tid| self.types.get(tid));
            let same_name = same_name.or_else(|| added.iter().find(|known| known.name == new.name));
            if let Some(other) = same_name {
                return Err(clash(&new, other, "name", &new.name));
            }
            new.lineage = vec![new.tid];
            if !new.base.is_null() {
                let Some(base) = earlier(new.base) else {
                    return Err(Error::new(
                        ResultCode::FACTORY_UNKNOWN_TID,
                        format!(
                            "type `{}` of extension `{}` is derived from a type with id {}, which \
                             no extension registered; load the extension that has it first",
                            new.name, new.extension, new.base
                        ),
                    ));
                };
                new.lineage.extend(&base.lineage);
            }
            for id in INTERFACES_OF_ANY_BASE {
                if new.construction.interface(id).is_some() && !new.lineage.contains(&id) {
                    new.lineage.push(id);
                }
            }
            if let Some(id) = missing_interface(&new).filter(|_| !is_built_in(&info)) {
                return Err(Error::new(
                    ResultCode::FACTORY_INVALID_INFO,
                    format!(
                        "type `{}` of extension `{}` is derived from {}, but has no function table \
                         for it",
                        new.name,
                        new.extension,
                        interface_name(id)
                    ),
                ));
            }
            added.push(Arc::new(new));
        }
        for new in added {
            self.names.insert(new.name.clone(), new.tid);
            self.types.insert(new.tid, new);
        }
        self.extensions.push(info);
        Ok(())
    }

    /// Adds a type without instances that no extension has. `base` is a full name, empty for none.
    pub fn add_type(&mut self, tid: Tid, name: &str, base: &str) -> Result<()> {
        if name.is_empty() || tid.is_null() {
            let text = "a type needs a name and an id";
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        let base = match base {
            "" => None,
            base => Some(self.by_name(base).cloned().ok_or_else(|| {
                let text = format!("type `{name}`: there is no type `{base}` to derive it from");
                Error::new(ResultCode::FACTORY_UNKNOWN_CLASS_NAME, text)
            })?),
        };
        if let Some(other) = self.by_id(tid).or_else(|| self.by_name(name)) {
            let text = format!("type `{name}` ({tid}): `{}` ({}) is there", other.name, other.tid);
            return Err(Error::new(ResultCode::FACTORY_DUPLICATE_TID, text));
        }
        let mut lineage = vec![tid];
        lineage.extend(base.iter().flat_map(|base| &base.lineage));
        let info = TypeInfo {
            tid,
            base: base.map_or(Tid::NULL, |base| base.tid),
            name: name.to_owned(),
            display_name: String::new(),
            brief: String::new(),
            description: String::new(),
            flags: TYPE_ABSTRACT,
            extension: String::new(),
            parameters: Vec::new(),
            ports: Vec::new(),
            lineage,
            native: None,
            construction: Construction::none(),
        };
        self.names.insert(info.name.clone(), tid);
        self.types.insert(tid, Arc::new(info));
        Ok(())
    }

    /// Adds a type to the list of an extension.
    pub fn list_type(&mut self, tid: Tid, extension: Tid) -> Result<()> {
        if self.by_id(tid).is_none() {
            let text = format!("there is no type with id {tid}");
            return Err(Error::new(ResultCode::FACTORY_UNKNOWN_TID, text));
        }
        let extension = self.extensions.iter_mut().find(|known| known.tid == extension);
        let Some(extension) = extension else {
            let text = "there is no extension with this id";
            return Err(Error::new(ResultCode::EXTENSION_NOT_FOUND, text));
        };
        if !extension.types.contains(&tid) {
            extension.types.push(tid);
        }
        Ok(())
    }

    /// The type with this id.
    pub fn by_id(&self, tid: Tid) -> Option<&Arc<TypeInfo>> {
        self.types.get(&tid)
    }

    /// The type with this name or alternative name.
    pub fn by_name(&self, name: &str) -> Option<&Arc<TypeInfo>> {
        let registered = self.names.get(name);
        let tid = registered.or_else(|| self.names.get(registered_name(name)?))?;
        self.types.get(tid)
    }

    /// Those names that [`Self::by_name`] finds of which there are components.
    pub fn component_names(&self) -> impl Iterator<Item = &str> {
        self.type_names().filter(|name| {
            self.by_name(name).is_some_and(|it| !it.is_abstract() && it.is_a(tids::COMPONENT))
        })
    }

    /// All names that [`Self::by_name`] finds.
    pub fn type_names(&self) -> impl Iterator<Item = &str> {
        let of_registered = |(_, name): &&(&str, &str)| self.names.contains_key(*name);
        let other_names = ALIASES.iter().filter(of_registered).map(|(alias, _)| *alias);
        self.names.keys().map(String::as_str).chain(other_names)
    }

    /// The extension with this id.
    pub fn extension(&self, tid: Tid) -> Option<&ExtensionInfo> {
        self.extensions.iter().find(|extension| extension.tid == tid)
    }

    /// All extensions, in the order in which they were loaded.
    pub fn extensions(&self) -> &[ExtensionInfo] {
        &self.extensions
    }
}

/// A base whose functions the type does not implement: they could not be called, and the component
/// would silently do nothing. A component without functions of its own is fine.
fn missing_interface(new: &TypeInfo) -> Option<Tid> {
    if new.is_abstract() {
        return None;
    }
    let mut bases = new.lineage.iter().copied().filter(|base| *base != tids::COMPONENT);
    bases.find(|base| {
        is_interface_with_functions(*base) && new.construction.interface(*base).is_none()
    })
}

/// The runtime does not need the functions of some built-in types.
fn is_built_in(extension: &ExtensionInfo) -> bool {
    extension.path.as_os_str().is_empty()
}

fn place(extension: &ExtensionInfo) -> String {
    if is_built_in(extension) {
        " (built in)".to_owned()
    } else {
        format!(" from {}", extension.path.display())
    }
}

fn clash(new: &TypeInfo, other: &TypeInfo, what: &str, value: &str) -> Error {
    let two = if new.extension == other.extension {
        format!("types `{}` and `{}` of extension `{}`", other.name, new.name, new.extension)
    } else {
        format!(
            "type `{}` of extension `{}` and type `{}` of extension `{}`",
            new.name, new.extension, other.name, other.extension
        )
    };
    Error::new(ResultCode::FACTORY_DUPLICATE_TID, format!("{two} have the same {what} `{value}`"))
}
