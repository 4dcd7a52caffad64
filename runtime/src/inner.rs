//! The state behind a context: the loaded graph, and what runs.

use crate::host::chain_ends::ChainEnds;
use crate::id_aliases::IdAliases;
use crate::lifecycle::calls::Calls;
use crate::lifecycle::device_ticks::DeviceTicks;
use crate::lifecycle::device_watches::DeviceWatches;
use crate::lifecycle::report::RunReport;
use crate::lifecycle::state::{GraphState, Run};
use crate::texts::Texts;
use gxf_app::Diagnostics;
use gxf_engine::graph::Graph;
use gxf_engine::observe::Observation;
use gxf_engine::observe::statistics::Statistics;
use gxf_engine::observe::trace::{Trace, TraceOptions};
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
use std::time::Duration;

/// The state behind a context.
///
/// # Lock order
///
/// A thread that takes several locks takes them in this order:
///
/// 1. the engine of a run by epochs, and the tick lock of a `Runner`: held while codelets run;
/// 2. [`changing`](Self::changing): held while components initialise and deinitialise. A change
///    that must wait for a tick does so before it takes this lock, and a tick that wants to change
///    the graph asks [`wait_graph`](Self::wait_graph) first, which refuses to close a cycle;
/// 3. the stage of an entity;
/// 4. [`state`](Self::state);
/// 5. [`run`](Self::run);
/// 6. [`id_aliases`](Self::id_aliases) or [`texts`](Self::texts);
/// 7. the locks of [`graph`](Self::graph), in the order that [`Graph`] gives.
///
/// The others are leaves: a thread that holds one takes no further lock of this list. No thread
/// calls an extension while it holds a lock from 3 on, or a leaf, except to wake an event loop.
pub(crate) struct Inner {
    /// Its own address, by which extensions know the context; set once.
    pub address: AtomicPtr<Self>,
    /// What is loaded. `lifecycle` owns what runs.
    pub graph: Graph,
    pub active_runners: ActiveRunners,
    pub id_aliases: RwLock<IdAliases>,
    pub texts: Mutex<Texts>,
    pub warnings: Mutex<Diagnostics>,
    pub root_path: Mutex<PathBuf>,
    /// Base of relative paths in parameters; without one they are relative to the current folder.
    pub file_root: Mutex<Option<PathBuf>>,
    pub extension_paths: Mutex<Vec<PathBuf>>,
    /// How users of the program add to them.
    pub extension_path_means: Mutex<&'static str>,
    /// Duration of an epoch that the context runs itself.
    pub epoch_budget: Mutex<Duration>,
    pub state: Mutex<GraphState>,
    pub state_changed: Condvar,
    pub run: Mutex<Run>,
    /// Components that were removed from an active graph.
    pub departed: Mutex<Vec<Weak<Component>>>,
    pub observation: Arc<Observation>,
    /// The segments of this graph; see [`Context::segment`](crate::Context::segment).
    pub segments: Mutex<Segments>,
    /// The graph that this one is a segment of.
    pub segment_of: Mutex<Weak<Self>>,
    /// The engine types that the program added.
    pub engines: Mutex<Vec<EngineType>>,
    /// Calls of extensions' code outside a run that have not returned.
    pub calls: Calls,
    /// Whether libraries are opened as copies, so that their files may be overwritten.
    pub copies_libraries: AtomicBool,
    /// See [`is_only_read`](Self::is_only_read).
    pub only_read: AtomicBool,
    /// Returns true once the load in progress should stop.
    pub loading_stopped: Mutex<Option<Arc<dyn Fn() -> bool + Send + Sync>>>,
    /// Whether the activation in progress should stop.
    pub activation_cancelled: AtomicBool,
    /// Whether a thread waits for the end of the run, and will end it. Changed under the lock of
    /// `state`.
    pub is_awaited: AtomicBool,
    /// Whether a scheduler or another system of an extension takes part.
    pub has_systems: AtomicBool,
    pub device_watches: DeviceWatches,
    pub device_ticks: DeviceTicks,
    /// Whether threads wait for CUDA devices after each piece of work.
    pub cuda_sync: AtomicBool,
    /// Whether the work of capturable codelets becomes CUDA graphs.
    pub cuda_graphs: AtomicBool,
    /// Where chains of them end.
    pub chain_ends: Mutex<ChainEnds>,
    /// Held while anything is activated or deactivated. Reentrant, because a component's
    /// `initialize` may activate another entity.
    pub changing: ReentrantMutex<()>,
    /// The threads that wait for the end of a tick, or for the right to change the graph.
    pub wait_graph: WaitGraph,
}

/// The segments of a graph.
#[derive(Default)]
pub(crate) struct Segments {
    pub known: Vec<Segment>,
    /// How segments are recorded while the graph is. Two recordings cannot have the same file, so
    /// these have none.
    pub recorded: Option<TraceOptions>,
}

/// A segment, and what is left of it once it is gone.
pub(crate) struct Segment {
    pub name: String,
    pub graph: Weak<Inner>,
    pub statistics: Option<Statistics>,
    pub trace: Option<Trace>,
    pub report: Option<RunReport>,
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
            file_root: Mutex::default(),
            extension_paths: Mutex::default(),
            epoch_budget: Mutex::new(Duration::from_millis(10)),
            extension_path_means: Mutex::new(
                "`add_extension_path` in Rust, `base_directory` of GxfLoadExtensions in C, or \
                 LD_LIBRARY_PATH",
            ),
            state: Mutex::new(GraphState::Origin),
            state_changed: Condvar::new(),
            run: Mutex::default(),
            departed: Mutex::default(),
            observation: Arc::default(),
            segments: Mutex::default(),
            segment_of: Mutex::default(),
            engines: Mutex::default(),
            calls: Calls::default(),
            copies_libraries: AtomicBool::new(false),
            only_read: AtomicBool::new(false),
            loading_stopped: Mutex::default(),
            activation_cancelled: AtomicBool::new(false),
            is_awaited: AtomicBool::new(false),
            has_systems: AtomicBool::new(false),
            device_watches: DeviceWatches::default(),
            device_ticks: DeviceTicks::default(),
            cuda_sync: AtomicBool::new(false),
            cuda_graphs: AtomicBool::new(false),
            chain_ends: Mutex::default(),
            changing: ReentrantMutex::default(),
            wait_graph: WaitGraph::default(),
        }
    }

    /// Whether the graph is only read, so that it may be incomplete.
    pub fn is_only_read(&self) -> bool {
        self.only_read.load(Ordering::Relaxed)
    }

    /// The address by which extensions know the context.
    pub fn raw(&self) -> *mut RawContext {
        self.address.load(Ordering::Relaxed).cast()
    }
}
