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
//! # Changes of schedule
//!
//! A schedule that is bound to entities is a program (`program.rs`). Another one can follow it while
//! the run goes on (`swap.rs`): at once for all hyperepochs, or one by one.
//!
//! `bind.rs` finds the entities of a schedule, `time.rs` waits, `log.rs` and
//! `entries.rs` keep what happened.

mod bind;
mod entries;
mod hyperepoch;
mod log;
mod program;
mod quiet;
mod submit;
mod swap;
mod time;
mod work;
mod worker;

use crate::entity::runner::Runner;
use crate::schedule::engine::{End, Engine, Environment, ScheduleSwap, StatusRow};
use crate::schedule::runners::Runners;
use crate::schedule::scope::Scope;
use crate::schedule::settings::{StaticSettings, named_file};
use crate::schedule::thread::{self, Placement};
use crate::standard::scheduler::StaticScheduler;
use entries::Ring;
use gxf_app::error::{Error, Result};
use gxf_plugin::component::{Component, Native};
use gxf_plugin_abi::ResultCode;
use gxf_stm::plan::Plan;
use gxf_sync::event_queue::{EventQueue, Woken};
use hyperepoch::{Event, Hyperepoch};
use log::RunLog;
use parking_lot::{Condvar, Mutex};
pub use program::check;
use program::{Program, read_parameter};
use quiet::Quiet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::time::Duration;
use swap::{Place, Stage};
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
    stage: Mutex<Stage>,
    /// What workers look at before each execution; see [`PAUSED`].
    halt: AtomicU32,
    /// No further frame begins.
    ending: AtomicBool,
    outcome: Mutex<Option<Result<End>>>,
    /// Events that were taken out of the queue.
    events: AtomicU64,
    /// Whether the engine's thread is taking some, which workers do not know of yet.
    is_taking: AtomicBool,
    /// Workers that have not left, and who waits for them.
    workers: AtomicUsize,
    left: Mutex<()>,
    worker_left: Condvar,
    /// The clock's time after which no frame starts.
    end_of_time: i64,
    log: Option<RunLog>,
}

/// The engine.
struct StaticEngine {
    environment: Environment,
    scheduler: Arc<Component>,
    shared: Shared,
}

/// The engine of a `StaticScheduler`.
///
/// # Errors
/// The schedule cannot be read or executed, or does not fit the graph.
pub fn start(scheduler: &Arc<Component>, environment: Environment) -> Result<Arc<dyn Engine>> {
    let typed: Native<StaticScheduler> = scheduler.native().ok_or_else(|| {
        Error::new(ResultCode::ARGUMENT_INVALID, "the scheduler is of another type")
    })?;
    let settings = StaticSettings::of(&typed);
    let plan = read_parameter(&settings.schedule, scheduler)?;
    let shared = Shared::new(&environment, settings, plan, scheduler)?;
    Ok(Arc::new(StaticEngine { environment, scheduler: scheduler.clone(), shared }))
}

impl Engine for StaticEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn bounds_device_work(&self) -> bool {
        true
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

    fn swap_schedule(&self, swap: &ScheduleSwap) -> Result<()> {
        self.shared.swap(swap, &self.scheduler)
    }

    fn rows(&self) -> Vec<StatusRow> {
        let mut rows = Vec::new();
        let mut parts = self.shared.running();
        if parts.is_empty() {
            // The first program is about to begin.
            let program = self.shared.stage.lock().programs.first().cloned();
            parts.extend(program.into_iter().flat_map(Program::parts));
        }
        for part in parts {
            let hyperepoch = part.hyperepoch();
            let sum = |count: fn(&hyperepoch::Epoch) -> &AtomicU64| {
                hyperepoch.epochs.iter().map(|epoch| count(epoch).load(Ordering::Relaxed)).sum()
            };
            let frames: u64 = sum(|epoch| &epoch.counts.ended);
            let overruns: u64 = sum(|epoch| &epoch.counts.overruns);
            let skipped: u64 = sum(|epoch| &epoch.counts.skipped);
            let workers = hyperepoch.lanes.iter().filter(|lane| lane.has_worker);
            rows.extend(workers.map(|lane| StatusRow {
                name: worker_name(&lane.engine),
                values: vec![
                    ("schedule", u64::from(part.program.identifier)),
                    ("executed", lane.executed.load(Ordering::Relaxed)),
                    ("passed_over", lane.passed_over.load(Ordering::Relaxed)),
                    ("missing", lane.missing.load(Ordering::Relaxed)),
                    ("frames", frames),
                    ("overruns", overruns),
                    ("skipped_frames", skipped),
                ],
            }));
        }
        rows
    }
}

