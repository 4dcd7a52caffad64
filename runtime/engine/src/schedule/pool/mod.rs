//! The engine with workers, for the multi-thread and the event-based scheduler.
//!
//! # Who does what
//!
//! Every entity has a [`RunState`](gxf_sync::run_state::RunState): at rest, or owned by exactly one
//! worker. Each worker (`worker.rs`) has its own queue. Entities that a tick wakes go into the
//! worker's own queue; the last one goes into a slot that is taken next, while the message is in
//! the worker's cache. A worker without work steals from others; if there is nothing to steal, it
//! sleeps (`idle.rs`).
//!
//! Waking a thread costs a hundred times as much as a small tick. So a worker calls for help only
//! if the work in its queue is worth it: number of entities times the recent cost of its ticks.
//! Against a tick that suddenly takes long there is the *driver*: the sleeping worker that waits
//! for timers and external events also checks every millisecond whether a working thread's queue
//! makes progress, and empties it if not.
//!
//! A pinned entity has a worker of its own and runs nowhere else. Others notify that worker's
//! parker (modelled with loom). The worker spins for some microseconds before it parks, so that a
//! message crosses threads without the operating system.
//!
//! Workers form *sets*: the scheduler's own, and one for each thread pool of an entity group, if
//! the scheduler uses these. Workers steal only within their set. An entity that a worker of
//! another set wakes goes into the injector of its own set; the waker then wakes a sleeping member,
//! under the lock under which members check the injector before they sleep.
//!
//! # The end
//!
//! A worker that finds the run over records why (the first reason counts), sets `stopping`, and
//! wakes all others; each leaves after its current execution. The reasons are those of the greedy
//! engine:
//!
//! 1. No entity is left: the worker that retires the last one notices.
//! 2. Deadlock: all workers sleep, no pinned worker is notified, the event queue is empty, no timer
//!    is set, and no entity waits for an event. This is exact, because work is always either in a
//!    queue whose worker is awake, or announced in one of these places; and "all sleep" is counted
//!    under the lock under which a worker that wakes up is subtracted.
//! 3. The maximum duration has passed: a worker that reads the time notices, or the driver.
//! 4. Interrupt: the event queue says stop. Workers check it between executions; the driver sleeps
//!    on it, so an interrupt before, during or after its check is seen.
//! 5. An execution fails.
//!
//! A panic of a worker, which would be a bug in this engine, also ends the run as a failure: its
//! guard takes the same steps. The pool's caller joins all workers and stops the entities
//! afterwards.

mod idle;
mod worker;

use crate::entity::runner::Runner;
use crate::schedule::engine::{End, Engine, Environment, StatusRow};
use crate::schedule::pace::Pace;
use crate::schedule::polling::Polling;
use crate::schedule::runners::Runners;
use crate::schedule::scope::Scope;
use crate::schedule::settings::{PoolSettings, thread_pool};
use crate::schedule::thread::{self, Pinning, Placement, ThreadPoolMembers};
use crossbeam_deque::{Injector, Stealer, Worker as Queue};
use gxf_app::error::{Error, Result};
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ConditionType, ResultCode};
use gxf_sync::event_queue::EventQueue;
use gxf_sync::parker::Parker;
use gxf_sync::timers::Timers;
use idle::Central;
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Where an entity runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Affinity {
    /// On any worker of this set.
    Set(u32),
    /// On this worker.
    Worker(u32),
}

impl Affinity {
    /// Where entities run that ask for nothing.
    const ANYWHERE: Self = Self::Set(0);
}

/// Workers that share their entities.
struct WorkerSet {
    /// Entities that others woke.
    injector: Injector<u32>,
    /// Where their threads run.
    placement: Placement,
}

/// State that all workers share.
struct Pool {
    settings: PoolSettings,
    pace: Pace,
    event_queue: Arc<EventQueue>,
    runners: Arc<Runners>,
    /// The scheduler's own workers, then those of thread pools.
    sets: Vec<WorkerSet>,
    /// Whether workers look into the injectors: some worker leaves entities to another set.
    uses_injectors: bool,
    /// By index: the entities that do not run anywhere.
    affinities: FxHashMap<u32, Affinity>,
    workers: Vec<Seat>,
    timers: Timers<Runner>,
    central: Mutex<Central>,
    /// The driver has moved the clock.
    jumped: Condvar,
    /// Number of sleeping workers that can be woken to help, readable without the lock.
    sleepers: AtomicUsize,
    stopping: AtomicBool,
    /// Number of entities that never run again.
    gone: AtomicUsize,
    waiting_for_events: AtomicUsize,
    polling: Polling,
    /// The clock's time after which the run is over.
    end_of_time: i64,
}

/// The workers of a pool that is being made.
#[derive(Default)]
struct WorkersBuilder {
    sets: Vec<WorkerSet>,
    affinities: FxHashMap<u32, Affinity>,
    seats: Vec<Seat>,
    queues: Vec<Queue<u32>>,
}

