//! The states of a graph, and what a run consists of.

use super::report::EntityReport;
use gxf_app::error::{Error, Result};
use gxf_engine::entity::promise::Ledger;
use gxf_engine::entity::runner::Runner;
use gxf_engine::graph::store::Entity;
use gxf_engine::observe::statistics::Statistics;
use gxf_engine::schedule::deadlock::Stuck;
use gxf_engine::schedule::engine::{End, Engine, StatusRow};
use gxf_engine::schedule::runners::Runners;
use gxf_engine::schedule::start::StartBarrier;
use gxf_plugin::component::{Component, Interface};
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_sync::event_queue::EventQueue;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::thread::JoinHandle;

/// GXF's states of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphState {
    Origin,
    Activating,
    Activated,
    Running,
    Interrupting,
    Deinitializing,
}

/// The first error is the one reported; later ones are logged, so that none is lost.
pub fn keep_first<T>(first: &mut Result<T>, next: Result<()>) {
    match next {
        Err(error) if first.is_err() => {
            let error = gxf::Error::from(error);
            tracing::error!("also: {error}");
        }
        Err(error) => *first = Err(error),
        Ok(()) => {}
    }
}

pub fn wrong_state(call: &str, state: GraphState) -> Error {
    Error::new(
        ResultCode::INVALID_EXECUTION_SEQUENCE,
        format!("{call} is not possible while the graph is in state {state:?}"),
    )
}

pub fn wrong_stage(entity: &Entity, what: &str) -> Error {
    Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, format!("entity `{}` is {what}", entity.name()))
}

/// What a run consists of. Its lock comes after that of the state; see `Inner` for the whole order.
#[derive(Default)]
pub struct Run {
    /// Activated entities in the order of activation.
    pub active: Vec<Arc<Entity>>,
    pub runners: Arc<Runners>,
    /// By receiver or allocator that several entities share: its reservations.
    pub ledgers: FxHashMap<Uid, Arc<Ledger>>,
    /// What ran, and what was measured, once the graph is deactivated.
    pub reports: Vec<EntityReport>,
    pub statistics: Option<Statistics>,
    /// The runners of a graph that is being deactivated.
    pub leaving: Vec<Arc<Runner>>,
    pub event_queue: Option<Arc<EventQueue>>,
    /// The built-in scheduler, if the graph has one.
    pub scheduler: Option<Arc<Component>>,
    /// Systems that come from extensions.
    pub systems: Vec<Interface<gxf::System>>,
    /// During a run: those of them that have begun.
    pub begun_systems: Vec<Interface<gxf::System>>,
    /// The network contexts, and the entities whose links they opened.
    pub networks: Vec<Interface<gxf::NetworkContext>>,
    pub linked: Vec<Uid>,
    /// Where the next run waits for those of other processes.
    pub barrier: Option<Arc<StartBarrier>>,
    /// During a run: the engine.
    pub engine: Option<Arc<dyn Engine>>,
    /// The engine's thread; `None` if the program drives the engine.
    pub thread: Option<JoinHandle<Ended>>,
    /// During a run: the clock of a scheduler without a `clock`.
    pub own_clock: Option<Arc<Component>>,
    /// The jobs of the latest engine that is gone.
    pub jobs: Vec<StatusRow>,
    /// Index of the entity that a step executed last.
    pub last_step: Option<u32>,
    /// The segment whose entity stepped last.
    pub last_segment: Option<String>,
    /// What a component reported outside its calls; ends the run, or the next one.
    pub failure: Option<Error>,
    /// How the latest run ended.
    pub outcome: Option<Result<()>>,
    /// Number of runs that have begun.
    pub begun: u64,
}

/// How a run ended.
pub struct Ended {
    pub end: Result<End>,
    /// After a deadlock: the waiting entities and what they wait for.
    pub stuck: Vec<Stuck>,
}
