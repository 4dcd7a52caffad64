//! Types by id and by name, and types that no extension brings.

use super::{Context, Inner};
use crate::error::{Error, Result};
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use crate::graph::suggest::did_you_mean;
use crate::graph::yaml::{Kind, Node};
use crate::graph::{Diagnostic, Diagnostics, parse_stream, read_source};
use crate::plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Tid};
use std::path::Path;
use std::sync::Arc;

impl Context {
    /// The loaded extensions, the standard extension first.
    #[must_use]
    pub fn extensions(&self) -> Vec<ExtensionInfo> {
        self.inner().registry.read().extensions().to_vec()
    }

    /// What is known about a type, by its full name.
    #[must_use]
    pub fn type_info(&self, name: &str) -> Option<Arc<TypeInfo>> {
        self.inner().registry.read().by_name(name).cloned()
    }

    /// What is known about a type, by its id.
    #[must_use]
    pub fn type_info_by_id(&self, tid: Tid) -> Option<Arc<TypeInfo>> {
        self.inner().registry.read().by_id(tid).cloned()
    }

    /// Makes a type known that no extension brings; there are no instances of it. `base` is the
    /// full name of a type, empty for none.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`, `FACTORY_DUPLICATE_TID`, `FACTORY_UNKNOWN_CLASS_NAME`
    pub fn register_type(&self, tid: Tid, name: &str, base: &str) -> Result<()> {
        self.inner().registry.write().add_type(tid, name, base)
    }

    /// Lists a type among those of an extension.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_TID`, `EXTENSION_NOT_FOUND`
    pub fn list_type_in_extension(&self, tid: Tid, extension: Tid) -> Result<()> {
        self.inner().registry.write().list_type(tid, extension)
    }

    /// Registers the types a metadata file describes.
    ///
    /// # Errors
    /// `FAILURE`: the file cannot be read, or an entry lacks something; all mistakes are reported
    /// together. Those of [`Context::register_type`].
    pub fn load_type_metadata(&self, path: &Path) -> Result<()> {
        let failed = |problems: Diagnostics| {
            let what = format!("cannot load the metadata file `{}`", path.display());
            Error::from_diagnostics(what, problems)
        };
        let source = read_source(path).map_err(|problem| failed(problem.into()))?;
        let mut problems = Diagnostics::new();
        for document in parse_stream(&source).map_err(|problem| failed(problem.into()))? {
            for entry in document.get("components").and_then(Node::as_sequence).unwrap_or_default()
            {
                if let Err(problem) = self.register_entry(entry) {
                    problems.push(problem.at(entry.span(&source)));
                }
            }
        }
        if problems.has_errors() { Err(failed(problems)) } else { Ok(()) }
    }

    fn register_entry(&self, entry: &Node) -> std::result::Result<(), Diagnostic> {
        let field = |key: &str| match entry.get(key).map(|node| &node.kind) {
            Some(Kind::Scalar { value, .. }) if !value.is_empty() => Ok(&**value),
            _ => Err(Diagnostic::error(
                ResultCode::FAILURE,
                format!("an entry needs a text for `{key}`"),
            )),
        };
        let (name, id, base) = (field("typename")?, field("type_id")?, field("base_typename")?);
        let tid = Tid::parse(id).ok_or_else(|| {
            let text = format!("`{id}` is not a type id of 32 hexadecimal digits");
            Diagnostic::error(ResultCode::FAILURE, text)
        })?;
        let registered = self.register_type(tid, name, base);
        registered.map_err(|error| Diagnostic::from(&error))
    }

    /// Whether `base` is `derived` itself or one of its bases.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_TID`
    pub fn is_base(&self, derived: Tid, base: Tid) -> Result<bool> {
        self.inner().type_by_id(base)?;
        Ok(self.inner().type_by_id(derived)?.is_a(base))
    }

    /// Id of the type with this full name.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_CLASS_NAME`
    pub fn type_id(&self, name: &str) -> Result<Tid> {
        self.inner().type_by_name(name).map(|info| info.tid)
    }
}

impl Inner {
    pub fn type_by_id(&self, tid: Tid) -> Result<Arc<TypeInfo>> {
        self.registry.read().by_id(tid).cloned().ok_or_else(|| {
            Error::new(
                ResultCode::FACTORY_UNKNOWN_TID,
                format!("no loaded extension has a type with id {tid}"),
            )
        })
    }

    pub fn type_by_name(&self, name: &str) -> Result<Arc<TypeInfo>> {
        let registry = self.registry.read();
        registry.by_name(name).cloned().ok_or_else(|| {
            let hint = did_you_mean(name, registry.type_names());
            Error::new(
                ResultCode::FACTORY_UNKNOWN_CLASS_NAME,
                format!("no loaded extension has a type `{name}`{hint}"),
            )
        })
    }

    /// The error of a look-up that found a component of another type.
    pub fn wrong_type(&self, component: &Component, wanted: Tid) -> Error {
        let registry = self.registry.read();
        let wanted =
            registry.by_id(wanted).map_or_else(|| wanted.to_string(), |info| info.name.clone());
        Error::new(
            ResultCode::ENTITY_COMPONENT_NOT_FOUND,
            format!(
                "component `{}` is a {}, not a {wanted}",
                component.label(),
                component.type_info().name
            ),
        )
    }
}