fn worker_name(engine: &str) -> String {
    format!("{THREAD_NAME}-{engine}")
}

impl Shared {
    fn new(
        environment: &Environment,
        settings: StaticSettings,
        plan: Plan,
        scheduler: &Component,
    ) -> Result<Self> {
        let Environment { runners, event_queue, .. } = environment.clone();
        let entities = runners.all();
        let log = settings.log.as_ref();
        let new_log = |(path, limit): &(PathBuf, usize)| {
            let schedule = named_file(scheduler, "schedule", &settings.schedule);
            let is_schedule = |log: PathBuf| schedule.canonicalize().is_ok_and(|it| it == log);
            if path.canonicalize().is_ok_and(is_schedule) {
                let text = format!(
                    "`log` and `schedule` are both `{}`; the log would replace the schedule",
                    path.display()
                );
                return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
            }
            RunLog::new(path, *limit)
        };
        let log = log.map(new_log).transpose()?;
        let program = Program::new(plan, &settings, &entities, scheduler, log.as_ref(), true)?;
        let workers = program.engines().count();
        if workers > MOST_WORKERS {
            return Err(swap::too_many(workers));
        }
        let duration = settings.max_duration;
        let begin = environment.clock.timestamp();
        let shared = Self {
            log,
            end_of_time: duration.map_or(i64::MAX, |duration| begin.saturating_add(duration)),
            settings,
            runners,
            event_queue,
            time: Time::new(environment.pace()),
            quiet: Quiet::new(program.hyperepochs.len()),
            stage: Mutex::new(Stage::of(program)),
            halt: AtomicU32::new(0),
            ending: AtomicBool::new(false),
            outcome: Mutex::default(),
            events: AtomicU64::new(0),
            is_taking: AtomicBool::new(false),
            workers: AtomicUsize::new(0),
            left: Mutex::new(()),
            worker_left: Condvar::new(),
        };
        shared.bind(&entities)?;
        Ok(shared)
    }

    /// Finds the entities and completions of all programs by their names.
    fn bind(&self, entities: &[Arc<Runner>]) -> Result<()> {
        let programs = self.stage.lock().programs.clone();
        let mut vanished: Vec<Arc<Runner>> = Vec::new();
        for program in programs {
            let left = program.bind(entities, &self.halt)?;
            let is_new =
                |runner: &Arc<Runner>| !vanished.iter().any(|known| Arc::ptr_eq(known, runner));
            let left: Vec<_> = left.into_iter().filter(is_new).collect();
            vanished.extend(left);
        }
        vanished.iter().for_each(|runner| self.runners.gone(runner.number));
        Ok(())
    }

