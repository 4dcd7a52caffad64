//! A context: one graph and everything it owns. The only public way into the runtime.
//!
//! [`Context`] is what an embedder holds; [`Inner`] is what the rest of the runtime and, through
//! the host table, extensions work on. A map:
//!
//! - `loading.rs`: extension libraries, manifests and app files;
//! - `running.rs`: activation, run, pause, end, as a program asks for them; what they do stands in
//!   `lifecycle`;
//! - `reports.rs`: what a program may know of the graph: findings, status, statistics, traces;
//! - `entities.rs`, `components.rs`, `parameters.rs`, `types.rs`: one of each kind, by id or name;
//! - `live.rs`: which addresses are contexts; `texts.rs`: texts that outlive a call of C.

mod components;
mod entities;
mod live;
mod loading;
mod parameters;
mod reports;
mod running;
mod texts;
mod types;

use crate::entity::faces::Faces;
use crate::entity::groups::Groups;
use crate::entity::store::Store;
use crate::error::Result;
use crate::extension::registry::Registry;
use crate::graph::{Diagnostics, Span};
use crate::lifecycle::{Calls, GraphState, Run, Waits};
use crate::message::router::Routes;
use crate::observe::Observation;
use crate::plugin::component::Component;
use gxf_plugin_abi::{Context as RawContext, Uid};
use parking_lot::{Condvar, Mutex, ReentrantMutex, RwLock};
pub use running::{EntityReport, RunReport};
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, Weak};

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
    #[cfg(test)]
    pub(crate) fn raw(&self) -> *mut RawContext {
        self.inner().raw()
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
    /// Components that were taken out of an active graph.
    pub departed: Mutex<Vec<Weak<Component>>>,
    pub observation: Arc<Observation>,
    /// Code of extensions that is being called outside of a run.
    pub calls: Calls,
    /// Libraries are opened as copies, so that their files may be overwritten.
    pub copies_libraries: AtomicBool,
    /// The graph is only looked at, so components of unknown types are taken as they are.
    pub accepts_unknown_types: AtomicBool,
    /// Somebody wants the activation that is under way to end.
    pub activation_cancelled: AtomicBool,
    /// Somebody waits for the end of the run, and ends it. Changed under the state's lock.
    pub is_awaited: AtomicBool,
    /// A scheduler or another system of an extension takes part.
    pub has_systems: AtomicBool,
    /// Held by whoever activates or deactivates something. A thread may do so within doing so: a
    /// component's `initialize` may activate another entity.
    pub changing: ReentrantMutex<()>,
    /// Who waits for the end of whom, and for the right to change the graph.
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
            departed: Mutex::default(),
            observation: Arc::default(),
            calls: Calls::default(),
            copies_libraries: AtomicBool::new(false),
            accepts_unknown_types: AtomicBool::new(false),
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
}
