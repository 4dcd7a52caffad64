//! A run of the graph: how it begins, and how it ends.

use super::epochs::Epochs;
use super::{GraphState, keep_first, wrong_state};
use crate::builtin;
use crate::context::Inner;
use crate::entity::runner::Runner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::plugin::component::{Component, FromComponent, Interface};
use crate::schedule::greedy::{End, Greedy};
use crate::schedule::mailbox::Mailbox;
use crate::schedule::pool;
use crate::schedule::report::{self, Stuck};
use crate::schedule::roster::Roster;
use crate::schedule::settings::{GreedySettings, PoolSettings};
use gxf_plugin_abi::{Event, ResultCode, Uid, tids};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

/// What is needed to run, and to end it.
#[derive(Default)]
pub(crate) struct Run {
    /// Activated entities in the order of activation.
    pub(super) active: Vec<Arc<Entity>>,
    pub(crate) roster: Arc<Roster>,
    /// Those of a graph that is being taken down.
    pub(crate) leaving: Vec<Arc<Runner>>,
    pub(super) mailbox: Option<Arc<Mailbox>>,
    /// The scheduler that is built in, if the graph has it.
    pub(super) scheduler: Option<Arc<Component>>,
    /// Systems that come from extensions.
    pub(super) systems: Vec<Interface<gxf::System>>,
    thread: Option<JoinHandle<Ended>>,
    pub(super) epochs: Option<Arc<Epochs>>,
    /// How the latest run ended.
    outcome: Option<Result<()>>,
}

/// How a run ended.
struct Ended {
    end: Result<End>,
    /// After a deadlock: who waits for what.
    stuck: Vec<Stuck>,
}

impl Inner {
    pub fn run_async(&self) -> Result<()> {
        {
            let mut state = self.state.lock();
            if *state != GraphState::Activated {
                return Err(wrong_state("run", *state));
            }
            *state = GraphState::Running;
            self.run.lock().outcome = None;
            // Nobody may wait for threads that do not run yet.
            self.is_awaited.store(true, Ordering::Relaxed);
        }
        let started = self.start_run();
        if started.is_ok() {
            let _state = self.state.lock();
            self.is_awaited.store(false, Ordering::Relaxed);
            self.state_changed.notify_all();
        }
        started.or_else(|error| {
            let mut first = Err(error);
            keep_first(&mut first, self.end_run());
            self.run_ended(first)
        })
    }

    fn start_run(&self) -> Result<()> {
        let systems = self.run.lock().systems.clone();
        self.observation.run_begins(systems.first().map(|system| &**system.component()));
        for system in &systems {
            if let Some(scheduler) = gxf::Scheduler::from_component(system.component()) {
                scheduler.prepare()?;
            }
            system.run_async()?;
        }
        let (scheduler, mailbox, roster) = {
            let run = self.run.lock();
            (run.scheduler.clone(), run.mailbox.clone(), run.roster.clone())
        };
        let (Some(scheduler), Some(mailbox)) = (scheduler, mailbox) else { return Ok(()) };
        let clock = self.clock_of(&scheduler)?;
        self.observation.run_uses(&scheduler, &clock);
        let moved_by_others = clock.component().is_a(tids::SYNTHETIC_CLOCK);
        tracing::info!("Scheduling {} entities", roster.all().len());
        let kind = scheduler.type_info().tid;
        if kind == builtin::MULTI_THREAD_SCHEDULER || kind == builtin::EVENT_BASED_SCHEDULER {
            let event_based = kind == builtin::EVENT_BASED_SCHEDULER;
            let settings = PoolSettings::of(&scheduler, event_based, moved_by_others)?;
            let pinned = self.pinned_entities(&roster)?;
            let name = format!("{}-0", settings.thread_name);
            return self.spawn_run(name, move || {
                let end = pool::run(roster.clone(), settings, pinned, clock.clone(), mailbox);
                close(&roster, &clock, end, |_| true)
            });
        }
        let settings = GreedySettings::of(&scheduler, moved_by_others);
        let engine = Greedy::new(roster.clone(), settings, clock.clone(), mailbox);
        if kind == builtin::EPOCH_SCHEDULER {
            self.run.lock().epochs = Some(Arc::new(Epochs::new(engine)));
            return Ok(());
        }
        self.spawn_run("gxe-greedy".to_owned(), move || {
            // As in GXF: after an error or the maximum duration everything stops at once, otherwise
            // when the graph is deactivated.
            let end = engine.run();
            close(&roster, &clock, end, |end| matches!(end, Err(_) | Ok(End::Timeout)))
        })
    }

    fn spawn_run(&self, name: String, run: impl FnOnce() -> Ended + Send + 'static) -> Result<()> {
        let errand = self.errand();
        let run = move || {
            let _inside = errand.begin();
            run()
        };
        let thread = std::thread::Builder::new().name(name).spawn(run).map_err(|error| {
            Error::new(ResultCode::FAILURE, "the scheduler's thread cannot be started")
                .caused_by(error)
        })?;
        self.run.lock().thread = Some(thread);
        Ok(())
    }

