//! From the description of app files to entities and components: the order of work of GXF's loader
//! (section 1.2 of its behaviour), with everything that is wrong reported together.
//!
//! 1. Entities and components are created, file order (or `start_order`) first.
//! 2. Names the parent has to hand in are checked, subgraphs are loaded, exported components are
//!    made known in their parent.
//! 3. Parameters are set, so that every component a handle may name is there already.

mod groups;

use crate::builtin;
use crate::context::Inner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::extension::registry::Registry;
use crate::extension::{TypeInfo, aliases, elsewhere, loader};
use crate::graph::default_conditions;
use crate::graph::model::{AppFile, ComponentSpec};
use crate::graph::parameter::{infer_value, parse_value};
use crate::graph::resolve::{Broken, Scope, resolve_handles, resolve_text, what_is_there};
use crate::graph::suggest::nearest;
use crate::graph::yaml::Node;
use crate::graph::{
    Diagnostic, Diagnostics, HandleText, ParameterOverride, Source, Span, read_app, read_source,
};
use crate::plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Uid};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
        if !loader.file(&path, "", None, None) {
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
    loader.source(&Source::new(name, text), "", None);
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
    loader.file(&path, prefix, parent, None);
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
    parameters: Vec<(String, Span, Node, Arc<Source>)>,
}

