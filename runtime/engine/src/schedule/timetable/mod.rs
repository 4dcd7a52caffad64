//! The engine that follows a static schedule.
//!
//! # Who does what
//!
//! Each engine of the schedule has a worker (`worker.rs`) and an ordered list of executions. The
//! order is fixed, times are not: an execution waits for the one before it in its list, for the
//! fences that the schedule names (`gxf_sync::fence`), and for the clock, if the schedule releases
//! it by time. No thread hands out executions: the worker that leaves a frame last admits the next
//! one (`hyperepoch.rs`). What an entity submits to a device has no worker, but a completion
//! (`work.rs`, `submit.rs`). The engine's own thread only waits for events of others: a stop, a completion, an
//! entity that joins or leaves, a clock that is moved.
//!
//! Terms of entities stay in force: an entity that is not ready in its place is passed over, and so
//! is every execution of a frame that is skipped. Whoever waits for an execution that was passed
//! over goes on.
//!
//! An execution's time is that of its frame, plus its start time, so it does not depend on how long
//! others take.
//!
//! # Frames
//!
//! A frame of an epoch starts at its time, and when every execution of the frame before is over. If
//! that comes too late, frames up to the next multiple of the period are skipped, or it starts at
//! once. A hyperepoch starts its next cycle in the same way. Hyperepochs share nothing but the
//! clock.
//!
//! # The end
//!
//! 1. No entity is left.
//! 2. Deadlock: in a whole cycle of every hyperepoch nothing was ready, and no entity waits for a
//!    time or an event (`quiet.rs`).
//! 3. The maximum duration has passed: no frame starts after it.
//! 4. Interrupt.
//! 5. An execution fails: workers leave at once. In all other cases, frames that have begun end
//!    first.
//!
//! `plan.rs` reads a schedule, `bind.rs` finds its entities, `time.rs` waits, `log.rs` and
//! `entries.rs` keep what happened.

mod bind;
mod entries;
mod hyperepoch;
mod log;
mod plan;
mod quiet;
mod submit;
mod time;
mod work;
mod worker;

use crate::entity::runner::{Runner, Status};
use crate::schedule::engine::{End, Engine, Environment, StatusRow};
use crate::schedule::runners::Runners;
use crate::schedule::scope::Scope;
use crate::schedule::settings::StaticSettings;
use crate::schedule::thread::{self, Placement};
use crate::standard::scheduler::StaticScheduler;
use bind::Executor;
use gxf_app::error::{Error, Result};
use gxf_app::read_source;
use gxf_plugin::component::{Component, Native};
use gxf_plugin_abi::ResultCode;
use gxf_sync::event_queue::{EventQueue, Woken};
use hyperepoch::Hyperepoch;
use log::RunLog;
use parking_lot::{Condvar, Mutex};
use plan::Plan;
use quiet::Quiet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use time::Time;

/// Bits of [`Shared::halt`]: the run is paused; workers leave at once.
const PAUSED: u32 = 1;
const OVER: u32 = 2;
/// The bits above count changes of the entities.
const CHANGED: u32 = 4;
/// How often the engine's thread looks for submitted work that takes too long.
const WATCH_PERIOD: Duration = Duration::from_millis(500);
/// Most workers.
const MOST_WORKERS: usize = 1024;
/// Prefix of the names of threads.
const THREAD_NAME: &str = "static";

/// What all threads of the engine share.
struct Shared {
    settings: StaticSettings,
    runners: Arc<Runners>,
    event_queue: Arc<EventQueue>,
    time: Time,
    quiet: Quiet,
    hyperepochs: Vec<Hyperepoch>,
    /// Names of the runnables, and what executes them.
    runnables: Vec<String>,
    executors: Vec<Executor>,
    population: Mutex<Population>,
    /// What workers look at before each execution; see [`PAUSED`].
    halt: AtomicU32,
    /// No further frame begins.
    ending: AtomicBool,
    outcome: Mutex<Option<Result<End>>>,
    /// Events that were taken out of the queue.
    events: AtomicU64,
    /// Workers that have not left, and who waits for them.
    workers: AtomicUsize,
    left: Mutex<()>,
    worker_left: Condvar,
    /// The clock's time after which no frame starts.
    end_of_time: i64,
    log: Option<RunLog>,
}

