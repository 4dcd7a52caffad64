//! Types by id and by name, and types without an extension.

use super::Context;
use gxf_app::error::{Error, Result};
use gxf_app::yaml::{Kind, Node};
use gxf_app::{Diagnostic, Diagnostics, parse_stream, read_source};
use gxf_plugin::registry::{ExtensionInfo, TypeInfo};
use gxf_plugin_abi::{ResultCode, Tid};
use std::path::Path;
use std::sync::Arc;

impl Context {
    /// The loaded extensions, the standard extension first.
    #[must_use]
    pub fn extensions(&self) -> Vec<ExtensionInfo> {
        self.inner().graph.registry.read().extensions().to_vec()
    }

    /// The description of a type, by its full name.
    #[must_use]
    pub fn type_info(&self, name: &str) -> Option<Arc<TypeInfo>> {
        self.inner().graph.registry.read().by_name(name).cloned()
    }

    /// The description of a type, by its id.
    #[must_use]
    pub fn type_info_by_id(&self, tid: Tid) -> Option<Arc<TypeInfo>> {
        self.inner().graph.registry.read().by_id(tid).cloned()
    }

    /// Registers a type without instances that no extension has. `base` is the full name of a type,
    /// empty for none.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`, `FACTORY_DUPLICATE_TID`, `FACTORY_UNKNOWN_CLASS_NAME`
    pub fn register_type(&self, tid: Tid, name: &str, base: &str) -> Result<()> {
        self.inner().graph.registry.write().add_type(tid, name, base)
    }

    /// Adds a type to the list of an extension.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_TID`, `EXTENSION_NOT_FOUND`
    pub fn list_type_in_extension(&self, tid: Tid, extension: Tid) -> Result<()> {
        self.inner().graph.registry.write().list_type(tid, extension)
    }

    /// Registers the types in a metadata file.
    ///
    /// # Errors
    /// `FAILURE`: the file cannot be read, or an entry is incomplete; all mistakes are reported
    /// together. Also the errors of [`Context::register_type`].
    pub fn load_type_metadata(&self, path: &Path) -> Result<()> {
        let failed = |problems: Diagnostics| {
            let what = format!("cannot load the metadata file `{}`", path.display());
            Error::from_diagnostics(what, problems)
        };
        let source = read_source(path).map_err(|problem| failed(problem.into()))?;
        let mut problems = Diagnostics::new();
        let documents = parse_stream(&source, &mut problems);
        for document in documents.map_err(|problem| failed(problem.into()))? {
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

    /// Whether `base` is `derived` or one of its bases.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_TID`
    pub fn is_base(&self, derived: Tid, base: Tid) -> Result<bool> {
        self.inner().graph.type_by_id(base)?;
        Ok(self.inner().graph.type_by_id(derived)?.is_a(base))
    }

    /// Id of the type with this full name.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_CLASS_NAME`
    pub fn type_id(&self, name: &str) -> Result<Tid> {
        self.inner().graph.type_by_name(name).map(|info| info.tid)
    }

    /// Id of the type with this full name, for programs that cannot do without it: the error names the
    /// libraries that may have it. Looking for them takes a while.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_CLASS_NAME`
    pub fn needed_type(&self, name: &str) -> Result<Tid> {
        self.type_id(name).map_err(|error| {
            let paths = self.inner().extension_paths.lock().clone();
            let libraries = gxf_plugin::loader::libraries_with(name, &paths);
            if libraries.is_empty() {
                return error;
            }
            let libraries = libraries.join("` or `");
            Error::new(
                error.code(),
                format!("{error}; load `{libraries}`, which contains this name"),
            )
        })
    }
}
