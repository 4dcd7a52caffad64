//! Where a graph is in its life, and what its run consists of.

use gxf_app::error::{Error, Result};
use gxf_engine::entity::promise::Ledger;
use gxf_engine::entity::runner::Runner;
use gxf_engine::graph::store::Entity;
use gxf_engine::schedule::deadlock::Stuck;
use gxf_engine::schedule::engine::{End, Engine};
use gxf_engine::schedule::runners::Runners;
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
pub fn keep_first(first: &mut Result<()>, next: Result<()>) {
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

/// What is needed to run, and to end it.
#[derive(Default)]
pub struct Run {
    /// Activated entities in the order of activation.
    pub active: Vec<Arc<Entity>>,
    pub runners: Arc<Runners>,
    /// By receiver or allocator: what is promised of it.
    pub ledgers: FxHashMap<Uid, Arc<Ledger>>,
    /// Those of a graph that is being taken down.
    pub leaving: Vec<Arc<Runner>>,
    pub event_queue: Option<Arc<EventQueue>>,
    /// The scheduler that is built in, if the graph has it.
    pub scheduler: Option<Arc<Component>>,
    /// Systems that come from extensions.
    pub systems: Vec<Interface<gxf::System>>,
    /// What runs the entities, during a run.
    pub engine: Option<Arc<dyn Engine>>,
    /// The engine's thread; none if the program drives the engine.
    pub thread: Option<JoinHandle<Ended>>,
    /// The clock of a scheduler that names none, during a run.
    pub own_clock: Option<Arc<Component>>,
    /// Index of the entity that a step executed last.
    pub last_step: Option<u32>,
    /// How the latest run ended.
    pub outcome: Option<Result<()>>,
    /// How many runs have begun.
    pub begun: u64,
}

/// How a run ended.
pub struct Ended {
    pub end: Result<End>,
    /// After a deadlock: who waits for what.
    pub stuck: Vec<Stuck>,
}