impl WorkersBuilder {
    fn add_set(&mut self, name: &str, size: usize, placement: Placement) {
        let set = as_u32(self.sets.len());
        self.sets.push(WorkerSet { injector: Injector::new(), placement });
        for number in 0..size {
            self.add_worker(format!("{name}-{number}"), Some(set), None);
        }
    }

    fn add_worker(&mut self, name: String, set: Option<u32>, pinned: Option<Pinning>) {
        let queue = Queue::new_fifo();
        self.seats.push(Seat {
            set,
            name,
            stealer: queue.stealer(),
            progress: AtomicUsize::new(0),
            cost: AtomicU64::new(worker::UNKNOWN_COST),
            parker: Parker::new(pinned.is_some()),
            pinned,
        });
        self.queues.push(queue);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "there are at most some thousand workers")]
fn as_u32(place: usize) -> u32 {
    place as u32
}

/// The shared part of a worker. On cache lines of its own, in pairs as processors fetch them: its
/// worker writes here while others wait for a change of theirs.
#[repr(align(128))]
struct Seat {
    /// The set whose entities the worker executes; none if it executes only the pinned one.
    set: Option<u32>,
    /// The entity that runs here and nowhere else.
    pinned: Option<Pinning>,
    /// Name of the thread.
    name: String,
    stealer: Stealer<u32>,
    /// Number of time checks so far, for the driver: it leaves the queue of a worker that makes
    /// progress alone.
    progress: AtomicUsize,
    /// Recent cost of the worker's ticks, in nanoseconds.
    cost: AtomicU64,
    /// Wakes the worker when its pinned entity must be checked.
    parker: Parker,
}

/// The engine with workers.
struct PoolEngine {
    environment: Environment,
    pool: Pool,
    /// The queues of the workers, until these run.
    queues: Mutex<Vec<Queue<u32>>>,
}

/// The engine of a `MultiThreadScheduler`.
///
/// # Errors
/// `PARAMETER_OUT_OF_RANGE` for an impossible number of workers.
pub fn start_multi_thread(
    scheduler: &Arc<Component>,
    environment: Environment,
) -> Result<Arc<dyn Engine>> {
    start(
        scheduler.native().map(|scheduler| PoolSettings::of_multi_thread(&scheduler)),
        environment,
    )
}

/// The engine of an `EventBasedScheduler`.
///
/// # Errors
/// `PARAMETER_OUT_OF_RANGE` for an impossible number of workers.
pub fn start_event_based(
    scheduler: &Arc<Component>,
    environment: Environment,
) -> Result<Arc<dyn Engine>> {
    start(scheduler.native().map(|scheduler| PoolSettings::of_event_based(&scheduler)), environment)
}

fn start(
    settings: Option<Result<PoolSettings>>,
    environment: Environment,
) -> Result<Arc<dyn Engine>> {
    let settings = settings.unwrap_or_else(|| {
        Err(Error::new(ResultCode::ARGUMENT_INVALID, "the scheduler is of another type"))
    })?;
    let (pool, queues) = Pool::new(&environment, settings)?;
    Ok(Arc::new(PoolEngine { environment, pool, queues: Mutex::new(queues) }))
}

impl Engine for PoolEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn thread_name(&self) -> String {
        self.pool.workers[0].name.clone()
    }

    fn run(&self) -> Result<End> {
        if self.pool.runners.in_run() == 0 {
            return Ok(End::Finished);
        }
        let queues = std::mem::take(&mut *self.queues.lock());
        self.pool.work(queues)
    }

    fn rows(&self) -> Vec<StatusRow> {
        let row = |seat: &Seat| StatusRow {
            name: seat.name.clone(),
            values: vec![
                ("queued", seat.stealer.len() as u64),
                ("tick_cost_ns", seat.cost.load(Ordering::Relaxed)),
            ],
        };
        self.pool.workers.iter().map(row).collect()
    }
}

impl Pool {
    /// The pool for the entities that are active now, and the queues of its workers.
    fn new(environment: &Environment, settings: PoolSettings) -> Result<(Self, Vec<Queue<u32>>)> {
        let Environment { runners, event_queue, threads, .. } = environment.clone();
        let pace = environment.pace();
        let mut builder = WorkersBuilder::default();
        builder.add_set(&settings.thread_name, settings.workers, settings.placement.clone());
        for (place, pinning) in threads.pinned.into_iter().enumerate() {
            builder
                .affinities
                .insert(pinning.number, Affinity::Worker(as_u32(builder.seats.len())));
            // Linux keeps 15 bytes.
            let name = format!("gxe-pin-{place}");
            let set = (!settings.strict_pinning).then_some(0);
            builder.add_worker(name, set, Some(pinning));
        }
        let uses_injectors = settings.strict_pinning && builder.seats.len() > settings.workers;
        for ThreadPoolMembers { pool, members } in threads.pools {
            if settings.one_pool {
                break;
            }
            let (size, placement) = thread_pool(&pool)?;
            let set = builder.sets.len();
            builder.add_set(pool.component().label(), size, placement);
            let affinity = |number: u32| (number, Affinity::Set(as_u32(set)));
            builder.affinities.extend(members.into_iter().map(affinity));
        }
        let WorkersBuilder { sets, affinities, seats, queues } = builder;
        let (first, _) = runners.begin_run();
        let mut place = 0;
        for runner in &first {
            runner.run_state.reset();
            runner.target.clear();
            runner.condition.store(ConditionType::READY.0, Ordering::Relaxed);
            runner.run_state.wake();
            match affinities.get(&runner.number) {
                None => {
                    queues[place % settings.workers].push(runner.number);
                    place += 1;
                }
                Some(Affinity::Set(set)) => sets[*set as usize].injector.push(runner.number),
                // Its worker has been notified.
                Some(Affinity::Worker(_)) => {}
            }
        }
        let now = pace.now();
        let duration = settings.max_duration;
        let pool = Self {
            end_of_time: duration.map_or(i64::MAX, |duration| now.saturating_add(duration)),
            uses_injectors: uses_injectors || sets.len() > 1,
            workers: seats,
            sets,
            affinities,
            timers: Timers::new(),
            central: Mutex::new(Central::new(now)),
            jumped: Condvar::new(),
            sleepers: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            gone: AtomicUsize::new(0),
            waiting_for_events: AtomicUsize::new(0),
            polling: Polling::every(settings.recession_period.max(1)),
            settings,
            pace,
            event_queue,
            runners,
        };
        Ok((pool, queues))
    }

