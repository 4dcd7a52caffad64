//! Loads extension libraries, manifests and app files.

use super::Context;
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_app::manifest::{self, Manifest};
use gxf_app::{Diagnostic, Diagnostics, ParameterOverride};
use gxf_engine::standard;
use gxf_plugin::loader::{self, copy};
use gxf_plugin::registry::{ExtensionInfo, TypeInfo};
use gxf_plugin_abi::Uid;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Context {
    /// Adds a folder to search for libraries, after the folders added before.
    pub fn add_extension_path(&self, path: impl Into<PathBuf>) {
        self.inner().extension_paths.lock().push(path.into());
    }

    /// Sets what advice calls the program's own means to add such folders, a flag for example.
    pub fn set_extension_path_means(&self, means: &'static str) {
        *self.inner().extension_path_means.lock() = means;
    }

    /// Makes the context open copies of libraries from now on. Overwriting a library then does not
    /// disturb the graph, and a context that loads it later gets the new code.
    pub fn copy_libraries(&self) {
        self.inner().copies_libraries.store(true, Ordering::Relaxed);
    }

    /// Loads end with `INVALID_EXECUTION_SEQUENCE` once `is_stopped` returns true. It is called
    /// before each file, and while the reader waits for a pipe or a device.
    pub fn stop_loading_when(&self, is_stopped: impl Fn() -> bool + Send + Sync + 'static) {
        *self.inner().loading_stopped.lock() = Some(Arc::new(is_stopped));
    }

    /// Loads incomplete graphs from now on, for [`Context::describe`]: components of unknown types
    /// cause a warning, and a subgraph's file may be loaded without the graph that provides its
    /// prerequisites. The graph can no longer be activated.
    pub fn only_read(&self) {
        self.inner().only_read.store(true, Ordering::Relaxed);
    }

    /// Loads an extension library. Does nothing if it is already loaded.
    ///
    /// # Errors
    /// `EXTENSION_FILE_NOT_FOUND`, `EXTENSION_NO_FACTORY`, `FACTORY_INCOMPATIBLE`,
    /// `FACTORY_DUPLICATE_TID`, `FACTORY_INVALID_INFO`, …
    pub fn load_extension(&self, path: &Path) -> Result<()> {
        self.load_extension_from(path, None)
    }

    /// Like [`Context::load_extension`], but looks for a relative path in `base_directory` first.
    ///
    /// # Errors
    /// See [`Context::load_extension`].
    pub fn load_extension_from(&self, path: &Path, base_directory: Option<&Path>) -> Result<()> {
        let paths = self.inner().extension_paths.lock().clone();
        let library = loader::find(path, base_directory, &paths)?;
        self.inner().load_library(library)
    }

    /// Loads every extension in a manifest. Looks for each next to the manifest, in
    /// `base_directory`, in the added folders, next to the program or `libgxf_core.so`, and in the
    /// folder of `make install`.
    ///
    /// # Errors
    /// Reports all entries that fail, with their places in the manifest.
    pub fn load_manifest(&self, path: &Path, base_directory: Option<&Path>) -> Result<()> {
        let is_stopped = || self.inner().is_loading_stopped();
        let manifest =
            self.inner().calls.during_load(path, || manifest::read_manifest(path, &is_stopped))?;
        self.load_entries(path, manifest, base_directory)
    }

    /// Like [`Context::load_manifest`], for a text. Messages use `path` for the file, next to which
    /// each library is looked for first.
    ///
    /// # Errors
    /// See [`Context::load_manifest`].
    pub fn load_manifest_text(&self, path: &Path, text: &str) -> Result<()> {
        self.load_entries(path, manifest::manifest_of_text(path, text)?, None)
    }

    fn load_entries(
        &self,
        path: &Path,
        manifest: Manifest,
        base_directory: Option<&Path>,
    ) -> Result<()> {
        let paths = self.library_paths(base_directory);
        let means = *self.inner().extension_path_means.lock();
        let mut problems = Diagnostics::new();
        self.inner().warnings.lock().extend(manifest.warnings);
        for entry in manifest.entries {
            let wanted = Path::new(&entry.path);
            let loaded = match loader::find(wanted, path.parent(), &paths) {
                Ok(library) => self.inner().load_library(library),
                Err(error) => {
                    match loader::missing_library_warning(wanted, means) {
                        Some(warning) => {
                            self.inner().warnings.lock().push(warning.at(entry.span));
                        }
                        None => {
                            let near = loader::similar(wanted, path.parent(), &paths);
                            let problem = Diagnostic::from(&error).at(entry.span);
                            let problem = problem.suggest(near.as_deref());
                            problems
                                .push(problem.help(loader::where_it_is_looked_for(wanted, means)));
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
            return Err(manifest::not_loaded(path, problems));
        }
        Ok(())
    }

    /// Libraries that may have a type, as a hint for people: they contain its name, but are not
    /// opened. Searches the added folders, the folder of the program or `libgxf_core.so`, and the
    /// folder of `make install`.
    #[must_use]
    pub fn libraries_with(&self, type_name: &str) -> Vec<String> {
        loader::libraries_with(type_name, &self.inner().extension_paths.lock())
    }

    /// The extension libraries in the added folders, that of the program or `libgxf_core.so`, and
    /// the folder of `make install`. None of them is opened.
    #[must_use]
    pub fn installed_libraries(&self) -> Vec<PathBuf> {
        loader::installed(&self.inner().extension_paths.lock())
    }

    /// The files that [`Context::load_manifest`] would open, without entries that have no file.
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
        let manifest = manifest::read_manifest(path, &|| self.inner().is_loading_stopped())?;
        Ok(manifest.entries.into_iter().filter_map(found).collect())
    }

    fn library_paths(&self, base_directory: Option<&Path>) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = base_directory.map(Path::to_owned).into_iter().collect();
        paths.extend(self.inner().extension_paths.lock().iter().cloned());
        paths
    }

    /// Sets the folder that paths of app files and subgraphs are relative to.
    pub fn set_root_path(&self, path: impl Into<PathBuf>) {
        *self.inner().root_path.lock() = path.into();
    }

    /// Sets the folder that the values of parameters of the type `file` are relative to.
    pub fn set_file_root(&self, path: impl Into<PathBuf>) {
        *self.inner().file_root.lock() = Some(path.into());
    }

    /// The folder that the values of parameters of the type `file` are relative to, if it was set.
    #[must_use]
    pub fn file_root(&self) -> Option<PathBuf> {
        self.inner().file_root.lock().clone()
    }

    /// A new graph that belongs to this one. It looks for libraries and files where this one does,
    /// and what is measured and recorded of this graph includes it, also when it is gone. Statistics
    /// and traces that begin later include it, too.
    #[must_use]
    pub fn segment(&self, name: &str) -> Self {
        let segment = Self::new();
        let (own, other) = (self.inner(), segment.inner());
        other.file_root.lock().clone_from(&own.file_root.lock());
        other.extension_paths.lock().clone_from(&own.extension_paths.lock());
        *other.extension_path_means.lock() = *own.extension_path_means.lock();
        *other.epoch_budget.lock() = *own.epoch_budget.lock();
        self.add_segment(name, &segment);
        segment
    }

    /// Makes another context a segment of this graph: what shows this graph shows it, too.
    pub fn add_segment(&self, name: &str, segment: &Self) {
        *segment.inner().segment_of.lock() = Arc::downgrade(&self.inner);
        self.inner().add_segment(name, &segment.inner);
    }

    /// Loads an app file. Several files make one graph; a later one may set parameters of
    /// components of an earlier one.
    ///
    /// # Errors
    /// Reports everything that is wrong in the file and the files it includes.
    pub fn load_app(&self, path: &Path, overrides: &[ParameterOverride]) -> Result<()> {
        self.load_apps(&[path.to_owned()], overrides)
    }

    /// Loads several app files into one graph, in this order.
    ///
    /// # Errors
    /// See [`Context::load_app`]; covers all files.
    pub fn load_apps(&self, paths: &[PathBuf], overrides: &[ParameterOverride]) -> Result<()> {
        crate::load::load_files(self.inner(), paths, overrides)
    }

    /// Like [`Context::load_app`], for a text. Messages use `name` for the file.
    ///
    /// # Errors
    /// See [`Context::load_app`].
    pub fn load_app_text(
        &self,
        name: &str,
        text: &str,
        overrides: &[ParameterOverride],
    ) -> Result<()> {
        crate::load::load_text(self.inner(), name, text, overrides)
    }

    /// Loads an app file and prefixes the names of its entities. The components it exports become
    /// available in the entity `parent`. The file refers to the prerequisites as
    /// `prerequisites/name`.
    ///
    /// # Errors
    /// See [`Context::load_app`]; `ENTITY_NOT_FOUND` for the parent, `ENTITY_COMPONENT_NOT_FOUND`
    /// for a prerequisite
    pub fn load_app_below(
        &self,
        path: &Path,
        prefix: &str,
        parent: Option<Uid>,
        prerequisites: &[(&str, Uid)],
        overrides: &[ParameterOverride],
    ) -> Result<()> {
        let inner = self.inner();
        let parent = parent.map(|eid| inner.graph.entity(eid)).transpose()?;
        for (_, cid) in prerequisites {
            inner.graph.component(*cid)?;
        }
        if !prerequisites.is_empty() {
            let holder = crate::load::prerequisites_of(inner, prefix)?;
            prerequisites.iter().for_each(|(name, cid)| holder.add_interface(name, *cid));
        }
        crate::load::load_below(inner, path, prefix, parent.as_ref(), overrides)
    }

    /// Takes the warnings of all loads so far.
    #[must_use]
    pub fn take_warnings(&self) -> Diagnostics {
        std::mem::take(&mut self.inner().warnings.lock())
    }
}

impl Inner {
    pub(super) fn add_standard_extension(&self) {
        standard::register(&mut self.graph.registry.write())
            .expect("the standard extension is well-formed");
    }

    /// Whether the load in progress should stop.
    pub fn is_loading_stopped(&self) -> bool {
        let is_stopped = self.loading_stopped.lock().clone();
        is_stopped.is_some_and(|is_stopped| is_stopped())
    }

    /// Opens a library and adds its types, unless that was done before.
    pub fn load_library(&self, library: loader::Found) -> Result<()> {
        let loader::Found::Library(path) = library else { return Ok(()) };
        let known = |extension: &ExtensionInfo| extension.path == path;
        if self.graph.registry.read().extensions().iter().any(known) {
            tracing::debug!("extension library `{}` is already loaded", path.display());
            return Ok(());
        }
        // Logged first, because the library's own code runs now.
        tracing::debug!("Loading extension library: '{}'", path.display());
        let copied = self.copies_libraries.load(Ordering::Relaxed);
        let (info, types) = self
            .calls
            .during_load(&path, || if copied { copy::open(&path) } else { loader::open(&path) })?;
        self.take_extension(&path, info, types)
    }

    /// Adds the types of an opened extension.
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
        // A component type becomes one when a message first carries it: until then, a library that
        // was built anew may change its layout.
        let named = |known: &TypeInfo| {
            known.payload().filter(|_| known.base.is_null()).map(|new| (known.name.clone(), new))
        };
        let payloads: Vec<_> = types.iter().filter_map(named).collect();
        self.graph.registry.write().add_extension(info, types).map_err(|error| {
            Error::new(error.code(), format!("`{}` cannot be used", path.display()))
                .caused_by(error)
        })?;
        loader::register_payloads(path, payloads)
    }
}
