//! Turns the description of app files into entities and components, in the order of GXF's loader
//! (section 1.2 of its behaviour). Reports all mistakes together.
//!
//! 1. Creates entities and components, in the order of the file or of `start_order`.
//! 2. Checks the prerequisites, loads subgraphs, and exports their components to the parent.
//! 3. Sets parameters, when every component that a handle may name exists.
//!
//! `mod.rs` has this order. One file for each step: `entities.rs`, `subgraphs.rs`, `changes.rs`
//! (changes by documents and `--param` to existing components), `parameters.rs`, `groups.rs`.
//! `setter.rs` makes a value of a parameter's text, for programs as well; `resolve.rs` finds what a
//! handle names.

mod changes;
mod default_conditions;
mod entities;
mod groups;
mod parameters;
pub(crate) mod resolve;
pub(crate) mod setter;
mod subgraphs;

use crate::inner::Inner;
use crate::load::resolve::{Broken, Scope};
use gxf_app::error::{Error, Result};
use gxf_app::model::{AppFile, ComponentSpec};
use gxf_app::suggest::nearest;
use gxf_app::yaml::{Node, read_source_unless};
use gxf_app::{
    CompactString, Diagnostic, Diagnostics, ParameterOverride, Source, Span, Spanned, read_app,
};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Uid};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub(crate) use subgraphs::prerequisites_of;

/// Deepest nesting of subgraphs.
const DEEPEST: usize = 32;

/// Most files that one load reads, a subgraph's once for each time it is used: files that use each
/// other twice multiply.
const MOST_FILES: usize = 20_000;

/// Most text that one load reads. What is made of it takes several times as much memory.
const MOST_TEXT: usize = 256 << 20;

/// Loads app files into one graph, one after the other.
pub(crate) fn load_files(
    inner: &Inner,
    paths: &[PathBuf],
    overrides: &[ParameterOverride],
) -> Result<()> {
    let mut loader = Loader::new(inner, overrides);
    for path in paths {
        let path = inner.root_path.lock().join(path);
        announce(&path);
        if !loader.load_file(&path, "", None, None) {
            // Without this file, the additions of later files would look wrong too.
            break;
        }
    }
    let what: Vec<_> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    loader.finish(&format!("cannot load {}", what.join(", ")))
}

/// Loads the text of an app file.
pub(crate) fn load_text(
    inner: &Inner,
    name: &str,
    text: &str,
    overrides: &[ParameterOverride],
) -> Result<()> {
    let mut loader = Loader::new(inner, overrides);
    loader.load_source(&Source::new(name, text), "", None);
    loader.finish(&format!("cannot load `{name}`"))
}

/// Loads an app file, prefixes its entities, and exports components to `parent`.
pub(crate) fn load_below(
    inner: &Inner,
    path: &Path,
    prefix: &str,
    parent: Option<&Arc<Entity>>,
    overrides: &[ParameterOverride],
) -> Result<()> {
    let mut loader = Loader::new(inner, overrides);
    let path = inner.root_path.lock().join(path);
    announce(&path);
    loader.load_file(&path, prefix, parent, None);
    loader.finish(&format!("cannot load `{}`", path.display()))
}

/// Logs the file in GXF's words.
fn announce(path: &Path) {
    tracing::info!("Loading GXF entities from YAML file '{}'...", path.display());
}

struct Loader<'a> {
    inner: &'a Inner,
    overrides: &'a [ParameterOverride],
    /// By override: whether its component was found.
    used: Vec<bool>,
    /// Components and keys with overrides, and the places of those: other values do not count, be they of
    /// another file, which sets them through an interface.
    overridden: FxHashMap<(Uid, CompactString), Span>,
    diagnostics: Diagnostics,
    /// Files being loaded, the outermost first.
    stack: Vec<PathBuf>,
    /// Files and bytes that were read.
    read: (usize, usize),
    /// Whether the load was stopped or exceeded a limit: nothing more is read.
    ended: bool,
    /// Subgraphs whose files were loaded.
    expanded: FxHashSet<Uid>,
    /// Libraries that may have a type, by the types that were looked for.
    libraries: FxHashMap<String, Vec<String>>,
    /// Components that could not be created; see [`Scope::broken`].
    broken: Broken,
    /// The place that requests default conditions for the file being loaded, if any.
    default_conditions: Option<Span>,
    /// Entities of files that request default conditions, with the place of the request.
    with_default_conditions: Vec<(Arc<Entity>, Span)>,
}