    /// Starts all workers but the first, acts as the first, and waits for the others.
    fn work(&self, queues: Vec<Queue<u32>>) -> Result<End> {
        std::thread::scope(|scope| {
            let work = Scope::of_this_thread();
            let mut queues = queues.into_iter().enumerate();
            let Some((first, first_queue)) = queues.next() else { return };
            for (index, queue) in queues {
                let name = self.workers[index].name.clone();
                let worker =
                    std::thread::Builder::new().name(name).spawn_scoped(scope, move || {
                        let _entered = work.map(Scope::enter);
                        thread::place(self.placement(index));
                        self.run_worker(index, queue);
                    });
                if let Err(error) = worker {
                    self.finish(Err(Error::new(
                        ResultCode::FAILURE,
                        "a worker thread of the scheduler cannot be started",
                    )
                    .caused_by(error)));
                    break;
                }
            }
            thread::place(self.placement(first));
            self.run_worker(first, first_queue);
        });
        self.central.lock().outcome.take("workers")
    }

    /// Where the thread of a worker runs.
    fn placement(&self, index: usize) -> &Placement {
        let seat = &self.workers[index];
        match &seat.pinned {
            Some(pinning) => &pinning.placement,
            None => &self.sets[seat.set.unwrap_or(0) as usize].placement,
        }
    }

    fn run_worker(&self, index: usize, queue: Queue<u32>) {
        /// Ends the run if the worker panics, so that nothing waits for it.
        struct Guard<'a>(&'a Pool);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    let text = "a worker thread of the scheduler panicked";
                    self.0.finish(Err(Error::new(ResultCode::FAILURE, text)));
                }
            }
        }
        let _guard = Guard(self);
        self.workers[index].parker.bind_to_this_thread();
        worker::Worker::new(self, index, queue).run();
    }

    /// Ends the run; the first reason counts.
    fn finish(&self, outcome: Result<End>) {
        let mut central = self.central.lock();
        self.finish_locked(&mut central, outcome);
    }

    fn finish_locked(&self, central: &mut Central, outcome: Result<End>) {
        central.outcome.note(outcome);
        self.stopping.store(true, Ordering::SeqCst);
        central.sleeping.clear();
        self.sleepers.store(0, Ordering::Relaxed);
        for seat in &self.workers {
            seat.parker.wake();
        }
        self.event_queue.poke();
        // Workers in a pause would never leave.
        self.event_queue.resume();
    }

    /// Where an entity runs.
    fn affinity_of(&self, number: u32) -> Affinity {
        self.affinities.get(&number).copied().unwrap_or(Affinity::ANYWHERE)
    }

    /// Tells a pinned entity's worker to check it.
    fn call(&self, worker: u32) {
        if self.workers[worker as usize].parker.notify() {
            self.event_queue.poke();
        }
    }

    /// Leaves an entity to a set.
    #[cold]
    fn inject(&self, set: u32, number: u32) {
        self.sets[set as usize].injector.push(number);
        self.call_help(set);
    }

    /// Notes that an entity never runs again.
    fn gone(&self, runner: &Runner) {
        tracing::debug!("entity `{}` ended", runner.entity.name());
        runner.run_state.leave();
        let gone = self.gone.fetch_add(1, Ordering::AcqRel) + 1;
        if gone >= self.runners.in_run() {
            self.finish(Ok(End::Finished));
        }
        // An index that runs in a certain place keeps that for the whole run.
        if !self.affinities.contains_key(&runner.number) {
            self.runners.gone(runner.number);
        }
    }
}

impl Seat {
    /// Nanoseconds of work in the worker's queue; at least 1 if there is any.
    fn work(&self) -> u64 {
        self.stealer.len() as u64 * self.cost.load(Ordering::Relaxed).max(1)
    }
}
