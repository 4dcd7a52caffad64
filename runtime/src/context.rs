//! A context: one graph and everything it owns. The only public way into the runtime.
//!
//! [`Context`] is what an embedder holds; [`Inner`] is what the rest of the runtime and, through
//! the host table, extensions work on. What happens to a whole graph stands in `lifecycle.rs`; here
//! are the look-ups and the changes of single entities and components.

mod components;
mod entities;
mod live;
mod parameters;
mod texts;
mod types;

use crate::builtin;
use crate::entity::faces::Faces;
use crate::entity::groups::Groups;
use crate::entity::runner::Runner;
use crate::entity::store::{Entity, Stage, Store};
use crate::error::{Error, Result};
use crate::extension::registry::{ExtensionInfo, Registry, TypeInfo};
use crate::extension::{copy, loader, manifest};
use crate::graph::suggest::nearest;
use crate::graph::{
    Diagnostic, Diagnostics, GraphDescription, GraphValues, ParameterChange, ParameterOverride,
    ParameterSpec, ParameterValue, Span,
};
use crate::lifecycle::{Calls, GraphState, Run, Subject, Waits};
use crate::message::by_id::is_message_id;
use crate::message::router::Routes;
use crate::observe::{GraphStatus, Observation, PendingCall, Statistics, Trace, TraceOptions};
use crate::plugin::component::Component;
use crate::schedule::greedy::Epoch;
use gxf_plugin_abi::{
    Context as RawContext, Event, PARAMETER_DYNAMIC, ParameterType, ResultCode, Tid, Uid, tids,
};
use parking_lot::{Condvar, Mutex, ReentrantMutex, RwLock};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

/// One graph: its extensions, entities and its run.
///
/// Clones share the graph. When the last clone is dropped, the graph is deactivated and destroyed.
/// All functions may be called from any thread.
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
    /// None for a context somebody else owns, see [`Context::from_raw`].
    _owner: Option<Arc<Owner>>,
}

/// The last owner ends the graph; extensions may keep the memory alive beyond that.
struct Owner {
    inner: Arc<Inner>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.inner.destroy();
        live::remove(&self.inner);
    }
}

/// What ran, for people; see [`Context::run_report`].
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// The entities with codelets, in the order of activation.
    pub entities: Vec<EntityReport>,
}

/// One entity of a [`RunReport`].
#[derive(Clone, Debug)]
pub struct EntityReport {
    /// Name of the entity.
    pub name: String,
    /// Number of successful ticks.
    pub ticks: u64,
    /// GXF's word for the state of its execution.
    pub state: String,
}

impl Context {
    /// A context with the standard extension and no entities.
    #[must_use]
    pub fn new() -> Self {
        let inner = Inner::new(Arc::default());
        inner.add_standard_extension();
        Self::owning(inner)
    }

