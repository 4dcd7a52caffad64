//! What runs the entities of a graph in one run, and the table of those that are built in.
//!
//! A new engine is a folder here and a row of [`ENGINES`]; a program that embeds the runtime adds
//! rows of its own. An engine
//!
//! - calls [`Runners::begin_run`] first, and [`Runners::gone`] for an entity that answers NEVER;
//! - executes entities by [`Runner::execute`] or [`Runner::execute_and_look`], on any thread: a lock
//!   keeps an entity from running twice at once;
//! - looks at the [`EventQueue`] before it sleeps, and sleeps there, so that nothing that happens
//!   before it sleeps is lost. The queue holds the requests to pause, to continue and to end, and
//!   the indices of entities to check again: because another thread, a device or another host has
//!   something for them, because they joined ([`Runners::joined_since`] knows their runners), or
//!   because they left, and answer NEVER from then on;
//! - knows the time from the clock alone.
//!
//! `tests/tests/engines.rs` runs the same scenarios on every engine.

use crate::entity::runner::Runner;
use crate::schedule::deadlock::{self, Stuck};
use crate::schedule::runners::Runners;
use crate::schedule::thread::Threads;
use crate::schedule::{epoch, greedy, pool};
use crate::standard::BuiltIn;
use crate::standard::scheduler::{
    EpochScheduler, EventBasedScheduler, GreedyScheduler, MultiThreadScheduler,
};
use gxf_app::error::Result;
use gxf_plugin::component::{Component, Interface};
use gxf_plugin_abi::Tid;
use gxf_sync::event_queue::EventQueue;
use serde::Serialize;
use std::sync::Arc;

/// The reason a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// No entity is left.
    Finished,
    /// Entities wait, and nothing can wake them.
    Deadlock,
    /// The maximum duration has passed.
    Timeout,
    /// The program asked for it.
    Interrupted,
}

/// What an engine works with.
#[derive(Clone)]
pub struct Environment {
    /// The entities.
    pub runners: Arc<Runners>,
    /// The scheduler's clock.
    pub clock: Interface<gxf::Clock>,
    /// Whether the clock only moves when another thread moves it, which is announced.
    pub moved_by_others: bool,
    /// Where events arrive, and where the engine sleeps.
    pub event_queue: Arc<EventQueue>,
    /// The entities that request threads of their own.
    pub threads: Threads,
}

/// Runs the entities of a graph in one run.
pub trait Engine: Send + Sync {
    /// What it works with.
    fn environment(&self) -> &Environment;

    /// Name of the thread that runs it.
    fn thread_name(&self) -> String;

    /// Runs the entities until one of the ends. Called once.
    ///
    /// # Errors
    /// The error of the entity whose failure ends the run.
    fn run(&self) -> Result<End>;

    /// Whether a run that ended like this stops the entities at once. Otherwise they stay started
    /// until the graph is deactivated.
    fn stops_entities(&self, end: &Result<End>) -> bool {
        let _ = end;
        true
    }

    /// Makes the run end; ticks that are running finish first.
    fn interrupt(&self) {
        self.environment().event_queue.stop();
    }

    /// Makes the run pause; ticks that are running finish first.
    fn pause(&self) {
        self.environment().event_queue.pause();
    }

    /// Ends a pause.
    fn resume(&self) {
        self.environment().event_queue.resume();
    }

    /// Whether the run is paused.
    fn is_paused(&self) -> bool {
        self.environment().event_queue.is_paused()
    }

    /// During a pause, starts or ticks one entity that is ready, on the calling thread: the next one
    /// after `last`, in the order of activation. `None` if none is ready.
    ///
    /// # Errors
    /// The entity failed, which ends the run.
    fn step(&self, last: Option<u32>) -> Result<Option<Arc<Runner>>> {
        step(self.environment(), last)
    }

