//! From the description of app files to entities and components: the order of work of GXF's loader
//! (section 1.2 of its behaviour), with everything that is wrong reported together.
//!
//! 1. Entities and components are created, file order (or `start_order`) first.
//! 2. Names the parent has to hand in are checked, subgraphs are loaded, exported components are
//!    made known in their parent.
//! 3. Parameters are set, so that every component a handle may name is there already.
//!
//! `mod.rs` has the order; a file each does one of its steps: `entities.rs`, `subgraphs.rs`,
//! `changes.rs` (what documents and `--param` change of components that are there),
//! `parameters.rs`, `groups.rs`.

mod changes;
mod entities;
mod groups;
mod parameters;
mod subgraphs;

use crate::context::Inner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::graph::default_conditions;
use crate::graph::model::AppFile;
use crate::graph::resolve::{Broken, Scope};
use crate::graph::suggest::nearest;
use crate::graph::yaml::Node;
use crate::graph::{
    Diagnostic, Diagnostics, ParameterOverride, Source, Span, read_app, read_source,
};
use crate::plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Uid};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub(crate) use subgraphs::prerequisites_of;

/// Deepest nesting of subgraphs.
const DEEPEST: usize = 32;

/// Loads app files, one after the other, into one graph.
pub(crate) fn load_files(
    inner: &Inner,
    paths: &[PathBuf],
    overrides: &[ParameterOverride],
) -> Result<()> {
    let mut loader = Loader::new(inner, overrides);
    for path in paths {
        let path = inner.root_path.lock().join(path);
        tracing::debug!("Loading app: '{}'", path.display());
        if !loader.load_file(&path, "", None, None) {
            // What later files add to this one would seem to be wrong as well.
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

/// Loads an app file whose entities get a prefix, and which exports components to `parent`.
pub(crate) fn load_below(
    inner: &Inner,
    path: &Path,
    prefix: &str,
    parent: Option<&Arc<Entity>>,
    overrides: &[ParameterOverride],
) -> Result<()> {
    let mut loader = Loader::new(inner, overrides);
    let path = inner.root_path.lock().join(path);
    loader.load_file(&path, prefix, parent, None);
    loader.finish(&format!("cannot load `{}`", path.display()))
}

struct Loader<'a> {
    inner: &'a Inner,
    overrides: &'a [ParameterOverride],
    /// By override: a component it names was found.
    used: Vec<bool>,
    diagnostics: Diagnostics,
    /// Files being loaded, the outermost first.
    stack: Vec<PathBuf>,
    /// Subgraphs whose files were loaded.
    expanded: FxHashSet<Uid>,
    /// Components that could not be made; see [`Scope::broken`].
    broken: Broken,
    /// Where default conditions are asked for, if they are for the file being loaded.
    default_conditions: Option<Span>,
    /// Entities of files that ask for default conditions, with the place that asks.
    with_default_conditions: Vec<(Arc<Entity>, Span)>,
}

/// Parameters a file gives to one component.
struct Given {
    component: Arc<Component>,
    parameters: Vec<GivenParameter>,
}

struct GivenParameter {
    key: String,
    key_span: Span,
    node: Node,
    /// The text of `node`: an override is not part of the file.
    source: Arc<Source>,
}

impl Given {
    fn nothing_to(component: Arc<Component>) -> Self {
        Self { component, parameters: Vec::new() }
    }

    fn parameter(&self, key: &str) -> Option<&GivenParameter> {
        self.parameters.iter().find(|parameter| parameter.key == key)
    }
}

/// What is gathered while one file is loaded.
struct FileState<'a> {
    scope: Scope<'a>,
    /// By component, ordered: parameters are set in the order of ids.
    given: BTreeMap<Uid, Given>,
    /// Subgraph components with their entities.
    subgraphs: Vec<(Arc<Component>, Arc<Entity>)>,
    /// Changes of components that subgraphs export, by document and component: they wait until the
    /// subgraphs are loaded.
    reaching_in: Vec<(Arc<Entity>, usize, usize)>,
    /// Entities of the file by the name it uses.
    entities: FxHashMap<String, Arc<Entity>>,
}

impl<'a> Loader<'a> {
    fn new(inner: &'a Inner, overrides: &'a [ParameterOverride]) -> Self {
        Self {
            inner,
            overrides,
            used: vec![false; overrides.len()],
            diagnostics: Diagnostics::new(),
            stack: Vec::new(),
            expanded: FxHashSet::default(),
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

    /// Ends the load: looks at what needs all files, and turns errors into the result.
    fn finish(mut self, what: &str) -> Result<()> {
        // With other errors around, the component may be missing for another reason.
        if !self.diagnostics.has_errors() {
            self.complain_about_unused_overrides();
        }
        // Now all terms of all files are there.
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

    /// Whether it is still worth looking for near names: that costs time for each error.
    fn suggest(&self) -> bool {
        self.diagnostics.errors() < Diagnostics::SHOWN
    }

    /// The candidate that was probably meant, while that is worth the time.
    fn near<'n>(
        &self,
        wanted: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if self.suggest() { nearest(wanted, candidates) } else { None }
    }

    /// Whether the file could be read; what is wrong in it is another matter.
    fn load_file(
        &mut self,
        path: &Path,
        prefix: &str,
        parent: Option<&Arc<Entity>>,
        at: Option<&Span>,
    ) -> bool {
        let canonical = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let complain = |message: String| {
            let problem = Diagnostic::error(ResultCode::FAILURE, message);
            match at {
                Some(span) => problem.at(span.clone()),
                None => problem,
            }
        };
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
        let read = self.inner.calls.during_load(path, || read_source(path));
        match read {
            Ok(source) => {
                self.stack.push(canonical);
                let read = self.load_source(&source, prefix, parent);
                self.stack.pop();
                read
            }
            Err(problem) => {
                let problem = match at {
                    Some(span) if problem.span.is_none() => problem.at(span.clone()),
                    _ => problem,
                };
                self.diagnostics.push(problem);
                false
            }
        }
    }

    /// As [`Loader::load_file`] for a text.
    fn load_source(
        &mut self,
        source: &Arc<Source>,
        prefix: &str,
        parent: Option<&Arc<Entity>>,
    ) -> bool {
        let Some(app) = read_app(source, &mut self.diagnostics) else { return false };
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
            self.load_document(&app, index, prefix, &mut file);
        }
        self.check_prerequisites(&app, prefix, parent);
        file.subgraphs.sort_by_key(|(component, _)| component.cid());
        for (component, entity) in std::mem::take(&mut file.subgraphs) {
            self.load_subgraph(&component, &entity, prefix, &mut file);
        }
        for (entity, document, component) in std::mem::take(&mut file.reaching_in) {
            let component = &app.documents[document].components[component];
            self.change_component(&app, &entity, component, &mut file);
        }
        if let Some(parent) = parent {
            self.export_interfaces(&app, parent, &file.scope);
        }
        self.apply_overrides(prefix, &mut file);
        for given in file.given.values() {
            self.set_parameters(given, &file.scope);
        }
        self.default_conditions = outside;
        self.move_to_groups(&app, prefix);
        true
    }
}

/// Positions of the documents: those of `start_order` first, the others as in the file.
fn order_of(app: &AppFile) -> Vec<usize> {
    let mut order = Vec::with_capacity(app.documents.len());
    for wanted in app.start_order.iter().flatten() {
        for (index, document) in app.documents.iter().enumerate() {
            let name = document.name.as_ref().map(|name| &name.value);
            if name == Some(&wanted.value) && !order.contains(&index) {
                order.push(index);
            }
        }
    }
    if order.is_empty() {
        return (0..app.documents.len()).collect();
    }
    let first: FxHashSet<usize> = order.iter().copied().collect();
    order.extend((0..app.documents.len()).filter(|index| !first.contains(index)));
    order
}