    fn owning(inner: Inner) -> Self {
        let inner = Arc::new(inner);
        // Of the `Arc`, not of a reference: extensions count references through this pointer.
        inner.address.store(Arc::as_ptr(&inner).cast_mut(), Ordering::Relaxed);
        live::add(&inner);
        Self { inner: inner.clone(), _owner: Some(Arc::new(Owner { inner })) }
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// The context as the border knows it.
    #[must_use]
    pub fn raw(&self) -> *mut RawContext {
        self.inner().raw()
    }

    /// Adds a folder in which libraries are looked for, after those added before.
    pub fn add_extension_path(&self, path: impl Into<PathBuf>) {
        self.inner().extension_paths.lock().push(path.into());
    }

    /// From now on libraries are opened as copies that nobody else knows: a file that is overwritten
    /// does not disturb the graph that uses it, and a context that loads it later gets the new code.
    pub fn copy_libraries(&self) {
        self.inner().copies_libraries.store(true, Ordering::Relaxed);
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
                    let near = loader::similar(wanted, path.parent(), &paths);
                    let problem = at_place(&error, entry.span).suggest(near.as_deref());
                    problems.push(problem.help(
                        "a relative path starts at the manifest; name more folders with \
                         --extension-path or GXE_EXTENSION_PATH",
                    ));
                    continue;
                }
            };
            if let Err(error) = loaded {
                problems.push(at_place(&error, entry.span));
            }
        }
        if problems.has_errors() {
            let what = format!("cannot load manifest `{}`", path.display());
            return Err(Error::from_diagnostics(what, problems));
        }
        Ok(())
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

    /// Takes the warnings of everything loaded so far.
    #[must_use]
    pub fn take_warnings(&self) -> Diagnostics {
        std::mem::take(&mut self.inner().warnings.lock())
    }

    /// Looks for what is probably or certainly wrong with the loaded graph, without running it; see
    /// [`crate::graph::check`]. The findings are in the order of their places.
    #[must_use]
    pub fn check(&self) -> Diagnostics {
        crate::graph::check::check(self.inner())
    }

    /// Checks and initialises all entities and prepares the scheduler.
    ///
    /// # Errors
    /// A mandatory parameter is missing, or a component cannot be initialised; everything is
    /// deactivated again.
    pub fn activate(&self) -> Result<()> {
        self.inner().activate()
    }

    /// Lets an activation that another thread waits for end with an error, once the component that is
    /// being initialised is done.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` unless the graph is being activated.
    pub fn cancel_activation(&self) -> Result<()> {
        self.inner().cancel_activation()
    }

    /// Begins to run the graph and returns.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` unless the graph is activated and not running.
    pub fn run_async(&self) -> Result<()> {
        self.inner().run_async()
    }

    /// Blocks until the run is over; returns at once when there is none.
    ///
    /// # Errors
    /// The first error of the run. The graph is deactivated then. `INVALID_EXECUTION_SEQUENCE` from
    /// within the run, for example in a tick.
    pub fn wait(&self) -> Result<()> {
        self.inner().wait()
    }

    /// [`Context::run_async`] and [`Context::wait`].
    ///
    /// # Errors
    /// As those.
    pub fn run(&self) -> Result<()> {
        self.run_async()?;
        self.wait()?;
        // Another thread may have waited for the end before this one came to it.
        self.inner().outcome()
    }

    /// Asks the run to end; running ticks are finished.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when nothing runs.
    pub fn interrupt(&self) -> Result<()> {
        self.inner().interrupt()
    }

    /// Runs an epoch of a running graph whose scheduler is a `nvidia::gxf::EpochScheduler`: for
    /// `budget` of the scheduler's clock, or until nothing is ready. With a budget of zero every
    /// entity is executed once. While the graph is paused nothing is, and the answer
    /// [`Epoch::Paused`] comes at once, or after the entities that are being executed.
    ///
    /// A run whose latest epoch left entities that wait for each other ends with the report of a
    /// deadlock, whoever ends it.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when no such graph runs; the error of an entity, which ends the
    /// run and is what [`Context::wait`] returns, too.
    pub fn run_epoch(&self, budget: Duration) -> Result<Epoch> {
        let budget = i64::try_from(budget.as_nanos()).unwrap_or(i64::MAX);
        self.inner().run_epoch(budget)
    }

    /// Between two epochs: sleeps on the scheduler's clock until the time an idle epoch named, or
    /// until an event comes; while the graph is paused, until it is not. A clock that only moves when somebody sleeps on it, such as a
    /// `ManualClock`, goes on by this.
    ///
    /// # Errors
    /// As for [`Context::run_epoch`]; those of the clock.
    pub fn rest_until(&self, next: Option<i64>) -> Result<()> {
        self.inner().rest_until(next)
    }

    /// Whether the graph waits for the program to run epochs.
    #[must_use]
    pub fn has_epochs(&self) -> bool {
        self.inner().has_epochs()
    }

    /// Stops and deinitialises all entities, in reverse order. A run is interrupted first.
    ///
    /// # Errors
    /// The first error of a component; all components are deinitialised nevertheless.
    /// `INVALID_EXECUTION_SEQUENCE` from within the graph, or while another thread activates or
    /// deactivates it.
    pub fn deactivate(&self) -> Result<()> {
        self.inner().deactivate()
    }

    /// Refuses `call`, which waits for the graph, to a thread the graph waits for: one that executes,
    /// activates or deactivates it.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE`
    pub fn must_be_outside(&self, call: &str) -> Result<()> {
        self.inner().must_be_outside(call)
    }

    /// As [`Context::deactivate`], but waits for a thread that activates or deactivates the graph.
    ///
    /// # Errors
    /// As [`Context::deactivate`].
    pub fn end(&self) -> Result<()> {
        self.inner().end()
    }

    /// How often each entity ticked.
    #[must_use]
    pub fn run_report(&self) -> RunReport {
        self.inner().run_report()
    }

    /// Calls of extensions' code that have not returned, outside of a run the outermost first. Costs
    /// less than [`Context::status`].
    #[must_use]
    pub fn calls(&self) -> Vec<PendingCall> {
        self.inner().calls()
    }

    /// What the graph does at this moment. Terms are asked for it, as a scheduler does; an entity
    /// that executes is not waited for.
    #[must_use]
    pub fn status(&self) -> GraphStatus {
        self.inner().status()
    }

    /// Pauses the run: ticks that run are finished, and no others begin until
    /// [`Context::resume`]. Clocks go on meanwhile, and messages from outside are kept.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when nothing runs; `QUERY_NOT_APPLICABLE` when the scheduler
    /// comes from an extension.
    pub fn pause(&self) -> Result<()> {
        self.inner().pause()
    }

    /// Ends a pause. Does nothing without one.
    ///
    /// # Errors
    /// As [`Context::pause`].
    pub fn resume(&self) -> Result<()> {
        self.inner().resume()
    }

    /// From the next activation on the graph measures itself; see [`Context::statistics`]. Costs some
    /// hundred nanoseconds a tick.
    pub fn enable_statistics(&self) {
        self.inner().observation.enable_statistics(crate::observe::HISTORY);
    }

    /// What was measured since the graph was activated; also while it runs, and until it is activated
    /// again. `None` when nothing was asked to be measured.
    #[must_use]
    pub fn statistics(&self) -> Option<Statistics> {
        self.inner().statistics()
    }

    /// Begins to record a trace, now if the graph runs, else when it does.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when one is being recorded already; `FAILURE` when its file
    /// cannot be made.
    pub fn trace_start(&self, options: &TraceOptions) -> Result<()> {
        self.inner().trace_start(options)
    }

    /// What was recorded so far; recording goes on. `None` when no trace is being recorded.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        self.inner().trace()
    }

    /// Stops recording. `None` when no trace was being recorded.
    pub fn trace_stop(&self) -> Option<Trace> {
        self.inner().trace_stop()
    }

    /// Number of entities that were still waiting for each other, or for a queue nobody fills, when
    /// the latest run ended in a deadlock. Those that wait for an entity that is done do not count.
    #[must_use]
    pub fn stuck_entities(&self) -> usize {
        self.inner().observation.stuck()
    }

    /// What is loaded, as plain data: entities, components, parameters, connections.
    #[must_use]
    pub fn describe(&self) -> GraphDescription {
        crate::graph::describe::describe(self.inner())
    }

    /// What the files say about the graph, before it is activated: to be compared with what they say
    /// later.
    #[must_use]
    pub fn values(&self) -> GraphValues {
        crate::graph::values(self.inner())
    }

    /// Sets a parameter as [`GraphValues::changes`] says, also while the graph runs.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_COMPONENT_NOT_FOUND`, and those of [`Context::set_parameter`]
    pub fn take_over(&self, change: &ParameterChange) -> Result<()> {
        let components = self.inner().find_entity(&change.entity)?.components();
        let component = components.get(change.component).ok_or_else(|| {
            let text = format!("there is no component for `{}`", change.path);
            Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, text)
        })?;
        self.set_parameter(component.cid(), &change.key, change.value.clone())
    }

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

    /// Creates an entity; an empty name is made up.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` when the name is in use or begins with two underscores.
    pub fn create_entity(&self, name: &str) -> Result<Uid> {
        self.inner().create_entity(name).map(|entity| entity.eid())
    }

    /// Finds an entity by name.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn find_entity(&self, name: &str) -> Result<Uid> {
        self.inner().find_entity(name).map(|entity| entity.eid())
    }

    /// Adds a component to an entity that is not active.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `FACTORY_UNKNOWN_CLASS_NAME`, `FACTORY_ABSTRACT_CLASS`,
    /// `ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION`
    pub fn add_component(&self, eid: Uid, type_name: &str, name: &str) -> Result<Uid> {
        let tid = self.inner().type_by_name(type_name)?.tid;
        self.inner().add_component(eid, tid, name).map(|component| component.cid())
    }

    /// Finds a component by the names of its entity and its own.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_COMPONENT_NOT_FOUND`
    pub fn find_component(&self, entity: &str, component: &str) -> Result<Uid> {
        let eid = self.inner().find_entity(entity)?.eid();
        self.inner().find_component(eid, None, Some(component), 0).map(|(_, cid)| cid)
    }

    /// Sets a parameter; `None` takes the value away. All a payload has is its name, `__name`.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`, `PARAMETER_INVALID_TYPE`, `PARAMETER_OUT_OF_RANGE`,
    /// `PARAMETER_CAN_NOT_MODIFY_CONSTANT`; `QUERY_NOT_APPLICABLE` for a payload,
    /// `CONTRACT_INVALID_SEQUENCE` for one whose message others hold
    pub fn set_parameter(&self, cid: Uid, key: &str, value: Option<ParameterValue>) -> Result<()> {
        if let Some(ParameterValue::String(name)) = &value
            && key == parameters::NAME_KEY
            && is_message_id(cid)
        {
            return self.rename_payload(cid, name);
        }
        self.inner().check_parameter(cid, key, value.as_ref())?;
        self.inner().set_parameter(cid, key, value)
    }

    /// What the type of a component says about a parameter; none for a key the type does not have.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`; `QUERY_NOT_APPLICABLE` for a payload
    pub fn parameter_spec(&self, cid: Uid, key: &str) -> Result<Option<ParameterSpec>> {
        let component = self.inner().real_component(cid)?;
        Ok(component.type_info().parameter(key).map(|(_, spec)| spec.clone()))
    }

    /// The value of a parameter: what was set, or the default.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`, `PARAMETER_NOT_FOUND`, `PARAMETER_NOT_INITIALIZED`;
    /// `QUERY_NOT_APPLICABLE` for a payload
    pub fn parameter(&self, cid: Uid, key: &str) -> Result<ParameterValue> {
        if key == parameters::NAME_KEY {
            return self.component_name(cid).map(ParameterValue::String);
        }
        self.inner().real_component(cid)?;
        self.inner().parameter(cid, key).map(|(_, value)| value)
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entities = self.inner().store.read().entities().len();
        write!(formatter, "Context({entities} entities)")
    }
}

