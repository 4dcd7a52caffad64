//! Extension libraries, manifests and app files: what brings types and entities into a graph.

use super::{Context, Inner};
use crate::builtin;
use crate::error::{Error, Result};
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use crate::extension::{copy, loader, manifest};
use crate::graph::{Diagnostic, Diagnostics, ParameterOverride};
use gxf_plugin_abi::Uid;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

impl Context {
    /// Adds a folder in which libraries are looked for, after those added before.
    pub fn add_extension_path(&self, path: impl Into<PathBuf>) {
        self.inner().extension_paths.lock().push(path.into());
    }

    /// From now on libraries are opened as copies that nobody else knows: a file that is overwritten
    /// does not disturb the graph that uses it, and a context that loads it later gets the new code.
    pub fn copy_libraries(&self) {
        self.inner().copies_libraries.store(true, Ordering::Relaxed);
    }

    /// From now on a component of a type that no loaded extension has is a warning, and part of
    /// [`Context::describe`]. For a graph that is only looked at: it cannot be activated any more.
    pub fn accept_unknown_types(&self) {
        self.inner().accepts_unknown_types.store(true, Ordering::Relaxed);
    }

    /// Loads an extension library. One that was loaded already is left as it is.
    ///
    /// # Errors
    /// `EXTENSION_FILE_NOT_FOUND`, `EXTENSION_NO_FACTORY`, `FACTORY_INCOMPATIBLE`,
    /// `FACTORY_DUPLICATE_TID`, `FACTORY_INVALID_INFO`, …
    pub fn load_extension(&self, path: &Path) -> Result<()> {
        self.load_extension_from(path, None)
    }

    /// As [`Context::load_extension`]; a relative path is looked for in `base_directory` first.
    ///
    /// # Errors
    /// As [`Context::load_extension`].
    pub fn load_extension_from(&self, path: &Path, base_directory: Option<&Path>) -> Result<()> {
        let paths = self.inner().extension_paths.lock().clone();
        let library = loader::find(path, base_directory, &paths)?;
        self.inner().load_library(library)
    }

    /// Loads every extension a manifest lists. An entry is looked for beside the manifest, in
    /// `base_directory`, in the added paths, beside the program or `libgxf_core.so`, and where
    /// `make install` puts libraries.
    ///
    /// # Errors
    /// All entries that fail are reported together, with their place in the manifest.
    pub fn load_manifest(&self, path: &Path, base_directory: Option<&Path>) -> Result<()> {
        let paths = self.library_paths(base_directory);
        let mut problems = Diagnostics::new();
        let manifest = manifest::read_manifest(path)?;
        self.inner().warnings.lock().extend(manifest.warnings);
        for entry in manifest.entries {
            let wanted = Path::new(&entry.path);
            let loaded = match loader::find(wanted, path.parent(), &paths) {
                Ok(library) => self.inner().load_library(library),
                Err(error) => {
                    match loader::is_elsewhere(wanted) {
                        Some(warning) => {
                            self.inner().warnings.lock().push(warning.at(entry.span));
                        }
                        None => {
                            let near = loader::similar(wanted, path.parent(), &paths);
                            let problem = Diagnostic::from(&error).at(entry.span);
                            let problem = problem.suggest(near.as_deref());
                            problems.push(problem.help(loader::where_it_is_looked_for(wanted)));
                        }
                    }
                    continue;
                }
            };
            if let Err(error) = loaded {
                problems.push(Diagnostic::from(&error).at(entry.span));
            }
        }
        if problems.has_errors() {
            let what = format!("cannot load manifest `{}`", path.display());
            return Err(Error::from_diagnostics(what, problems));
        }
        Ok(())
    }

    /// Libraries that may have a type, for people: the name stands in them, and nobody opened them.
    /// They are looked for in the added paths, beside the program or `libgxf_core.so`, and where `make
    /// install` puts libraries.
    #[must_use]
    pub fn libraries_with(&self, type_name: &str) -> Vec<String> {
        loader::libraries_with(type_name, &self.inner().extension_paths.lock())
    }

    /// The files that [`Context::load_manifest`] would open. Entries that lead to none are left out.
    ///
    /// # Errors
    /// The manifest cannot be read.
    pub fn manifest_libraries(
        &self,
        path: &Path,
        base_directory: Option<&Path>,
    ) -> Result<Vec<PathBuf>> {
        let paths = self.library_paths(base_directory);
        let found = |entry: manifest::ManifestEntry| match loader::find(
            Path::new(&entry.path),
            path.parent(),
            &paths,
        ) {
            Ok(loader::Found::Library(library)) => Some(library),
            _ => None,
        };
        Ok(manifest::read_manifest(path)?.entries.into_iter().filter_map(found).collect())
    }