/// The entities of the graph that execute something.
#[derive(Default)]
struct Population {
    /// By runnable.
    runners: Vec<Option<Arc<Runner>>>,
    /// By runnable, whether the entity never runs again.
    gone: Vec<bool>,
}

/// The engine.
struct StaticEngine {
    environment: Environment,
    shared: Shared,
}

/// The engine of a `StaticScheduler`.
///
/// # Errors
/// The schedule cannot be read or executed, or does not fit the graph.
pub fn start(scheduler: &Arc<Component>, environment: Environment) -> Result<Arc<dyn Engine>> {
    let scheduler: Native<StaticScheduler> = scheduler.native().ok_or_else(|| {
        Error::new(ResultCode::ARGUMENT_INVALID, "the scheduler is of another type")
    })?;
    let settings = StaticSettings::of(&scheduler);
    let plan = read(&settings.schedule)?;
    let shared = Shared::new(&environment, settings, plan, scheduler.component())?;
    Ok(Arc::new(StaticEngine { environment, shared }))
}

fn read(path: &std::path::Path) -> Result<Plan> {
    let failed = |findings: gxf_app::Diagnostics| {
        let what = format!("the schedule `{}` cannot be executed", path.display());
        Error::from_diagnostics(what, findings)
    };
    let source = read_source(path).map_err(|problem| failed(problem.into()))?;
    let schedule = gxf_stm::schedule::read_schedule(&source).map_err(failed)?;
    Plan::new(&schedule).map_err(failed)
}

impl Engine for StaticEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn thread_name(&self) -> String {
        format!("gxe-{THREAD_NAME}")
    }

    fn run(&self) -> Result<End> {
        self.shared.run()
    }

    fn interrupt(&self) {
        self.environment.event_queue.stop();
        self.shared.finish(Ok(End::Interrupted));
    }

    fn pause(&self) {
        self.environment.event_queue.pause();
        self.shared.halt.fetch_or(PAUSED, Ordering::AcqRel);
    }

    fn resume(&self) {
        self.shared.halt.fetch_and(!PAUSED, Ordering::AcqRel);
        self.environment.event_queue.resume();
    }

    fn rows(&self) -> Vec<StatusRow> {
        let hyperepochs = self.shared.hyperepochs.iter();
        let rows = hyperepochs.flat_map(|hyperepoch| {
            let sum = |count: fn(&hyperepoch::Epoch) -> &AtomicU64| {
                hyperepoch.epochs.iter().map(|epoch| count(epoch).load(Ordering::Relaxed)).sum()
            };
            let frames: u64 = sum(|epoch| &epoch.admitted);
            let overruns: u64 = sum(|epoch| &epoch.overruns);
            let skipped: u64 = sum(|epoch| &epoch.skipped);
            let workers = hyperepoch.lanes.iter().filter(|lane| lane.has_worker);
            workers.map(move |lane| StatusRow {
                name: worker_name(&lane.engine),
                values: vec![
                    ("executed", lane.executed.load(Ordering::Relaxed)),
                    ("passed_over", lane.passed_over.load(Ordering::Relaxed)),
                    ("missing", lane.missing.load(Ordering::Relaxed)),
                    ("frames", frames),
                    ("overruns", overruns),
                    ("skipped_frames", skipped),
                ],
            })
        });
        rows.collect()
    }
}

fn worker_name(engine: &str) -> String {
    format!("{THREAD_NAME}-{engine}")
}