/// An error of something a line of a file asked for.
fn at_place(error: &Error, span: Span) -> Diagnostic {
    use std::error::Error as _;
    let mut diagnostic = Diagnostic::error(error.code(), error.to_string()).at(span);
    let mut source = error.source();
    while let Some(cause) = source {
        diagnostic = diagnostic.help(format!("cause: {cause}"));
        source = cause.source();
    }
    diagnostic
}

/// What the runtime works on.
pub(crate) struct Inner {
    /// Where this is, as the border knows it; set once, when the context is made.
    address: AtomicPtr<Self>,
    /// Contexts may have their types in common.
    pub registry: Arc<RwLock<Registry>>,
    pub store: RwLock<Store>,
    pub faces: RwLock<Faces>,
    pub groups: Mutex<Groups>,
    pub texts: Mutex<texts::Texts>,
    pub routes: RwLock<Routes>,
    pub warnings: Mutex<Diagnostics>,
    /// By component: where the file asks for it; by entity: where its name stands first.
    pub origins: Mutex<FxHashMap<Uid, Span>>,
    /// By component: where the file gives its parameters their values, by position in the type's
    /// list.
    pub parameter_origins: Mutex<FxHashMap<Uid, Vec<(usize, Span)>>>,
    pub root_path: Mutex<PathBuf>,
    pub extension_paths: Mutex<Vec<PathBuf>>,
    pub state: Mutex<GraphState>,
    pub state_changed: Condvar,
    pub run: Mutex<Run>,
    pub observation: Arc<Observation>,
    /// Code of extensions that is being called outside of a run.
    pub calls: Calls,
    /// Libraries are opened as copies, so that their files may be overwritten.
    pub copies_libraries: AtomicBool,
    /// Somebody wants the activation that is under way to end.
    pub activation_cancelled: AtomicBool,
    /// Somebody waits for the end of the run, and ends it. Changed under the state's lock.
    pub is_awaited: AtomicBool,
    /// A scheduler or another system of an extension takes part.
    pub has_systems: AtomicBool,
    /// Held by whoever activates or deactivates something. A thread may do so within doing so: a
    /// component's `initialize` may activate another entity.
    pub changing: ReentrantMutex<()>,
    /// Ticks that let another entity leave.
    pub waits: Waits,
}

