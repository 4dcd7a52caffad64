//! The trait of engines, which execute the entities of a graph.
//!
//! A new engine is a folder here and a row of the table in `engines.rs`; a program that embeds the
//! runtime may add rows of its own. An engine
//!
//! - calls [`Runners::begin_run`] first, and [`Runners::gone`] for an entity whose condition is
//!   NEVER;
//! - executes entities with [`Runner::execute`] or [`Runner::execute_and_look`], on any thread: a
//!   lock keeps an entity from running twice at once;
//! - checks the [`EventQueue`] before it sleeps, and sleeps in it, so that no event is lost. The
//!   queue holds the requests to pause, resume and stop, and the indices of entities to check
//!   again: because another thread, a device or another host has something for them, because they
//!   joined ([`Runners::joined_since`] returns their runners), or because they left, and are NEVER
//!   ready again;
//! - reads the time from the clock only.
//!
//! `tests/tests/engines.rs` runs the same scenarios on every engine.

use crate::entity::runner::Runner;
use crate::graph::routes::Routes;
use crate::graph::store::Entity;
use crate::schedule::deadlock::{self, Stuck};
use crate::schedule::pace::Pace;
use crate::schedule::runners::Runners;
use crate::schedule::start::StartBarrier;
use crate::schedule::thread::Threads;
use gxf_app::error::{Error, Result};
use gxf_plugin::component::{Component, Interface};
use gxf_plugin_abi::{ResultCode, Tid};
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
    /// The program requested it.
    Interrupted,
}

/// The environment of an engine.
#[derive(Clone)]
pub struct Environment {
    /// The entities.
    pub runners: Arc<Runners>,
    /// The scheduler's clock.
    pub clock: Interface<gxf::Clock>,
    /// Whether the clock only moves when another thread moves it, which is announced.
    pub moved_by_others: bool,
    /// The queue in which events arrive and the engine sleeps.
    pub event_queue: Arc<EventQueue>,
    /// The entities that request threads of their own.
    pub threads: Threads,
    /// All entities that are loaded, those without codelets, too.
    pub entities: Vec<Arc<Entity>>,
    /// The connections of the graph as it is now.
    pub routes: Arc<Routes>,
    /// Where the run waits before the first tick for those of other processes, if it does.
    pub barrier: Option<Arc<StartBarrier>>,
}

impl Environment {
    /// How the time of the run passes.
    #[must_use]
    pub fn pace(&self) -> Pace {
        Pace::new(self.clock.clone(), self.moved_by_others)
    }
}

/// Executes the entities of a graph in one run.
pub trait Engine: Send + Sync {
    /// Its environment.
    fn environment(&self) -> &Environment;

    /// Name of the thread that runs it.
    fn thread_name(&self) -> String;

    /// Runs the entities until one of the ends. Called once.
    ///
    /// # Errors
    /// The error of the entity whose failure ends the run.
    fn run(&self) -> Result<End>;

    /// Whether a run with this end stops the entities at once. Otherwise they stay started until
    /// the graph is deactivated.
    fn stops_entities(&self, end: &Result<End>) -> bool {
        let _ = end;
        true
    }

    /// Ends the run; running ticks finish first. Like `pause` and `resume`, does not wait: it is called
    /// under a lock of the graph.
    fn interrupt(&self) {
        self.environment().event_queue.stop();
    }

    /// Pauses the run; running ticks finish first.
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

    /// During a pause, starts or ticks one entity that is ready, on the calling thread: the next
    /// one after `last`, in the order of activation. `None` if none is ready.
    ///
    /// # Errors
    /// The entity failed, which ends the run.
    fn step(&self, last: Option<u32>) -> Result<Option<Arc<Runner>>> {
        step(self.environment(), last, |runner, now, waker| {
            Ok(runner.execute_if_ready(now, waker)?.ran)
        })
    }

    /// After a deadlock: the waiting entities and what they wait for.
    fn stuck(&self, end: &Result<End>) -> Vec<Stuck> {
        let environment = self.environment();
        match end {
            Ok(End::Deadlock) => {
                deadlock::stuck(&environment.runners.all(), environment.clock.timestamp())
            }
            _ => Vec::new(),
        }
    }