    /// An entity never runs again.
    fn gone(&self, gone: &Arc<Runner>) {
        let (mut is_new, mut is_last) = (false, true);
        {
            let stage = self.stage.lock();
            for program in &stage.programs {
                let (new, last) = program.gone(gone);
                is_new |= new;
                is_last &= last;
            }
        }
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
        if self.settings.max_duration.is_some_and(|duration| duration <= 0) {
            self.finish(Ok(End::Timeout));
        }
        self.start_entities(&entities)?;
        std::thread::scope(|scope| {
            if self.begin_program(scope) {
                self.drive(known, scope);
            }
        });
        for part in self.running() {
            if let Some(log) = &self.log {
                log.hyperepoch_over(part.hyperepoch());
            }
            self.report(part.hyperepoch());
        }
        let outcome = self.outcome.lock().take().unwrap_or(Ok(End::Interrupted));
        match (&self.log, &self.settings.log) {
            (Some(log), Some((path, _))) => {
                let written = log.write(path);
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
        for runner in entities.iter().filter(|runner| !runner.status().is_started()) {
            if self.is_ending() {
                break;
            }
            runner.execute(now, &mut NoWake)?;
        }
        Ok(())
    }

    /// Starts a worker.
    fn spawn<'scope>(
        &'scope self,
        scope: &'scope std::thread::Scope<'scope, '_>,
        place: Place,
        index: usize,
    ) -> std::io::Result<()> {
        let work = Scope::of_this_thread();
        let name = worker_name(&place.engine);
        self.workers.fetch_add(1, Ordering::AcqRel);
        self.time.join(index + 1);
        let run = move || {
            let _entered = work.map(Scope::enter);
            thread::place(&placement(&place.engine));
            self.run_worker(&place, index);
        };
        let spawned = std::thread::Builder::new().name(name).spawn_scoped(scope, run);
        spawned.map(drop).inspect_err(|_| {
            self.time.leave();
            self.workers.fetch_sub(1, Ordering::AcqRel);
        })
    }

    /// Executes what a seat is given, one after the other.
    fn run_worker(&self, place: &Place, index: usize) {
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
        let mut log = self.log.as_ref().map(|log| Ring::new(log.limit));
        for number in 1.. {
            if !self.time.wait_for(index, place.seat.given(), number) {
                break;
            }
            let Some(job) = place.seat.take() else { break };
            worker::Worker::new(self, &job, index, log.as_mut()).run();
            if self.is_closed() {
                break;
            }
        }
        if let (Some(log), Some(ring)) = (&self.log, log) {
            log.worker_left(&place.engine, ring);
        }
    }

    /// Waits for what comes from others, until every worker has left.
    fn drive<'scope>(&'scope self, known: u64, scope: &'scope std::thread::Scope<'scope, '_>) {
        let mut known = (known, self.runners.left());
        while self.workers.load(Ordering::Acquire) > 0 {
            let mut is_event = false;
            if self.is_ending() {
                self.wait_for_workers();
            } else {
                let woken = self.event_queue.wait(self.alarm());
                is_event = woken != Woken::Timeout || self.event_queue.has_events();
                self.is_taking.store(is_event, Ordering::Relaxed);
                // Whoever sees the queue empty sees this, too.
                fence(Ordering::Release);
                // Sits a pause out. What comes after the look is left to the next one: taken here, it
                // would wake nobody.
                if is_event && self.event_queue.collect(|_| ()) {
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
            self.begin_change(scope);
            self.poll_works();
            if is_event {
                self.events.fetch_add(1, Ordering::AcqRel);
                self.quiet.event();
                self.is_taking.store(false, Ordering::Release);
                self.time.ring();
                self.running().iter().for_each(|part| part.hyperepoch().wake(self));
            }
        }
    }

    /// The longest time without an event.
    fn alarm(&self) -> Option<Duration> {
        let end = (self.end_of_time != i64::MAX)
            .then(|| self.time.pace().real_time_until(self.end_of_time.saturating_add(1)))
            .flatten();
        let has_work = self.running().iter().any(|part| !part.hyperepoch().works.is_empty());
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
        for part in self.running() {
            for work in &part.hyperepoch().works {
                self.heed(work.poll_surely(self, part.hyperepoch()));
            }
        }
    }

    /// Does what something comes to. False if workers must leave.
    fn heed(&self, outcome: Result<Option<Event>>) -> bool {
        match outcome {
            Ok(None) => {}
            Ok(Some(Event::Over { index, start })) => self.part_over(index, start),
            Ok(Some(Event::End(end))) => self.finish(Ok(end)),
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
        let running: Vec<_> = {
            let mut stage = self.stage.lock();
            stage.is_ending = true;
            self.ending.store(true, Ordering::Release);
            stage.workers.iter().for_each(|worker| worker.seat.close());
            stage.running.iter().flatten().cloned().collect()
        };
        if failed {
            self.halt.fetch_or(OVER, Ordering::AcqRel);
            running.iter().for_each(|part| part.hyperepoch().close());
            self.time.close();
        }
        running.iter().for_each(|part| part.hyperepoch().drain());
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

    /// Something ran in a hyperepoch, which may be what others sleep for.
    fn wake_others(&self, than: &Hyperepoch) {
        for part in self.running() {
            if !std::ptr::eq(part.hyperepoch(), than) {
                part.hyperepoch().wake(self);
            }
        }
    }

    /// Whether an event came since there were so many.
    fn has_events_since(&self, events: u64) -> bool {
        self.event_queue.has_events() || self.events() != events
    }

    /// Whether no event is on its way.
    fn nothing_comes(&self) -> bool {
        self.event_queue.is_quiet()
            && !self.is_taking.load(Ordering::Acquire)
            && self.time.outside.load(Ordering::Acquire) == 0
    }

    /// Logs how the frames went.
    fn report(&self, hyperepoch: &Hyperepoch) {
        for epoch in &hyperepoch.epochs {
            let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
            let (ended, late) = (count(&epoch.counts.ended), count(&epoch.counts.overruns));
            tracing::info!(
                "epoch `{}.{}`: frames: {ended}, late: {late}, skipped: {}",
                hyperepoch.name,
                epoch.name,
                count(&epoch.counts.skipped)
            );
        }
        for lane in hyperepoch.lanes.iter().filter(|lane| lane.has_worker) {
            let passed_over = lane.passed_over.load(Ordering::Relaxed);
            let missing = lane.missing.load(Ordering::Relaxed);
            if passed_over + missing > 0 {
                tracing::info!(
                    "{}: executions passed over because the entity was not ready: {passed_over}, \
                     because it had ended or was absent: {missing}",
                    lane.engine
                );
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