impl Inner {
    fn new(registry: Arc<RwLock<Registry>>) -> Self {
        Self {
            address: AtomicPtr::new(std::ptr::null_mut()),
            registry,
            store: RwLock::new(Store::new()),
            faces: RwLock::default(),
            groups: Mutex::default(),
            texts: Mutex::default(),
            routes: RwLock::default(),
            warnings: Mutex::default(),
            origins: Mutex::default(),
            parameter_origins: Mutex::default(),
            root_path: Mutex::default(),
            extension_paths: Mutex::default(),
            state: Mutex::new(GraphState::Origin),
            state_changed: Condvar::new(),
            run: Mutex::default(),
            observation: Arc::default(),
            calls: Calls::default(),
            copies_libraries: AtomicBool::new(false),
            activation_cancelled: AtomicBool::new(false),
            is_awaited: AtomicBool::new(false),
            has_systems: AtomicBool::new(false),
            changing: ReentrantMutex::default(),
            waits: Waits::default(),
        }
    }

    /// The context as the border knows it.
    pub fn raw(&self) -> *mut RawContext {
        self.address.load(Ordering::Relaxed).cast()
    }

    fn add_standard_extension(&self) {
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
        let (info, types) = self.calls.during(Subject::file(&path), "load", || {
            if copied { copy::open(&path) } else { loader::open(&path) }
        })?;
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

    pub fn entity(&self, eid: Uid) -> Result<Arc<Entity>> {
        self.store.read().entity(eid).cloned().ok_or_else(|| {
            Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity with id {eid}"))
        })
    }

    pub fn component(&self, cid: Uid) -> Result<Arc<Component>> {
        self.store.read().component(cid).cloned().ok_or_else(|| {
            Error::new(
                ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                format!("there is no component with id {cid}"),
            )
        })
    }

    pub fn find_entity(&self, name: &str) -> Result<Arc<Entity>> {
        let store = self.store.read();
        store.entity_named(name).cloned().ok_or_else(|| {
            let hint = nearest(name, store.entity_names())
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity `{name}`{hint}"))
        })
    }

    pub fn create_entity(&self, name: &str) -> Result<Arc<Entity>> {
        self.create_entity_of(name, true)
    }

    /// Creates an entity that is activated with the graph, or one that is not.
    pub fn create_entity_of(&self, name: &str, in_program: bool) -> Result<Arc<Entity>> {
        /// GXF's limit, with the final zero byte.
        const NAME_SIZE: usize = 2048;
        if name.len() >= NAME_SIZE {
            return Err(Error::new(
                ResultCode::ENTITY_NAME_EXCEEDS_LIMIT,
                format!("an entity name has at most {} bytes", NAME_SIZE - 1),
            ));
        }
        if name.starts_with("__") {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("`{name}`: names that begin with two underscores are kept for the runtime"),
            ));
        }
        self.store.write().create_entity_of(name, in_program).ok_or_else(|| {
            Error::new(ResultCode::ARGUMENT_INVALID, format!("there is an entity `{name}` already"))
        })
    }

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
            let hint = nearest(name, registry.type_names())
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
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

    pub fn add_component(&self, eid: Uid, tid: Tid, name: &str) -> Result<Arc<Component>> {
        let entity = self.entity(eid)?;
        let type_info = self.type_by_id(tid)?;
        self.add_component_to(&entity, &type_info, name)
    }

    pub fn add_component_to(
        &self,
        entity: &Entity,
        type_info: &Arc<TypeInfo>,
        name: &str,
    ) -> Result<Arc<Component>> {
        /// GXF's limit, with the final zero byte.
        const NAME_SIZE: usize = 256;
        if name.len() >= NAME_SIZE {
            return Err(Error::new(
                ResultCode::ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT,
                format!("a component name has at most {} bytes", NAME_SIZE - 1),
            ));
        }
        /// GXF's limit, for which its users make room.
        const COMPONENTS: usize = 1024;
        if entity.components().len() >= COMPONENTS {
            return Err(Error::new(
                ResultCode::ENTITY_MAX_COMPONENTS_LIMIT_EXCEEDED,
                format!("{} has {COMPONENTS} components, which is the most", entity.described()),
            ));
        }
        if *entity.stage.lock() != Stage::Open {
            return Err(Error::new(
                ResultCode::ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION,
                format!("entity `{}` is active; components come before that", entity.name()),
            ));
        }
        let cid = self.store.write().reserve_component();
        // Without the lock: a constructor may look around in the graph.
        let subject = Subject::Component { eid: entity.eid(), cid, type_info: type_info.clone() };
        let created = self.calls.during(subject, "create", || {
            Component::create(type_info, name, self.raw(), entity.eid(), cid)
        });
        self.store.write().put_component(cid, created.as_ref().ok().cloned());
        let component = created?;
        entity.push_component(component.clone());
        Ok(component)
    }

    /// Position and id of the first component from `start` on that fits.
    pub fn find_component(
        &self,
        eid: Uid,
        tid: Option<Tid>,
        name: Option<&str>,
        start: usize,
    ) -> Result<(usize, Uid)> {
        let entity = self.entity(eid)?;
        let components = entity.components();
        let found = components.iter().enumerate().skip(start).find(|(_, component)| {
            tid.is_none_or(|tid| component.is_a(tid))
                && name.is_none_or(|name| component.name() == name)
        });
        if let Some((position, component)) = found {
            return Ok((position, component.cid()));
        }
        if let Some(cid) = name.and_then(|name| entity.interface(name)) {
            return Ok((components.len(), cid));
        }
        let name = name.unwrap_or_default();
        let names = entity.names();
        let hint = nearest(name, names.iter().map(String::as_str))
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        Err(Error::new(
            ResultCode::ENTITY_COMPONENT_NOT_FOUND,
            format!("entity `{}` has no component `{name}`{hint}", entity.name()),
        ))
    }

    /// Sets a parameter of a component. Whoever asks for it finds it at once; the component gets it
    /// between two ticks of its entity.
    pub fn set_parameter(&self, cid: Uid, key: &str, value: Option<ParameterValue>) -> Result<()> {
        let component = self.component(cid)?;
        let type_info = component.type_info().clone();
        let Some((index, spec)) = type_info.parameter(key) else {
            if let Some(value) = value {
                component.set_unregistered(key, value);
            }
            return Ok(());
        };
        if let Some(value) = &value
            && !value.fits(spec)
        {
            return Err(Error::new(
                ResultCode::PARAMETER_INVALID_TYPE,
                format!("parameter `{key}` of `{}` has another type", type_info.name),
            ));
        }
        let entity = self.entity(component.eid())?;
        if spec.element == ParameterType::HANDLE && *entity.stage.lock() != Stage::Open {
            return Err(Error::new(
                ResultCode::PARAMETER_CAN_NOT_MODIFY_CONSTANT,
                format!(
                    "parameter `{key}` of component `{}` leads to another component; that cannot \
                     change while the graph is active",
                    component.label()
                ),
            ));
        }
        let runner = entity.runner.read().clone();
        match runner {
            Some(runner) => {
                runner.set_parameter(&component, index, spec, value)?;
                if component.is_a(tids::SCHEDULING_TERM) {
                    // What a term waits for is part of who wakes whom.
                    self.wire_again();
                }
                runner.notify();
                Ok(())
            }
            None => component.set_parameter(index, spec, value),
        }
    }

    /// The value of a parameter with its description.
    pub fn parameter(&self, cid: Uid, key: &str) -> Result<(ParameterSpec, ParameterValue)> {
        let component = self.component(cid)?;
        let spec = component.type_info().parameter(key).map(|(_, spec)| spec.clone());
        match (component.parameter(key), spec) {
            (Some(value), Some(spec)) => Ok((spec, value)),
            (Some(value), None) => {
                let (element, rank) = value.natural_type();
                let mut spec = ParameterSpec::new(key, element, rank);
                spec.flags = PARAMETER_DYNAMIC;
                Ok((spec, value))
            }
            (None, Some(_)) => Err(Error::new(
                ResultCode::PARAMETER_NOT_INITIALIZED,
                format!("parameter `{key}` of component `{}` has no value", component.label()),
            )),
            (None, None) => Err(Error::new(
                ResultCode::PARAMETER_NOT_FOUND,
                format!(
                    "component `{}` ({}) has no parameter `{key}`",
                    component.label(),
                    component.type_info().name
                ),
            )),
        }
    }

    /// What executes an entity that is active and has codelets.
    pub fn runner_of(&self, eid: Uid) -> Result<Arc<Runner>> {
        let entity = self.entity(eid)?;
        let runner = entity.runner.read().clone();
        runner.ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                format!("entity `{}` is not active or has no codelets", entity.name()),
            )
        })
    }

    /// Makes the scheduler look at an entity again.
    pub fn notify_entity(&self, eid: Uid, event: Event) -> Result<()> {
        let entity = self.entity(eid)?;
        if let Some(runner) = &*entity.runner.read() {
            runner.notify();
        }
        for watcher in &*entity.watchers.read() {
            watcher.notify();
        }
        if self.has_systems.load(Ordering::Acquire) {
            self.notify_systems(&entity, event)?;
        }
        if event == Event::TIME_UPDATE {
            // A clock was moved: the scheduler may sleep on it.
            self.poke_scheduler();
        }
        Ok(())
    }

    /// The receivers a transmitter is connected to.
    pub fn receivers_of(&self, cid: Uid) -> Vec<Uid> {
        self.routes.read().receivers(cid).to_vec()
    }
}
