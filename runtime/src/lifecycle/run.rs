//! A run of the graph: which scheduler there is, how it begins, how it ends.

use super::{GraphState, keep_first, wrong_state};
use crate::builtin;
use crate::context::Inner;
use crate::entity::runner::Runner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::graph::{Diagnostic, ParameterValue};
use crate::plugin::component::{Component, FromComponent, Interface};
use crate::schedule::greedy::{End, Epoch, Greedy};
use crate::schedule::mailbox::Mailbox;
use crate::schedule::pool;
use crate::schedule::report::{self, Stuck};
use crate::schedule::roster::Roster;
use crate::schedule::settings::{GreedySettings, Pinning, PoolSettings, pinning};
use gxf_plugin_abi::{Event, ResultCode, Tid, Uid, tids};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    epochs: Option<Arc<Epochs>>,
    /// How the latest run ended.
    outcome: Option<Result<()>>,
}

/// How a run ended.
struct Ended {
    end: Result<End>,
    /// After a deadlock: who waits for what.
    stuck: Vec<Stuck>,
}

/// A run that goes on only while the program asks for it.
struct Epochs {
    engine: Mutex<Option<Greedy>>,
    /// The latest epoch found that nothing can ever happen again. Read once no epoch runs.
    is_deadlock: AtomicBool,
    /// Why it is over.
    outcome: Mutex<Option<Result<End>>>,
    over: Condvar,
}

impl Epochs {
    fn finish(&self, outcome: Result<End>) {
        self.outcome.lock().get_or_insert(outcome);
        self.over.notify_all();
    }

    fn wait(&self) -> Result<End> {
        let mut outcome = self.outcome.lock();
        loop {
            if let Some(outcome) = outcome.take() {
                return outcome;
            }
            self.over.wait(&mut outcome);
        }
    }
}

/// The schedulers that are built in.
const BUILT_IN: [Tid; 4] = [
    builtin::GREEDY_SCHEDULER,
    builtin::MULTI_THREAD_SCHEDULER,
    builtin::EVENT_BASED_SCHEDULER,
    builtin::EPOCH_SCHEDULER,
];

impl Inner {
    pub(super) fn find_schedulers(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut run = self.run.lock();
        for entity in entities {
            for component in entity.components().iter() {
                if BUILT_IN.contains(&component.type_info().tid) {
                    if let Some(other) = &run.scheduler {
                        return Err(self.two_schedulers(other, component));
                    }
                    run.scheduler = Some(component.clone());
                } else if let Some(system) = gxf::System::from_component(component) {
                    run.systems.push(system);
                }
            }
        }
        let (systems, roster, scheduler) =
            (run.systems.clone(), run.roster.clone(), run.scheduler.clone());
        drop(run);
        self.has_systems.store(!systems.is_empty(), Ordering::Release);
        let runners = roster.all();
        for system in &systems {
            for runner in &runners {
                system.schedule(runner.entity.eid())?;
            }
        }
        if scheduler.is_none() && systems.is_empty() && !runners.is_empty() {
            tracing::warn!(
                "the graph has codelets but no scheduler, so nothing will run; add an entity with \
                 a component of type nvidia::gxf::GreedyScheduler"
            );
        }
        Ok(())
    }

    fn two_schedulers(&self, one: &Component, other: &Component) -> Error {
        let mut problem =
            Diagnostic::error(ResultCode::ARGUMENT_INVALID, "the graph has two schedulers");
        let origins = self.origins.lock();
        if let Some(span) = origins.get(&other.cid()) {
            problem = problem.at(span.clone()).label("one has to go");
        }
        if let Some(span) = origins.get(&one.cid()) {
            problem = problem.note(span.clone(), "the other one is here");
        }
        Error::from_diagnostics("the graph has two schedulers", problem.into())
    }

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
            let epochs = Arc::new(Epochs {
                engine: Mutex::new(Some(engine)),
                is_deadlock: AtomicBool::new(false),
                outcome: Mutex::default(),
                over: Condvar::new(),
            });
            self.run.lock().epochs = Some(epochs);
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

    /// The entities that ask for a thread of their own.
    fn pinned_entities(&self, roster: &Roster) -> Result<Vec<Pinning>> {
        let mut pinned = Vec::new();
        for runner in roster.all() {
            let entity = &runner.entity;
            let components = entity.components();
            let mut wanted =
                components.iter().filter(|known| known.type_info().tid == builtin::CPU_THREAD);
            let Some(cpu_thread) = wanted.next() else { continue };
            if let Some(second) = wanted.next() {
                return Err(Error::new(
                    ResultCode::FAILURE,
                    format!(
                        "{} has two components of type nvidia::gxf::CPUThread, {} and {}; one has \
                         to go",
                        entity.described(),
                        cpu_thread.description(),
                        second.description(),
                    ),
                ));
            }
            let pool = self.resource_of(entity.eid(), builtin::THREAD_POOL, "").ok();
            match pinning(cpu_thread, pool.as_deref())? {
                Some(_) if pool.is_none() => tracing::warn!(
                    "{} asks for a thread of its own, but its group has no \
                     nvidia::gxf::ThreadPool; it runs on the scheduler's threads",
                    entity.described()
                ),
                Some(placement) => pinned.push(Pinning { number: runner.number, placement }),
                None => {}
            }
        }
        Ok(pinned)
    }