impl Shared {
    fn new(
        environment: &Environment,
        settings: StaticSettings,
        mut plan: Plan,
        scheduler: &Component,
    ) -> Result<Self> {
        let Environment { runners, clock, moved_by_others, event_queue, .. } = environment.clone();
        let entities = runners.all();
        let (pairs, absent) = (&settings.entities, settings.absent_entities);
        let executors = bind::executors(&plan, &entities, pairs, absent, scheduler)?;
        let mut hyperepochs = Vec::new();
        for (index, hyperepoch) in plan.hyperepochs.iter_mut().enumerate() {
            let all_empty = |cycle: &plan::Cycle| cycle.lanes.iter().all(Vec::is_empty);
            if hyperepoch.cycles.iter().all(all_empty) {
                continue;
            }
            let bound = bind::hyperepoch(index, hyperepoch, &plan.runnables, &executors)?;
            hyperepochs.push(bound);
        }
        for (index, hyperepoch) in hyperepochs.iter_mut().enumerate() {
            hyperepoch.index = index;
        }
        let lanes = hyperepochs.iter().flat_map(|hyperepoch| &hyperepoch.lanes);
        let workers = lanes.filter(|lane| lane.has_worker).count();
        if workers > MOST_WORKERS {
            let text = format!(
                "the schedule has {workers} engines, and at most {MOST_WORKERS} are possible"
            );
            return Err(Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, text));
        }
        let log = settings.log.as_ref();
        let log = log.map(|(path, limit)| RunLog::new(&plan.graph, path, *limit)).transpose()?;
        if let Some(log) = &log {
            hyperepochs.iter().for_each(|hyperepoch| hyperepoch.log_frames(log.limit));
        }
        let duration = settings.max_duration;
        let begin = clock.timestamp();
        let shared = Self {
            log,
            end_of_time: duration.map_or(i64::MAX, |duration| begin.saturating_add(duration)),
            settings,
            runners,
            event_queue,
            time: Time::new(clock, moved_by_others, workers),
            quiet: Quiet::new(hyperepochs.len()),
            hyperepochs,
            runnables: plan.runnables,
            executors,
            population: Mutex::default(),
            halt: AtomicU32::new(0),
            ending: AtomicBool::new(false),
            outcome: Mutex::default(),
            events: AtomicU64::new(0),
            workers: AtomicUsize::new(workers),
            left: Mutex::new(()),
            worker_left: Condvar::new(),
        };
        shared.bind(&entities)?;
        Ok(shared)
    }

    /// Finds the entities and completions by their names.
    fn bind(&self, entities: &[Arc<Runner>]) -> Result<()> {
        let find = |name: &str| entities.iter().find(|runner| runner.entity.name() == name);
        let runners: Vec<Option<Arc<Runner>>> = self
            .executors
            .iter()
            .map(|executor| match executor {
                Executor::Entity(names) => names.iter().find_map(|name| find(name)).cloned(),
                Executor::Completion { .. } => None,
            })
            .collect();
        for work in self.hyperepochs.iter().flat_map(|hyperepoch| &hyperepoch.works) {
            let executor = &self.executors[work.runnable];
            let find = |name: &str| find(name).map(|runner| runner.entity.clone());
            work.set_target(bind::target(executor, &self.runnables[work.runnable], find)?);
        }
        let vanished = {
            let mut population = self.population.lock();
            let is_gone = |place: usize, runner: &Option<Arc<Runner>>| {
                let known = population.runners.get(place).and_then(Option::as_ref);
                let same = known.zip(runner.as_ref()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
                same && population.gone[place]
            };
            let gone = runners.iter().enumerate().map(|(place, one)| is_gone(place, one)).collect();
            let before = std::mem::replace(&mut *population, Population { runners, gone });
            self.halt.fetch_add(CHANGED, Ordering::AcqRel);
            let stays = |known: &Arc<Runner>| {
                let mut now = population.runners.iter().flatten();
                now.any(|runner| Arc::ptr_eq(runner, known))
            };
            let known = before.runners.into_iter().zip(before.gone);
            let left = known.filter_map(|(runner, gone)| runner.filter(|_| !gone));
            left.filter(|runner| !stays(runner)).collect::<Vec<_>>()
        };
        vanished.iter().for_each(|runner| self.runners.gone(runner.number));
        Ok(())
    }

    /// The entities by runnable, and the halts up to now.
    fn population(&self) -> (u32, Vec<Option<Arc<Runner>>>) {
        let population = self.population.lock();
        let present = population.runners.iter().zip(&population.gone);
        let runners = present.map(|(runner, gone)| runner.clone().filter(|_| !gone)).collect();
        (self.halt.load(Ordering::Acquire), runners)
    }

    /// An entity never runs again.
    fn gone(&self, gone: &Arc<Runner>) {
        let (is_new, is_last) = {
            let mut population = self.population.lock();
            let Population { runners, gone: all } = &mut *population;
            let mut is_new = false;
            for (runner, is_gone) in runners.iter().zip(all.iter_mut()) {
                if runner.as_ref().is_some_and(|runner| Arc::ptr_eq(runner, gone)) {
                    is_new |= !std::mem::replace(is_gone, true);
                }
            }
            let mut left = runners.iter().zip(all.iter());
            (is_new, left.all(|(runner, is_gone)| runner.is_none() || *is_gone))
        };
        if is_new {
            tracing::debug!("entity `{}` ended", gone.entity.name());
            self.runners.gone(gone.number);
        }
        if is_last {
            self.finish(Ok(End::Finished));
        }
    }

    fn run(&self) -> Result<End> {
        let (entities, known) = self.runners.begin_run();
        self.bind(&entities)?;
        if entities.is_empty() && !self.settings.absent_entities {
            return Ok(End::Finished);
        }
        self.start_entities(&entities)?;
        std::thread::scope(|scope| {
            let work = Scope::of_this_thread();
            let mut index = 0;
            for hyperepoch in &self.hyperepochs {
                for (place, lane) in hyperepoch.lanes.iter().enumerate() {
                    if !lane.has_worker {
                        continue;
                    }
                    let worker = index;
                    index += 1;
                    let run = move || {
                        let _entered = work.map(Scope::enter);
                        thread::place(&placement(&lane.engine));
                        self.run_worker(hyperepoch, place, worker);
                    };
                    let name = worker_name(&lane.engine);
                    let thread = std::thread::Builder::new().name(name).spawn_scoped(scope, run);
                    if let Err(error) = thread {
                        let text = "a worker thread of the scheduler cannot be started";
                        self.finish(Err(Error::new(ResultCode::FAILURE, text).caused_by(error)));
                        return;
                    }
                }
            }
            self.hyperepochs.iter().for_each(|hyperepoch| hyperepoch.start(self));
            self.drive(known);
        });
        self.report();
        let outcome = self.outcome.lock().take().unwrap_or(Ok(End::Interrupted));
        match (&self.log, &self.settings.log) {
            (Some(log), Some((path, _))) => {
                let written = log.write(self, path);
                outcome.and_then(|end| written.map(|()| end))
            }
            _ => outcome,
        }
    }

    /// Starts all entities in the order of activation, before the first frame.
    fn start_entities(&self, entities: &[Arc<Runner>]) -> Result<()> {
        struct NoWake;
        impl crate::entity::port::Wake for NoWake {
            fn wake(&mut self, _entity: u32) {}
        }
        let now = self.time.now();
        for runner in entities.iter().filter(|runner| runner.status() == Status::NotStarted) {
            if self.is_ending() {
                break;
            }
            runner.execute(now, &mut NoWake)?;
        }
        Ok(())
    }

    fn run_worker(&self, hyperepoch: &Hyperepoch, place: usize, index: usize) {
        /// Ends the run if the worker panics, so that nothing waits for it.
        struct Guard<'a>(&'a Shared);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    let text = "a worker thread of the scheduler panicked";
                    self.0.finish(Err(Error::new(ResultCode::FAILURE, text)));
                }
                self.0.time.leave();
                if self.0.workers.fetch_sub(1, Ordering::AcqRel) == 1 {
                    drop(self.0.left.lock());
                    self.0.worker_left.notify_all();
                    self.0.event_queue.poke();
                }
            }
        }
        let _guard = Guard(self);
        // Sleepers wake up on time.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        worker::Worker::new(self, hyperepoch, place, index).run();
    }

    /// Waits for what comes from others, until every worker has left.
    fn drive(&self, known: u64) {
        let mut known = (known, self.runners.left());
        while self.workers.load(Ordering::Acquire) > 0 {
            let mut is_event = false;
            if self.is_ending() {
                self.wait_for_workers();
            } else {
                let woken = self.event_queue.wait(self.alarm());
                is_event = woken == Woken::Event;
                // Sits a pause out.
                if self.event_queue.collect(|_| ()) {
                    self.finish(Ok(End::Interrupted));
                }
            }
            if self.end_of_time != i64::MAX && self.time.now() > self.end_of_time {
                self.finish(Ok(End::Timeout));
            }
            let present = (self.runners.joined(), self.runners.left());
            if present != known {
                known = present;
                self.heed(self.bind(&self.runners.all()).map(|()| None));
            }
            self.poll_works();
            if is_event {
                self.events.fetch_add(1, Ordering::AcqRel);
                self.time.ring();
                self.hyperepochs.iter().for_each(|hyperepoch| hyperepoch.wake(self));
            }
        }
    }

    /// The longest time without an event.
    fn alarm(&self) -> Option<Duration> {
        let end = (self.end_of_time != i64::MAX)
            .then(|| self.time.real_time_until(self.end_of_time.saturating_add(1)))
            .flatten();
        let has_work = self.hyperepochs.iter().any(|hyperepoch| !hyperepoch.works.is_empty());
        end.into_iter().chain(has_work.then_some(WATCH_PERIOD)).min()
    }

    /// Waits a moment for workers to leave.
    fn wait_for_workers(&self) {
        /// How often to look at submitted work.
        const PERIOD: Duration = Duration::from_millis(1);
        let mut left = self.left.lock();
        if self.workers.load(Ordering::Acquire) > 0 {
            self.worker_left.wait_for(&mut left, PERIOD);
        }
    }

    fn poll_works(&self) {
        for hyperepoch in &self.hyperepochs {
            for work in &hyperepoch.works {
                self.heed(work.poll(self, hyperepoch));
            }
        }
    }

    /// Does what something comes to. False if workers must leave.
    fn heed(&self, outcome: Result<Option<End>>) -> bool {
        match outcome {
            Ok(None) => return !self.is_closed(),
            Ok(Some(end)) => self.finish(Ok(end)),
            Err(error) => self.finish(Err(error)),
        }
        !self.is_closed()
    }

    /// Ends the run; the first reason counts.
    fn finish(&self, outcome: Result<End>) {
        let failed = outcome.is_err();
        {
            let mut known = self.outcome.lock();
            match (&*known, outcome) {
                (None, outcome) => *known = Some(outcome),
                // What happens to frames that end after another reason.
                (Some(Ok(_)), Err(error)) => *known = Some(Err(error)),
                (Some(Err(_)), Err(error)) => {
                    let error = gxf::Error::from(error);
                    tracing::error!("also: {error}");
                }
                (Some(_), Ok(_)) => {}
            }
        }
        self.ending.store(true, Ordering::Release);
        if failed {
            self.halt.fetch_or(OVER, Ordering::AcqRel);
            self.hyperepochs.iter().for_each(Hyperepoch::close);
            self.time.close();
        }
        self.hyperepochs.iter().for_each(Hyperepoch::drain);
        self.time.ring();
        // Workers in a pause would never leave.
        self.halt.fetch_and(!PAUSED, Ordering::AcqRel);
        self.event_queue.resume();
        self.event_queue.poke();
    }

    /// Whether no further frame begins.
    fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Whether workers leave at once.
    fn is_closed(&self) -> bool {
        self.halt.load(Ordering::Acquire) & OVER != 0
    }

    /// Events taken out of the queue so far.
    fn events(&self) -> u64 {
        self.events.load(Ordering::Acquire)
    }

    /// Whether an event came since there were so many.
    fn has_events_since(&self, events: u64) -> bool {
        self.event_queue.has_events() || self.events() != events
    }

    /// Whether no event is on its way.
    fn nothing_comes(&self) -> bool {
        !self.event_queue.has_events() && self.time.outside.load(Ordering::Acquire) == 0
    }

    /// Logs how the frames went.
    fn report(&self) {
        for hyperepoch in &self.hyperepochs {
            for epoch in &hyperepoch.epochs {
                let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
                let (admitted, late) = (count(&epoch.admitted), count(&epoch.overruns));
                tracing::info!(
                    "epoch `{}.{}`: {admitted} frames, {late} ended late, {} were skipped",
                    hyperepoch.name,
                    epoch.name,
                    count(&epoch.skipped)
                );
            }
            for lane in hyperepoch.lanes.iter().filter(|lane| lane.has_worker) {
                let passed_over = lane.passed_over.load(Ordering::Relaxed);
                let missing = lane.missing.load(Ordering::Relaxed);
                if passed_over + missing > 0 {
                    tracing::info!(
                        "{}: {passed_over} executions were passed over because the entity was not \
                         ready, {missing} because there was none",
                        lane.engine
                    );
                }
            }
        }
    }
}

/// Where the worker of an engine runs: on the core of a CPU, if there is one.
fn placement(engine: &str) -> Placement {
    let name = engine.rsplit_once('.').map_or(engine, |(_, name)| name);
    let core = name.strip_prefix("CPU").and_then(|number| number.parse::<u32>().ok());
    let allowed = rustix::thread::sched_getaffinity(None).ok();
    let exists = |core: &u32| {
        let core = *core as usize;
        core < rustix::thread::CpuSet::MAX_CPU
            && allowed.as_ref().is_some_and(|allowed| allowed.is_set(core))
    };
    Placement { cores: core.filter(exists).into_iter().collect(), policy: None }
}