    /// The entities that wait for something that will never come, if the run ended so.
    fn stuck(&self, end: &Result<End>) -> Vec<Stuck> {
        let environment = self.environment();
        match end {
            Ok(End::Deadlock) => {
                deadlock::stuck(&environment.runners.all(), environment.clock.timestamp())
            }
            _ => Vec::new(),
        }
    }

    /// What the engine is doing, one row for each of its threads.
    fn rows(&self) -> Vec<StatusRow> {
        let entities = self.environment().runners.in_run() as u64;
        vec![StatusRow { name: self.thread_name(), values: vec![("entities", entities)] }]
    }

    /// The engine as one that the program drives, instead of a thread.
    fn epochs(&self) -> Option<&dyn Epochs> {
        None
    }
}

/// An engine that runs while the program asks for it.
pub trait Epochs {
    /// Runs entities for some nanoseconds of the clock, or until nothing is ready. Without a budget,
    /// executes every entity once.
    ///
    /// # Errors
    /// The error of the entity whose failure ends the run.
    fn epoch(&self, budget: i64) -> Result<Epoch>;

    /// Sleeps between two epochs: until the time that the last one returned, until an event, or
    /// until the next poll. During a pause, until its end.
    ///
    /// # Errors
    /// Those of the clock.
    fn rest_until(&self, next: Option<i64>) -> Result<()>;
}

/// Result of an epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Epoch {
    /// The budget is used up; there may be more to do.
    BudgetUsed,
    /// Nothing is ready. Has the earliest time that an entity waits for, in nanoseconds of the
    /// scheduler's clock, and whether one waits for an external event.
    Idle {
        /// The time.
        next: Option<i64>,
        /// Whether an entity waits for an event.
        awaits_event: bool,
    },
    /// Execution stopped because the graph is paused.
    Paused,
    /// No entity will ever run again.
    Finished,
    /// The graph was asked to stop.
    Interrupted,
}

/// What a thread of an engine is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusRow {
    /// Name of the thread.
    pub name: String,
    /// What there is to say about it, by name.
    #[serde(serialize_with = "serialize_values")]
    pub values: Vec<(&'static str, u64)>,
}

fn serialize_values<S: serde::Serializer>(
    values: &[(&'static str, u64)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().copied())
}

/// Makes an engine.
pub type Start = fn(&Arc<Component>, Environment) -> Result<Arc<dyn Engine>>;

/// A kind of engine.
#[derive(Clone, Copy)]
pub struct EngineType {
    /// The component type that selects and configures it. Its parameter `clock` names the clock.
    pub scheduler: Tid,
    /// Makes the engine for one run, for a scheduler of this type.
    ///
    /// # Errors
    /// The scheduler's parameters are impossible.
    pub start: Start,
}

/// The engines that are built in.
pub static ENGINES: &[EngineType] = &[
    EngineType { scheduler: GreedyScheduler::TID, start: greedy::start },
    EngineType { scheduler: EpochScheduler::TID, start: epoch::start },
    EngineType { scheduler: MultiThreadScheduler::TID, start: pool::start_multi_thread },
    EngineType { scheduler: EventBasedScheduler::TID, start: pool::start_event_based },
];

/// Starts or ticks the first entity after `last` that is ready, and announces to the engine whom
/// that concerns.
fn step(environment: &Environment, last: Option<u32>) -> Result<Option<Arc<Runner>>> {
    struct Post<'a>(&'a EventQueue);
    impl crate::entity::ports::Wake for Post<'_> {
        fn wake(&mut self, entity: u32) {
            self.0.post(entity);
        }
    }
    let mut runners = environment.runners.all();
    let next = runners.iter().position(|runner| Some(runner.number) == last);
    runners.rotate_left(next.map_or(0, |place| place + 1));
    let now = environment.clock.timestamp();
    for runner in runners {
        if runner.execute_if_ready(now, &mut Post(&environment.event_queue))? {
            runner.notify();
            return Ok(Some(runner));
        }
    }
    Ok(None)
}