    fn clock_of(&self, scheduler: &Arc<Component>) -> Result<Interface<gxf::Clock>> {
        let clock = match scheduler.parameter("clock") {
            Some(ParameterValue::Component(cid)) => self.component(cid)?,
            _ => {
                let realtime = scheduler.parameter("realtime");
                self.own_clock(scheduler, realtime != Some(ParameterValue::Bool(false)))?
            }
        };
        gxf::Clock::from_component(&clock).ok_or_else(|| self.wrong_type(&clock, tids::CLOCK))
    }

    /// The clock of a scheduler that names none; it belongs to no entity.
    fn own_clock(&self, scheduler: &Component, realtime: bool) -> Result<Arc<Component>> {
        let name = if realtime { "nvidia::gxf::RealtimeClock" } else { "nvidia::gxf::ManualClock" };
        let type_info = self.type_by_name(name)?;
        let clock =
            Component::create(&type_info, "", self.raw(), scheduler.eid(), scheduler.cid())?;
        clock.complete_parameters()?;
        clock.initialize()?;
        Ok(clock)
    }

    /// Runs an epoch of a graph with an `EpochScheduler`: for `budget` nanoseconds of its clock or
    /// until nothing is ready; without a budget every entity is executed once.
    pub fn run_epoch(&self, budget: i64) -> Result<Epoch> {
        let epochs = self.epochs()?;
        let _inside = self.errand().begin();
        let mut engine = epochs.engine.lock();
        let Some(greedy) = &mut *engine else { return Ok(Epoch::Finished) };
        let epoch = greedy.epoch(budget);
        let is_deadlock = matches!(epoch, Ok(Epoch::Idle { next: None, awaits_event: false }));
        epochs.is_deadlock.store(is_deadlock, Ordering::Relaxed);
        match &epoch {
            Ok(Epoch::Interrupted) => epochs.finish(Ok(End::Interrupted)),
            Ok(_) => {}
            Err(error) => {
                *engine = None;
                epochs.finish(Err(error.clone()));
            }
        }
        epoch
    }

    /// Sleeps between two epochs.
    pub fn rest_until(&self, next: Option<i64>) -> Result<()> {
        let epochs = self.epochs()?;
        let engine = epochs.engine.lock();
        engine.as_ref().map_or(Ok(()), |greedy| greedy.rest_until(next))
    }

    fn epochs(&self) -> Result<Arc<Epochs>> {
        let epochs = self.run.lock().epochs.clone();
        let text =
            "an epoch needs a running graph whose scheduler is a nvidia::gxf::EpochScheduler";
        let error = || Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text);
        let epochs = epochs.ok_or_else(error)?;
        self.must_be_outside("an epoch")?;
        Ok(epochs)
    }

    /// Whether the graph waits for somebody to run epochs.
    pub fn has_epochs(&self) -> bool {
        self.run.lock().epochs.is_some()
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
            // An epoch that is under way is waited for.
            let engine = epochs.engine.lock().take();
            self.run.lock().roster.end_run();
            if let Some(engine) = engine.filter(|_| epochs.is_deadlock.load(Ordering::Relaxed)) {
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

    /// Nothing is executed any more until [`Self::resume`]; what is being executed is finished.
    pub fn pause(&self) -> Result<()> {
        self.pausable("pause")?.pause();
        Ok(())
    }

    /// Ends a pause.
    pub fn resume(&self) -> Result<()> {
        self.pausable("resume")?.resume();
        Ok(())
    }

    fn pausable(&self, call: &str) -> Result<Arc<Mailbox>> {
        let state = self.state.lock();
        if *state != GraphState::Running {
            return Err(wrong_state(call, *state));
        }
        let run = self.run.lock();
        match (&run.scheduler, &run.mailbox) {
            (Some(_), Some(mailbox)) => Ok(mailbox.clone()),
            _ => Err(Error::new(
                ResultCode::QUERY_NOT_APPLICABLE,
                format!("{call} is not possible: the graph's scheduler comes from an extension"),
            )),
        }
    }

    /// Whether nothing is executed because somebody paused the graph.
    pub fn is_paused(&self) -> bool {
        let run = self.run.lock();
        run.mailbox.as_ref().is_some_and(|mailbox| mailbox.is_paused())
    }

    /// Makes the scheduler look at the time again.
    pub fn poke_scheduler(&self) {
        let mailbox = self.run.lock().mailbox.clone();
        if let Some(mailbox) = mailbox {
            mailbox.poke();
        }
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