/// Parameters that a file sets on one component.
struct Given {
    component: Arc<Component>,
    parameters: Vec<GivenParameter>,
}

/// Key and value. Both belong to the key's source, which for an override is not the file.
type GivenParameter = (Spanned<CompactString>, Node);

impl Given {
    fn nothing_to(component: Arc<Component>) -> Self {
        Self { component, parameters: Vec::new() }
    }

    fn parameter(&self, key: &str) -> Option<&GivenParameter> {
        self.parameters.iter().find(|(known, _)| known.value == key)
    }
}

/// Data collected while one file is loaded.
struct FileState<'a> {
    scope: Scope<'a>,
    /// By component, ordered: parameters are set in the order of ids.
    given: BTreeMap<Uid, Given>,
    /// Subgraph components with their entities.
    subgraphs: Vec<(Arc<Component>, Arc<Entity>)>,
    /// Changes to components that subgraphs export, which wait until the subgraphs are loaded.
    reaching_in: Vec<(Arc<Entity>, ComponentSpec)>,
    /// Entities of the file by the name it uses, if there are overrides.
    entities: FxHashMap<CompactString, Arc<Entity>>,
}

impl<'a> Loader<'a> {
    fn new(inner: &'a Inner, overrides: &'a [ParameterOverride]) -> Self {
        Self {
            inner,
            overrides,
            used: vec![false; overrides.len()],
            overridden: FxHashMap::default(),
            diagnostics: Diagnostics::new(),
            stack: Vec::new(),
            read: (0, 0),
            ended: false,
            expanded: FxHashSet::default(),
            libraries: FxHashMap::default(),
            broken: Broken::default(),
            default_conditions: None,
            with_default_conditions: Vec::new(),
        }
    }