    /// Waits for everything that runs; the first error counts.
    fn end_run(&self) -> Result<()> {
        let (thread, epochs, systems) = {
            let mut run = self.run.lock();
            (run.thread.take(), run.epochs.clone(), run.systems.clone())
        };
        let mut first = Ok(());
        let mut stuck = 0;
        if let Some(thread) = thread {
            match thread.join() {
                Ok(ended) => {
                    stuck = report::deadlock(self, &ended.stuck);
                    first = ended.end.map(|_| ());
                }
                Err(_) => {
                    first = Err(Error::new(ResultCode::FAILURE, "the scheduler's thread panicked"));
                }
            }
        }
        if let Some(epochs) = epochs {
            let ended = epochs.wait();
            let engine = epochs.take_engine();
            self.run.lock().roster.end_run();
            if let Some(engine) = engine.filter(|_| epochs.is_deadlock()) {
                stuck = report::deadlock(self, &engine.stuck());
            }
            keep_first(&mut first, ended.map(|_| ()));
            self.run.lock().epochs = None;
        }
        for system in systems {
            keep_first(&mut first, system.wait().map_err(Error::from));
        }
        self.observation.run_ends(stuck);
        first
    }

    pub fn wait(&self) -> Result<()> {
        if !self.begin_waiting()? {
            return Ok(());
        }
        let ended = self.end_run();
        self.run_ended(ended)
    }

    /// Tells others how the run ended; after an error the graph is taken down.
    fn run_ended(&self, ended: Result<()>) -> Result<()> {
        let ended = ended.map_err(|error| error.with_place(&self.origins.lock()));
        {
            // Under the state's lock: an interrupt belongs to this run or finds nothing running.
            let mut state = self.state.lock();
            if let Some(mailbox) = &self.run.lock().mailbox {
                mailbox.reset();
            }
            self.run.lock().outcome = Some(ended.clone());
            self.is_awaited.store(false, Ordering::Relaxed);
            *state = match &ended {
                Ok(()) => GraphState::Activated,
                Err(_) => GraphState::Deinitializing,
            };
            self.state_changed.notify_all();
        }
        ended.or_else(|error| self.deactivate_after(error))
    }

    /// Whether it is on the caller to end the run: one waiter does, others come back when it is over,
    /// with its error.
    fn begin_waiting(&self) -> Result<bool> {
        let mut state = self.state.lock();
        let mut waited = false;
        while matches!(*state, GraphState::Running | GraphState::Interrupting) {
            self.must_be_outside("wait")?;
            if !self.is_awaited.swap(true, Ordering::Relaxed) {
                return Ok(true);
            }
            self.state_changed.wait(&mut state);
            waited = true;
        }
        if waited { self.outcome().map(|()| false) } else { Ok(false) }
    }

    /// How the latest run ended; success while it runs.
    pub fn outcome(&self) -> Result<()> {
        self.run.lock().outcome.clone().unwrap_or(Ok(()))
    }

    pub fn interrupt(&self) -> Result<()> {
        let (systems, epochs) = {
            let mut state = self.state.lock();
            if *state != GraphState::Running {
                return Err(wrong_state("interrupt", *state));
            }
            *state = GraphState::Interrupting;
            let run = self.run.lock();
            if let Some(mailbox) = &run.mailbox {
                mailbox.stop();
            }
            (run.systems.clone(), run.epochs.clone())
        };
        if let Some(epochs) = epochs {
            epochs.finish(Ok(End::Interrupted));
        }
        for system in systems {
            system.stop()?;
        }
        Ok(())
    }

    /// Tells the systems of extensions what happened to an entity, and with it to those that watch it.
    #[cold]
    pub fn notify_systems(&self, entity: &Entity, event: Event) -> Result<()> {
        let systems = self.run.lock().systems.clone();
        let watchers: Vec<Uid> =
            entity.watchers.read().iter().map(|watcher| watcher.entity.eid()).collect();
        for system in &systems {
            system.event_notify(entity.eid(), event)?;
            for watcher in &watchers {
                system.event_notify(*watcher, event)?;
            }
        }
        Ok(())
    }
}

/// What is done on the scheduler's thread when the run is over: who is stuck is asked before the
/// entities are stopped, if they are.
fn close(
    roster: &Roster,
    clock: &Interface<gxf::Clock>,
    end: Result<End>,
    stops: impl Fn(&Result<End>) -> bool,
) -> Ended {
    roster.end_run();
    let runners = roster.all();
    let stuck = match &end {
        Ok(End::Deadlock) => report::stuck(&runners, clock.timestamp()),
        _ => Vec::new(),
    };
    if stops(&end) {
        stop_all(&runners);
    }
    tracing::info!("Scheduler finished.");
    Ended { end, stuck }
}

fn stop_all(runners: &[Arc<Runner>]) {
    for runner in runners.iter().rev() {
        if let Err(error) = runner.stop() {
            let error = gxf::Error::from(error);
            tracing::error!("also: {error}");
        }
    }
}