    /// Changes to another static schedule while the run goes on. Returns when the change is
    /// accepted; it happens behind the frames or cycles that have begun. Other requests are
    /// refused meanwhile.
    ///
    /// # Errors
    /// Each has a `gxf_stm::status::Status` as its cause: the run has no static schedule, is not
    /// going on, or is changing already; the file is not a schedule that fits the graph; `stop` does
    /// not run; the new identifier is that of the schedule that runs; in a roll-over, the hyperepochs
    /// own other resources.
    fn swap_schedule(&self, swap: &ScheduleSwap) -> Result<()> {
        let _ = swap;
        let text = "the graph's scheduler follows no static schedule";
        let error = Error::new(ResultCode::QUERY_NOT_APPLICABLE, text);
        #[cfg(feature = "stm")]
        let error = error.caused_by(gxf_stm::status::Status::NotSupported);
        Err(error)
    }

    /// Whether the engine itself bounds how far entities run ahead of devices. Otherwise the host holds
    /// them, see [`Runner::hold`].
    fn bounds_device_work(&self) -> bool {
        false
    }

    /// What each thread of the engine is doing.
    fn rows(&self) -> Vec<StatusRow> {
        let entities = self.environment().runners.in_run() as u64;
        vec![StatusRow { name: self.thread_name(), values: vec![("entities", entities)] }]
    }

    /// The parts of the graph that end alone, for engines that know them.
    fn jobs(&self) -> Vec<StatusRow> {
        Vec::new()
    }

    /// The engine, if the program drives it instead of a thread.
    fn epochs(&self) -> Option<&dyn Epochs> {
        None
    }
}

/// A change of static schedules.
#[derive(Clone, Debug, Default)]
pub struct ScheduleSwap {
    /// The file of the new schedule.
    pub schedule: std::path::PathBuf,
    /// Id of the schedule that is to end; refused if another one runs.
    pub stop: Option<u16>,
    /// Each hyperepoch changes over by itself behind its cycle, instead of all together.
    pub roll_over: bool,
}

/// An engine that the program drives.
pub trait Epochs {
    /// Runs entities for some nanoseconds of the clock, or until nothing is ready. Without a
    /// budget, executes every entity once.
    ///
    /// # Errors
    /// The error of the entity whose failure ends the run.
    fn epoch(&self, budget: i64) -> Result<Epoch>;

    /// Sleeps between two epochs: until the time that the last one returned, until an event, or
    /// until the next poll. During a pause, until its end.
    ///
    /// # Errors
    /// The errors of the clock.
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
        /// Whether an entity waits for an event, or work outside the graph may bring one.
        awaits_event: bool,
    },
    /// Execution stopped because the graph is paused.
    Paused,
    /// No entity will ever run again.
    Finished,
    /// A stop was requested.
    Interrupted,
}

/// What a thread of an engine is doing, or a part of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusRow {
    /// Name of the thread or part.
    pub name: String,
    /// Its values by name.
    #[serde(serialize_with = "serialize_values")]
    pub values: Vec<(&'static str, u64)>,
}

fn serialize_values<S: serde::Serializer>(
    values: &[(&'static str, u64)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().copied())
}

/// Creates an engine.
pub type Start = fn(&Arc<Component>, Environment) -> Result<Arc<dyn Engine>>;

/// A kind of engine.
#[derive(Clone, Copy)]
pub struct EngineType {
    /// The component type that selects and configures it. Its parameter `clock` names the clock.
    pub scheduler: Tid,
    /// Creates the engine for one run of a scheduler of this type.
    ///
    /// # Errors
    /// The scheduler's parameters are impossible.
    pub start: Start,
}

/// Posts entities that a step wakes.
pub(super) struct Post<'a>(&'a EventQueue);

impl crate::entity::port::Wake for Post<'_> {
    fn wake(&mut self, entity: u32) {
        self.0.post(entity);
    }
}

/// Starts or ticks the first ready entity after `last`, and notifies the engine of the entities
/// that it woke. `execute` says whether an entity was ready.
pub(super) fn step(
    environment: &Environment,
    last: Option<u32>,
    execute: impl Fn(&Runner, i64, &mut Post<'_>) -> Result<bool>,
) -> Result<Option<Arc<Runner>>> {
    let mut runners = environment.runners.all();
    let next = runners.iter().position(|runner| Some(runner.number) == last);
    runners.rotate_left(next.map_or(0, |place| place + 1));
    let now = environment.clock.timestamp();
    for runner in runners {
        if execute(&runner, now, &mut Post(&environment.event_queue))? {
            runner.notify();
            return Ok(Some(runner));
        }
    }
    Ok(None)
}