    fn scope<'s>(&self, prefix: &'s str) -> Scope<'s>
    where
        'a: 's,
    {
        Scope { inner: self.inner, prefix, broken: self.broken.clone() }
    }

    /// Ends the load: runs checks that need all files, and turns errors into the result.
    fn finish(mut self, what: &str) -> Result<()> {
        // Other errors may be the reason why the component is missing.
        if !self.diagnostics.has_errors() {
            self.complain_about_unused_overrides();
        }
        // The terms of all files exist now.
        if !self.diagnostics.has_errors() {
            for (entity, origin) in std::mem::take(&mut self.with_default_conditions) {
                if let Err(error) = default_conditions::add(self.inner, &entity, &origin) {
                    self.diagnostics.push(Diagnostic::from(&error).at(origin));
                }
            }
        }
        self.diagnostics.sort_by_place();
        if self.diagnostics.has_errors() {
            return Err(Error::from_diagnostics(what, self.diagnostics));
        }
        self.inner.warnings.lock().extend(self.diagnostics);
        Ok(())
    }

    /// Whether to look for similar names, which takes time for each finding.
    fn suggest(&self) -> bool {
        self.diagnostics.errors() < Diagnostics::SHOWN
            && self.diagnostics.warnings() < 10 * Diagnostics::SHOWN
    }

    /// The candidate that was probably meant, as long as the search is worth its time.
    fn near<'n>(
        &self,
        wanted: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if self.suggest() { nearest(wanted, candidates) } else { None }
    }

    /// Returns whether the file could be read, even if its content is wrong.
    fn load_file(
        &mut self,
        path: &Path,
        prefix: &str,
        parent: Option<&Arc<Entity>>,
        at: Option<&Span>,
    ) -> bool {
        if self.ended {
            return false;
        }
        let canonical = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let placed = |problem: Diagnostic| match at {
            Some(span) if problem.span.is_none() => problem.at(span.clone()),
            _ => problem,
        };
        let complain = |message| placed(Diagnostic::error(ResultCode::FAILURE, message));
        if self.stack.contains(&canonical) {
            let message = format!("subgraph `{}` contains itself", path.display());
            self.diagnostics.push(complain(message));
            return false;
        }
        if self.stack.len() == DEEPEST {
            let message = format!("subgraphs are nested more than {DEEPEST} deep");
            self.diagnostics.push(complain(message));
            return false;
        }
        if self.inner.is_loading_stopped() {
            self.ended = true;
            let message = format!("`{}` was not read: the load was stopped", path.display());
            let code = ResultCode::INVALID_EXECUTION_SEQUENCE;
            self.diagnostics.push(placed(Diagnostic::error(code, message)));
            return false;
        }
        let is_stopped = || self.inner.is_loading_stopped();
        let read = || read_source_unless(path, &is_stopped);
        match self.inner.calls.during_load(path, read) {
            Ok(source) => {
                self.read = (self.read.0 + 1, self.read.1 + source.text().len());
                if self.read.0 > MOST_FILES || self.read.1 > MOST_TEXT {
                    self.ended = true;
                    let problem = complain(format!(
                        "the app files and their subgraphs come to more than {MOST_FILES} files or \
                         {} MiB",
                        MOST_TEXT >> 20
                    ));
                    let help = "a subgraph counts each time it is used; subgraphs that use each \
                                other several times multiply";
                    self.diagnostics.push(problem.help(help));
                    return false;
                }
                self.stack.push(canonical);
                let read = self.load_source(&source, prefix, parent);
                source.release();
                self.stack.pop();
                read
            }
            Err(problem) => {
                let problem = placed(problem);
                let problem = match self.folder_with(path) {
                    Some(folder) => problem.help(format!(
                        "from `{}` there is such a file: start there, or name this folder with \
                         `--app-root`",
                        folder.display()
                    )),
                    None => problem,
                };
                self.diagnostics.push(problem);
                false
            }
        }
    }

    /// The folder above the file that is being loaded from which a relative path leads to a file.
    fn folder_with(&self, path: &Path) -> Option<PathBuf> {
        let outer = self.stack.last().filter(|_| path.is_relative())?;
        let mut folders = outer.ancestors().skip(1);
        folders.find(|folder| folder.join(path).is_file()).map(Path::to_owned)
    }

    /// Like [`Loader::load_file`], for a text.
    fn load_source(
        &mut self,
        source: &Arc<Source>,
        prefix: &str,
        parent: Option<&Arc<Entity>>,
    ) -> bool {
        let Some(mut app) = read_app(source, &mut self.diagnostics) else { return false };
        let outside = self.default_conditions.clone();
        if let Some(wanted) = &app.default_conditions {
            self.default_conditions = wanted.value.then(|| wanted.span.clone());
        }
        let mut file = FileState {
            scope: self.scope(prefix),
            given: BTreeMap::new(),
            subgraphs: Vec::new(),
            reaching_in: Vec::new(),
            entities: FxHashMap::default(),
        };
        for index in order_of(&app) {
            // Taken, because a large file's description needs as much memory as the graph.
            let components = std::mem::take(&mut app.documents[index].components);
            self.load_document(&app.documents[index], components, prefix, &mut file);
        }
        self.check_prerequisites(&app, prefix, parent);
        // Once for the locations of subgraphs, and again for what is reached through their interfaces.
        self.apply_overrides(prefix, &mut file);
        file.subgraphs.sort_by_key(|(component, _)| component.cid());
        for (component, entity) in std::mem::take(&mut file.subgraphs) {
            self.load_subgraph(&component, &entity, prefix, &mut file);
        }
        for (entity, component) in std::mem::take(&mut file.reaching_in) {
            self.change_component(&entity, component, &mut file);
        }
        if let Some(parent) = parent {
            self.export_interfaces(&app, parent, &file.scope);
        }
        self.apply_overrides(prefix, &mut file);
        for given in std::mem::take(&mut file.given).into_values() {
            self.set_parameters(&given, &file.scope);
        }
        self.default_conditions = outside;
        self.move_to_groups(&app, prefix);
        true
    }
}

/// Positions of the documents: first those in `start_order`, then the others in file order.
fn order_of(app: &AppFile) -> Vec<usize> {
    let mut ranks = FxHashMap::default();
    for (rank, name) in app.start_order.iter().flatten().enumerate() {
        ranks.entry(name.value.as_str()).or_insert(rank);
    }
    let mut order: Vec<usize> = (0..app.documents.len()).collect();
    order.sort_by_cached_key(|index| {
        let name = app.documents[*index].name.as_ref();
        name.and_then(|name| ranks.get(name.value.as_str()).copied()).unwrap_or(usize::MAX)
    });
    order
}