    fn library_paths(&self, base_directory: Option<&Path>) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = base_directory.map(Path::to_owned).into_iter().collect();
        paths.extend(self.inner().extension_paths.lock().iter().cloned());
        paths
    }

    /// Sets the folder that app files and subgraphs are relative to.
    pub fn set_root_path(&self, path: impl Into<PathBuf>) {
        *self.inner().root_path.lock() = path.into();
    }

    /// Loads an app file. Several files make one graph; a later one may set parameters of
    /// components of an earlier one.
    ///
    /// # Errors
    /// Everything wrong in the file and the files it includes is reported together.
    pub fn load_app(&self, path: &Path, overrides: &[ParameterOverride]) -> Result<()> {
        self.load_apps(&[path.to_owned()], overrides)
    }

    /// Loads several app files into one graph, in this order.
    ///
    /// # Errors
    /// As [`Context::load_app`], for all files together.
    pub fn load_apps(&self, paths: &[PathBuf], overrides: &[ParameterOverride]) -> Result<()> {
        crate::graph::load::load_files(self.inner(), paths, overrides)
    }

    /// As [`Context::load_app`] for a text; `name` stands for the file in messages.
    ///
    /// # Errors
    /// As [`Context::load_app`].
    pub fn load_app_text(
        &self,
        name: &str,
        text: &str,
        overrides: &[ParameterOverride],
    ) -> Result<()> {
        crate::graph::load::load_text(self.inner(), name, text, overrides)
    }

    /// Loads an app file whose entities get a prefix to their names. The components it exports
    /// become known in the entity `parent`; the prerequisites are known in the file as
    /// `prerequisites/name`.
    ///
    /// # Errors
    /// As [`Context::load_app`]; `ENTITY_NOT_FOUND` for the parent, `ENTITY_COMPONENT_NOT_FOUND` for
    /// a prerequisite
    pub fn load_app_below(
        &self,
        path: &Path,
        prefix: &str,
        parent: Option<Uid>,
        prerequisites: &[(&str, Uid)],
        overrides: &[ParameterOverride],
    ) -> Result<()> {
        let inner = self.inner();
        let parent = parent.map(|eid| inner.entity(eid)).transpose()?;
        for (_, cid) in prerequisites {
            inner.component(*cid)?;
        }
        if !prerequisites.is_empty() {
            let holder = crate::graph::load::prerequisites_of(inner, prefix)?;
            prerequisites.iter().for_each(|(name, cid)| holder.add_interface(name, *cid));
        }
        crate::graph::load::load_below(inner, path, prefix, parent.as_ref(), overrides)
    }

    /// Takes the warnings of everything loaded so far.
    #[must_use]
    pub fn take_warnings(&self) -> Diagnostics {
        std::mem::take(&mut self.inner().warnings.lock())
    }
}

impl Inner {
    pub(super) fn add_standard_extension(&self) {
        builtin::register(&mut self.registry.write())
            .expect("the standard extension is well-formed");
    }

    /// Opens a library and takes its types, unless that was done before.
    pub fn load_library(&self, library: loader::Found) -> Result<()> {
        let loader::Found::Library(path) = library else { return Ok(()) };
        let known = |extension: &ExtensionInfo| extension.path == path;
        if self.registry.read().extensions().iter().any(known) {
            tracing::debug!("extension library `{}` is loaded already", path.display());
            return Ok(());
        }
        // Its own code runs now, before anything can be said about it.
        tracing::debug!("Loading extension library: '{}'", path.display());
        let copied = self.copies_libraries.load(Ordering::Relaxed);
        let (info, types) = self
            .calls
            .during_load(&path, || if copied { copy::open(&path) } else { loader::open(&path) })?;
        self.take_extension(&path, info, types)
    }

    /// Takes the types of an opened extension.
    pub fn take_extension(
        &self,
        path: &Path,
        info: ExtensionInfo,
        types: Vec<TypeInfo>,
    ) -> Result<()> {
        tracing::debug!(
            "loaded extension `{}` {} from `{}` with {} types",
            info.name,
            info.version,
            path.display(),
            types.len()
        );
        let named = |known: &TypeInfo| Some((known.name.clone(), known.payload()?));
        let payloads: Vec<_> = types.iter().filter_map(named).collect();
        self.registry.write().add_extension(info, types).map_err(|error| {
            Error::new(error.code(), format!("`{}` cannot be used", path.display()))
                .caused_by(error)
        })?;
        loader::register_payloads(path, payloads)
    }
}
