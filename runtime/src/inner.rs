//! What the runtime works on: the graph that is loaded, and what runs.

use crate::id_aliases::IdAliases;
use crate::lifecycle::calls::Calls;
use crate::lifecycle::state::{GraphState, Run};
use crate::texts::Texts;
use gxf_app::Diagnostics;
use gxf_engine::graph::Graph;
use gxf_engine::observe::Observation;
use gxf_engine::schedule::active_runners::ActiveRunners;
use gxf_engine::schedule::engine::EngineType;
use gxf_plugin::component::Component;
use gxf_plugin::registry::Registry;
use gxf_plugin_abi::Context as RawContext;
use gxf_sync::wait_graph::WaitGraph;
use parking_lot::{Condvar, Mutex, ReentrantMutex, RwLock};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, Weak};

/// What the runtime works on.
pub(crate) struct Inner {
    /// Where this is, as the border knows it; set once, when the context is made.
    pub address: AtomicPtr<Self>,
    /// What is loaded. `lifecycle` owns what runs.
    pub graph: Graph,
    pub active_runners: ActiveRunners,
    pub id_aliases: RwLock<IdAliases>,
    pub texts: Mutex<Texts>,
    pub warnings: Mutex<Diagnostics>,
    pub root_path: Mutex<PathBuf>,
    pub extension_paths: Mutex<Vec<PathBuf>>,
    pub state: Mutex<GraphState>,
    pub state_changed: Condvar,
    pub run: Mutex<Run>,
    /// Components that were taken out of an active graph.
    pub departed: Mutex<Vec<Weak<Component>>>,
    pub observation: Arc<Observation>,
    /// Kinds of engines that the program added.
    pub engines: Mutex<Vec<EngineType>>,
    /// Code of extensions that is being called outside of a run.
    pub calls: Calls,
    /// Libraries are opened as copies, so that their files may be overwritten.
    pub copies_libraries: AtomicBool,
    /// The graph is only looked at, so components of unknown types are taken as they are.
    pub accepts_unknown_types: AtomicBool,
    /// Tells whether the load that is under way is still wanted.
    pub loading_stopped: Mutex<Option<Arc<dyn Fn() -> bool + Send + Sync>>>,
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
    pub wait_graph: WaitGraph,
}

impl Inner {
    pub fn new(registry: Arc<RwLock<Registry>>) -> Self {
        Self {
            address: AtomicPtr::new(std::ptr::null_mut()),
            graph: Graph::new(registry),
            active_runners: ActiveRunners::default(),
            id_aliases: RwLock::default(),
            texts: Mutex::default(),
            warnings: Mutex::default(),
            root_path: Mutex::default(),
            extension_paths: Mutex::default(),
            state: Mutex::new(GraphState::Origin),
            state_changed: Condvar::new(),
            run: Mutex::default(),
            departed: Mutex::default(),
            observation: Arc::default(),
            engines: Mutex::default(),
            calls: Calls::default(),
            copies_libraries: AtomicBool::new(false),
            accepts_unknown_types: AtomicBool::new(false),
            loading_stopped: Mutex::default(),
            activation_cancelled: AtomicBool::new(false),
            is_awaited: AtomicBool::new(false),
            has_systems: AtomicBool::new(false),
            changing: ReentrantMutex::default(),
            wait_graph: WaitGraph::default(),
        }
    }

    /// The context as the border knows it.
    pub fn raw(&self) -> *mut RawContext {
        self.address.load(Ordering::Relaxed).cast()
    }
}