/// What is gathered while one file is loaded.
struct FileState<'a> {
    scope: Scope<'a>,
    /// By component, ordered: parameters are set in the order of ids.
    given: std::collections::BTreeMap<Uid, Given>,
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

    fn finish(mut self, what: &str) -> Result<()> {
        // With other errors around, the component may be missing for another reason.
        if !self.diagnostics.has_errors() {
            self.complain_about_unused_overrides();
        }
        // Now all terms of all files are there.
        if !self.diagnostics.has_errors() {
            for (entity, origin) in std::mem::take(&mut self.with_default_conditions) {
                if let Err(error) = default_conditions::add(self.inner, &entity, &origin) {
                    let problem = Diagnostic::error(error.code(), error.to_string());
                    self.diagnostics.push(problem.at(origin));
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

    fn complain_about_unused_overrides(&mut self) {
        let unused = self.overrides.iter().zip(&self.used).filter(|(_, used)| !**used);
        for (unused, _) in unused {
            let store = self.inner.store.read();
            let mut problem = Diagnostic::error(
                ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                format!(
                    "the override names component `{}` of entity `{}`, which is not in the graph",
                    unused.component, unused.entity
                ),
            )
            .at(unused.path_span());
            let (component, key) = (&unused.component, &unused.key);
            let near = match store.entity_named(&unused.entity) {
                None => nearest(&unused.entity, store.entity_names())
                    .map(|entity| format!("{entity}/{component}/{key}")),
                Some(entity) => {
                    let names = entity.names();
                    let near = nearest(component, names.iter().map(String::as_str));
                    near.map(|near| format!("{}/{near}/{key}", unused.entity))
                }
            };
            problem = problem.suggest(near.as_deref());
            self.diagnostics.push(problem);
        }
    }

    /// Whether it is still worth looking for near names: that costs time for each error.
    fn suggest(&self) -> bool {
        self.diagnostics.errors() < Diagnostics::SHOWN
    }

    /// What to do about a type that no loaded extension has and whose name is like none of theirs.
    fn where_type_may_be(&self, type_name: &str, registry: &Registry) -> String {
        if let Some(library) = self.library_with(type_name) {
            return format!("`{library}` has this name in it; add it to the manifest");
        }
        elsewhere::help_for(type_name).unwrap_or_else(|| {
            let loaded: Vec<_> =
                registry.extensions().iter().map(|known| format!("`{}`", known.name)).collect();
            let loaded = loaded.join(", ");
            format!("loaded extensions: {loaded}; is the one you need in the manifest?")
        })
    }

    /// A library that is not loaded and may have a type; looked for a few times only, because all
    /// libraries are read.
    fn library_with(&self, type_name: &str) -> Option<String> {
        const LOOKED_FOR: usize = 3;
        let paths = self.inner.extension_paths.lock().clone();
        let few = self.diagnostics.errors() < LOOKED_FOR;
        few.then(|| loader::library_with(type_name, &paths)).flatten()
    }

    /// Whether the file could be read; what is wrong in it is another matter.
    fn file(
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
                let read = self.source(&source, prefix, parent);
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

    fn source(&mut self, source: &Arc<Source>, prefix: &str, parent: Option<&Arc<Entity>>) -> bool {
        let Some(app) = read_app(source, &mut self.diagnostics) else { return false };
        let outside = self.default_conditions.clone();
        if let Some(wanted) = &app.default_conditions {
            self.default_conditions = wanted.value.then(|| wanted.span.clone());
        }
        let mut file = FileState {
            scope: self.scope(prefix),
            given: std::collections::BTreeMap::new(),
            subgraphs: Vec::new(),
            reaching_in: Vec::new(),
            entities: FxHashMap::default(),
        };
        for index in order_of(&app) {
            self.entity(&app, index, prefix, &mut file);
        }
        self.check_prerequisites(&app, prefix, parent);
        file.subgraphs.sort_by_key(|(component, _)| component.cid());
        for (component, entity) in std::mem::take(&mut file.subgraphs) {
            self.subgraph(&component, &entity, prefix, &mut file);
        }
        for (entity, document, component) in std::mem::take(&mut file.reaching_in) {
            let component = &app.documents[document].components[component];
            self.override_component(&app, &entity, component, &mut file);
        }
        if let Some(parent) = parent {
            self.interfaces(&app, parent, &file.scope);
        }
        self.apply_overrides(prefix, &mut file);
        for given in file.given.values() {
            self.parameters(given, &file.scope);
        }
        self.default_conditions = outside;
        self.groups(&app, prefix);
        true
    }

    /// One document: finds or creates the entity and creates its components.
    fn entity(&mut self, app: &AppFile, index: usize, prefix: &str, file: &mut FileState<'_>) {
        let spec = &app.documents[index];
        if !spec.has_components {
            return;
        }
        let name = spec.name.as_ref().map(|name| format!("{prefix}{}", name.value));
        let (entity, is_new) = {
            let mut store = self.inner.store.write();
            let known = name.as_deref().and_then(|name| store.entity_named(name)).cloned();
            let is_new = known.is_none();
            (known.or_else(|| store.create_entity(name.as_deref().unwrap_or_default())), is_new)
        };
        let Some(entity) = entity else { return };
        if let Some(name) = spec.name.as_ref().filter(|_| is_new) {
            self.inner.origins.lock().insert(entity.eid(), name.span.clone());
        }
        if let Some(origin) = &self.default_conditions {
            self.with_default_conditions.push((entity.clone(), origin.clone()));
        }
        let has_types = spec.components.iter().any(|component| component.type_name.is_some());
        let is_unknown = is_new && !has_types;
        if let Some(name) = &spec.name {
            file.entities.insert(name.value.clone(), entity.clone());
        }
        let is_subgraph = |component: &ComponentSpec| {
            let name = component.type_name.as_ref();
            name.is_some_and(|name| name.value == "nvidia::gxf::Subgraph")
        };
        let has_subgraph = spec.components.iter().any(is_subgraph);
        for (position, component) in spec.components.iter().enumerate() {
            match &component.type_name {
                Some(type_name) if has_subgraph && !is_subgraph(component) => {
                    self.diagnostics.push(
                        Diagnostic::warning(format!(
                            "component of type `{}` is left out: an entity with a Subgraph has no \
                             components of its own",
                            type_name.value
                        ))
                        .at(type_name.span.clone())
                        .help("move the component to an entity of its own"),
                    );
                }
                Some(type_name) => {
                    let name = component.name.as_ref().map_or("", |name| &name.value);
                    match self.create(&entity, &type_name.value, name) {
                        Ok(made) => {
                            self.inner.origins.lock().insert(made.cid(), type_name.span.clone());
                            if is_subgraph(component) {
                                file.subgraphs.push((made.clone(), entity.clone()));
                            }
                            self.add_given(file, made, component, &app.source);
                        }
                        Err(problem) => {
                            self.broken.note(&entity, name);
                            self.diagnostics.push(problem.at(type_name.span.clone()));
                        }
                    }
                    self.warn_of_same_name(&entity, component);
                }
                None if is_unknown => self.unknown_entity(&entity, component),
                None if is_subgraph_entity(&entity) && !is_there(&entity, component) => {
                    file.reaching_in.push((entity.clone(), index, position));
                }
                None => self.override_component(app, &entity, component, file),
            }
        }
    }

    fn create(
        &self,
        entity: &Entity,
        type_name: &str,
        name: &str,
    ) -> std::result::Result<Arc<Component>, Diagnostic> {
        let registry = self.inner.registry.read();
        let Some(type_info) = registry.by_name(type_name).cloned() else {
            let stands_for = aliases::registered_name(type_name);
            let near = (self.suggest() && stands_for.is_none())
                .then(|| nearest(type_name, registry.type_names()))
                .flatten()
                // What is another program's is not mistyped because gxe has a type of that name.
                .filter(|near| {
                    elsewhere::help_for(type_name).is_none()
                        || namespace(near) == namespace(type_name)
                });
            let mut problem = Diagnostic::error(
                ResultCode::FACTORY_UNKNOWN_CLASS_NAME,
                format!("unknown component type `{type_name}`"),
            )
            .label("no loaded extension has this type")
            .suggest(near);
            if let Some(registered) = stands_for {
                problem = problem.help(format!("it is Holoscan's name of `{registered}`"));
            }
            if near.is_none() {
                let wanted = stands_for.unwrap_or(type_name);
                problem = problem.help(self.where_type_may_be(wanted, &registry));
            }
            return Err(problem);
        };
        drop(registry);
        self.inner.add_component_to(entity, &type_info, name).map_err(|error| {
            use std::error::Error as _;
            let problem = Diagnostic::error(error.code(), error.to_string());
            match error.source() {
                Some(cause) => problem.help(format!("cause: {cause}")),
                None => problem,
            }
        })
    }

    fn warn_of_same_name(&mut self, entity: &Entity, component: &ComponentSpec) {
        let Some(name) = component.name.as_ref().filter(|name| !name.value.is_empty()) else {
            return;
        };
        if entity.components_named(&name.value).len() > 1 {
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "entity `{}` has two components called `{}`; handles lead to the first that \
                     has the right type",
                    entity.name(),
                    name.value
                ))
                .at(name.span.clone()),
            );
        }
    }

    /// A document that only changes components, of an entity that is not there.
    fn unknown_entity(&mut self, entity: &Entity, component: &ComponentSpec) {
        let Some(name) = &component.name else { return };
        let inner = self.inner;
        let store = inner.store.read();
        let others = store.entity_names().filter(|other| *other != entity.name());
        let near = if self.suggest() { nearest(entity.name(), others) } else { None };
        let problem = Diagnostic::error(
            ResultCode::ENTITY_COMPONENT_NOT_FOUND,
            format!(
                "there is no component `{}` to change, because there is no entity `{}`",
                name.value,
                entity.name()
            ),
        )
        .at(name.span.clone())
        .label("without a `type`, this must be the name of a component that is there")
        .suggest(near);
        self.diagnostics.push(problem);
    }

    /// A component without a type: more parameters for one that is there.
    fn override_component(
        &mut self,
        app: &AppFile,
        entity: &Arc<Entity>,
        component: &ComponentSpec,
        file: &mut FileState<'_>,
    ) {
        let Some(name) = &component.name else { return };
        let found = entity.components_named(&name.value);
        let found = match found.as_slice() {
            [one] => Some(one.clone()),
            [] => entity.interface(&name.value).and_then(|cid| self.inner.component(cid).ok()),
            several => {
                self.diagnostics.push(
                    Diagnostic::error(
                        ResultCode::FAILURE,
                        format!(
                            "entity `{}` has {} components called `{}`, so it is not clear whose \
                             parameters these are",
                            entity.name(),
                            several.len(),
                            name.value
                        ),
                    )
                    .at(name.span.clone()),
                );
                return;
            }
        };
        let Some(found) = found else {
            if self.broken.has(entity, &name.value) {
                return;
            }
            let names = entity.names();
            let names = names.iter().map(String::as_str);
            let near = if self.suggest() { nearest(&name.value, names) } else { None };
            let mut problem = Diagnostic::error(
                ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                format!("{} has no component `{}`", entity.described(), name.value),
            )
            .at(name.span.clone())
            .label("without a `type`, this must be the name of a component that is there")
            .suggest(near);
            if near.is_none() {
                problem = problem.help(what_is_there(entity));
            }
            self.diagnostics.push(problem);
            return;
        };
        let known = file.subgraphs.iter().any(|(subgraph, _)| subgraph.cid() == found.cid());
        if found.type_info().tid == builtin::SUBGRAPH && !known {
            // The file may be the one that says where the subgraph is.
            file.subgraphs.push((found.clone(), entity.clone()));
        }
        self.add_given(file, found, component, &app.source);
    }

    /// Names the parent has to hand in: missing ones are only a warning, as in GXF.
    fn check_prerequisites(&mut self, app: &AppFile, prefix: &str, parent: Option<&Arc<Entity>>) {
        let wanted = app.documents.iter().filter_map(|document| document.prerequisites.as_ref());
        for name in wanted.flatten() {
            let provided =
                self.inner.store.read().entity_named(&prerequisites_name(prefix)).cloned();
            let there =
                provided.as_ref().is_some_and(|entity| entity.interface(&name.value).is_some());
            let excused =
                provided.as_ref().is_some_and(|entity| self.broken.has(entity, &name.value));
            if !there && !excused && parent.is_some() {
                let handed_in: Vec<_> = provided.iter().flat_map(|entity| entity.names()).collect();
                let handed_in: Vec<_> = handed_in.iter().map(|name| format!("`{name}`")).collect();
                let help = if handed_in.is_empty() {
                    "it hands in nothing".to_owned()
                } else {
                    format!("it hands in {}", handed_in.join(", "))
                };
                self.diagnostics.push(
                    Diagnostic::warning(format!(
                        "prerequisite `{}` is not handed in by the Subgraph component",
                        name.value
                    ))
                    .at(name.span.clone())
                    .help(help),
                );
            }
        }
    }

    /// Loads the files of a subgraph.
    fn subgraph(
        &mut self,
        component: &Arc<Component>,
        entity: &Arc<Entity>,
        prefix: &str,
        file: &mut FileState<'_>,
    ) {
        let Some(given) = file.given.get(&component.cid()) else { return };
        let find = |key: &str| given.parameters.iter().find(|(known, ..)| known == key);
        let Some((_, _, location, location_source)) = find("location") else { return };
        let before = component.parameter("location").is_some();
        if before || !self.expanded.insert(component.cid()) {
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "subgraph `{}` is loaded already; a second `location` has no effect",
                    entity.name()
                ))
                .at(location.span(location_source)),
            );
            return;
        }
        let inner_prefix = format!("{}.", entity.name());
        if let Some((_, _, node, node_source)) = find("prerequisites") {
            let scope = self.scope(prefix);
            self.hand_in(&scope, entity, node, node_source, &inner_prefix);
        }
        let place = location.span(location_source);
        let Some(locations) = location.as_text() else {
            self.diagnostics.push(
                Diagnostic::error(
                    ResultCode::PARAMETER_PARSER_ERROR,
                    format!("`location` must be the path of a file, found {}", location.describe()),
                )
                .at(place),
            );
            return;
        };
        for wanted in locations.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            let path = self.subgraph_path(wanted, location_source);
            if !self.file(&path, &inner_prefix, Some(entity), Some(&place)) {
                self.broken.note_all(entity);
            }
        }
    }

    /// Relative to the root path, else to the file that names it.
    fn subgraph_path(&self, wanted: &str, source: &Source) -> PathBuf {
        let from_root = self.inner.root_path.lock().join(wanted);
        let beside = Path::new(&source.name).parent().map(|directory| directory.join(wanted));
        match beside {
            Some(beside) if !from_root.exists() && beside.exists() => beside,
            _ => from_root,
        }
    }

    /// Makes components of the outer graph known to a subgraph as `prerequisites/name`.
    fn hand_in(
        &mut self,
        scope: &Scope<'_>,
        entity: &Arc<Entity>,
        node: &Node,
        source: &Arc<Source>,
        inner_prefix: &str,
    ) {
        let Some(pairs) = node.as_mapping() else {
            self.diagnostics.push(
                Diagnostic::error(
                    ResultCode::PARAMETER_PARSER_ERROR,
                    format!("`prerequisites` must map names to handles, found {}", node.describe()),
                )
                .at(node.span(source)),
            );
            return;
        };
        let holder = match prerequisites_of(self.inner, inner_prefix) {
            Ok(holder) => holder,
            Err(error) => {
                let problem = Diagnostic::error(error.code(), error.to_string());
                self.diagnostics.push(problem.at(node.span(source)));
                return;
            }
        };
        for (key, value) in pairs {
            let text = value.as_text().and_then(HandleText::parse);
            let (Some(key), Some(text)) = (key.as_text(), text) else {
                self.diagnostics.push(
                    Diagnostic::error(
                        ResultCode::PARAMETER_PARSER_ERROR,
                        format!(
                            "expected a handle such as `entity/component`, found {}",
                            value.describe()
                        ),
                    )
                    .at(value.span(source)),
                );
                continue;
            };
            match resolve_text(scope, entity, &text, None, value.span(source), self.suggest()) {
                Ok(found) => {
                    self.diagnostics.extend(found.warnings);
                    match found.component {
                        Some(component) => holder.add_interface(key, component.cid()),
                        None => self.broken.note(&holder, key),
                    }
                }
                Err(problem) => {
                    self.broken.note(&holder, key);
                    self.diagnostics.push(*problem);
                }
            }
        }
    }

    /// Makes exported components of a subgraph known in the entity that stands for it.
    fn interfaces(&mut self, app: &AppFile, parent: &Arc<Entity>, scope: &Scope<'_>) {
        for interface in app.documents.iter().flat_map(|document| &document.interfaces) {
            let span = interface.target.span.clone();
            let Some(text) = HandleText::parse(&interface.target.value) else {
                self.diagnostics.push(
                    Diagnostic::error(
                        ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                        "the target of an interface must be written `entity/component`",
                    )
                    .at(span),
                );
                continue;
            };
            match resolve_text(scope, parent, &text, None, span, self.suggest()) {
                Ok(found) => {
                    self.diagnostics.extend(found.warnings);
                    match found.component {
                        Some(component) => {
                            parent.add_interface(&interface.name.value, component.cid());
                        }
                        None => self.broken.note(parent, &interface.name.value),
                    }
                }
                Err(problem) => {
                    self.broken.note(parent, &interface.name.value);
                    self.diagnostics.push(*problem);
                }
            }
        }
    }

    /// Takes note of the parameters of a component. The first value of a key counts within one
    /// file, as in GXF.
    fn add_given(
        &mut self,
        file: &mut FileState<'_>,
        component: Arc<Component>,
        spec: &ComponentSpec,
        source: &Arc<Source>,
    ) {
        if spec.parameters.is_empty() {
            return;
        }
        let given = file
            .given
            .entry(component.cid())
            .or_insert_with(|| Given { component, parameters: Vec::new() });
        for (key, node) in &spec.parameters {
            let first = given.parameters.iter().find(|(known, ..)| *known == key.value);
            if let Some((_, first, ..)) = first {
                let ignored = "has a value in this file already; this one is ignored";
                self.diagnostics.push(
                    Diagnostic::warning(format!("`{}` {ignored}", key.value))
                        .at(key.span.clone())
                        .note(first.clone(), "the first value counts"),
                );
                continue;
            }
            given.parameters.push((
                key.value.clone(),
                key.span.clone(),
                node.clone(),
                source.clone(),
            ));
        }
    }

    /// Puts the values of overrides before those of the file.
    fn apply_overrides(&mut self, prefix: &str, file: &mut FileState<'_>) {
        for (index, wanted) in self.overrides.iter().enumerate() {
            // Entities of a subgraph are called `outer.inner`; each file looks at its own.
            let Some(name) = wanted.entity.strip_prefix(prefix) else { continue };
            let Some(entity) = file.entities.get(name) else { continue };
            let own = entity.components();
            let type_name = aliases::registered_name(&wanted.component);
            let type_name = type_name.unwrap_or(&wanted.component);
            let matching = own.iter().filter(|component| {
                component.name() == wanted.component || component.type_info().name == type_name
            });
            let mut matching: Vec<_> = matching.cloned().collect();
            if matching.is_empty() {
                let exported = entity.interface(&wanted.component);
                matching.extend(exported.and_then(|cid| self.inner.component(cid).ok()));
            }
            for component in matching {
                self.used[index] = true;
                let given = file.given.entry(component.cid()).or_insert_with(|| Given {
                    component: component.clone(),
                    parameters: Vec::new(),
                });
                given.parameters.retain(|(key, ..)| *key != wanted.key);
                given.parameters.push((
                    wanted.key.clone(),
                    wanted.path_span(),
                    wanted.value.clone(),
                    wanted.source.clone(),
                ));
            }
        }
    }

    /// Sets the parameters of one component.
    fn parameters(&mut self, given: &Given, scope: &Scope<'_>) {
        let component = &given.component;
        // Handed in before the files were loaded; its handles need no second look.
        let is_handed_in =
            |key: &str| component.type_info().tid == builtin::SUBGRAPH && key == "prerequisites";
        let type_info = component.type_info().clone();
        let mut places = Vec::with_capacity(given.parameters.len());
        for (key, key_span, node, source) in &given.parameters {
            let Some((index, spec)) = type_info.parameter(key) else {
                self.unknown_key(&type_info, key, key_span);
                component.set_unregistered(key, infer_value(node));
                continue;
            };
            let mut value = match parse_value(spec, node, source) {
                Ok(value) => value,
                Err(problems) => {
                    for problem in problems {
                        self.diagnostics.push(problem);
                    }
                    continue;
                }
            };
            let Ok(entity) = self.inner.entity(component.eid()) else { continue };
            let resolved =
                resolve_handles(scope, &entity, spec, &mut value, node, source, self.suggest());
            match resolved {
                Ok(found) => {
                    self.diagnostics.extend(found.warnings);
                    if !found.complete {
                        // `<Unspecified>`: a later file gives the value.
                        continue;
                    }
                }
                Err(problems) => {
                    for problem in problems {
                        self.diagnostics.push(problem);
                    }
                    continue;
                }
            }
            if is_handed_in(key) {
                continue;
            }
            places.push((index, node.span(source)));
            if let Err(error) = component.set_parameter(index, spec, Some(value)) {
                self.diagnostics.push(
                    Diagnostic::error(
                        error.code(),
                        format!(
                            "`{}` does not accept this value for `{key}`: {error}",
                            type_info.name
                        ),
                    )
                    .at(node.span(source)),
                );
            }
        }
        let mut origins = self.inner.parameter_origins.lock();
        origins.entry(component.cid()).or_default().extend(places);
    }

    /// Kept as GXF keeps them, but not silently.
    fn unknown_key(&mut self, type_info: &TypeInfo, key: &str, span: &Span) {
        let keys = type_info.parameters.iter().map(|spec| spec.key.as_str());
        let near = nearest(key, keys.clone());
        let mut warning =
            Diagnostic::warning(format!("`{}` has no parameter `{key}`", type_info.name))
                .at(span.clone())
                .label("kept, but nothing reads it")
                .suggest(near);
        if near.is_none() {
            let known: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
            warning = warning.help(if known.is_empty() {
                "the type has no parameters".to_owned()
            } else {
                format!("its parameters are {}", known.join(", "))
            });
        }
        self.diagnostics.push(warning);
    }
}

/// What stands before the last `::` of a type's name.
fn namespace(type_name: &str) -> &str {
    type_name.rsplit_once("::").map_or("", |(namespace, _)| namespace)
}

fn prerequisites_name(prefix: &str) -> String {
    format!("{prefix}prerequisites")
}

/// The entity through which files with this prefix reach what is handed in to them.
pub(crate) fn prerequisites_of(inner: &Inner, prefix: &str) -> Result<Arc<Entity>> {
    let name = prerequisites_name(prefix);
    let mut store = inner.store.write();
    let known = store.entity_named(&name).cloned();
    known.or_else(|| store.create_entity(&name)).ok_or_else(|| {
        let text = "no entity can be made for the prerequisites of a subgraph";
        Error::new(ResultCode::OUT_OF_MEMORY, text)
    })
}

/// Whether the entity stands for other files.
fn is_subgraph_entity(entity: &Entity) -> bool {
    entity.components().iter().any(|component| component.type_info().tid == builtin::SUBGRAPH)
}

/// Whether the entity itself has a component of this name.
fn is_there(entity: &Entity, component: &ComponentSpec) -> bool {
    let name = component.name.as_ref();
    name.is_some_and(|name| !entity.components_named(&name.value).is_empty())
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
