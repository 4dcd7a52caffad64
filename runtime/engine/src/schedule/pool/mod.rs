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
use crate::schedule::runners::Runners;
use crate::schedule::scope::Scope;
use crate::schedule::settings::PoolSettings;
use crate::schedule::thread::{self, Pinning};
use crossbeam_deque::{Stealer, Worker as Queue};
use gxf_app::error::{Error, Result};
use gxf_plugin::component::{Component, Interface};
use gxf_plugin_abi::{ConditionType, ResultCode};
use gxf_sync::event_queue::EventQueue;
use gxf_sync::parker::Parker;
use gxf_sync::timers::Timers;
use idle::Central;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

/// No particular worker.
const ANY_WORKER: u32 = u32::MAX;

/// State that all workers share.
struct Pool {
    settings: PoolSettings,
    clock: Interface<gxf::Clock>,
    moved_by_others: bool,
    event_queue: Arc<EventQueue>,
    runners: Arc<Runners>,
    /// Entities that run only on a worker of their own; that worker's index is the position in this
    /// list plus `settings.workers`.
    pinned: Vec<Pinning>,
    workers: Vec<Seat>,
    timers: Timers<Runner>,
    central: Mutex<Central>,
    /// Number of sleeping workers that can be woken, readable without the lock.
    sleepers: AtomicUsize,
    stopping: AtomicBool,
    /// Number of entities that never run again.
    gone: AtomicUsize,
    waiting_for_events: AtomicUsize,
    /// Next time for polling.
    next_poll: AtomicI64,
    /// The clock's time after which the run is over.
    end_of_time: i64,
}

/// The shared part of a worker. On cache lines of its own, in pairs as processors fetch them: its
/// worker writes here while others wait for a change of theirs.
#[repr(align(128))]
struct Seat {
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
    let (pool, queues) = Pool::new(&environment, settings);
    Ok(Arc::new(PoolEngine { environment, pool, queues: Mutex::new(queues) }))
}

impl Engine for PoolEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn thread_name(&self) -> String {
        self.pool.thread_name(0)
    }

    fn run(&self) -> Result<End> {
        if self.pool.runners.in_run() == 0 {
            return Ok(End::Finished);
        }
        let queues = std::mem::take(&mut *self.queues.lock());
        self.pool.work(queues)
    }

    fn rows(&self) -> Vec<StatusRow> {
        let row = |(index, seat): (usize, &Seat)| {
            let values = vec![
                ("queued", seat.stealer.len() as u64),
                ("tick_cost_ns", seat.cost.load(Ordering::Relaxed)),
            ];
            StatusRow { name: self.pool.thread_name(index), values }
        };
        self.pool.workers.iter().enumerate().map(row).collect()
    }
}

impl Pool {
    /// The pool for the entities that are active now, and the queues of its workers.
    fn new(environment: &Environment, settings: PoolSettings) -> (Self, Vec<Queue<u32>>) {
        let Environment { runners, clock, moved_by_others, event_queue, threads } =
            environment.clone();
        let pinned = threads.pinned;
        let (first, _) = runners.begin_run();
        for runner in &first {
            runner.run_state.reset();
            runner.target.clear();
            runner.condition.store(ConditionType::READY.0, Ordering::Relaxed);
        }
        let count = settings.workers + pinned.len();
        let queues: Vec<Queue<u32>> = (0..count).map(|_| Queue::new_fifo()).collect();
        let is_pinned = |number: u32| pinned.iter().any(|pinning| pinning.number == number);
        let mut place = 0;
        for runner in &first {
            runner.run_state.wake();
            if !is_pinned(runner.number) {
                queues[place % settings.workers].push(runner.number);
                place += 1;
            }
        }
        let seats = queues.iter().enumerate().map(|(index, queue)| Seat {
            stealer: queue.stealer(),
            progress: AtomicUsize::new(0),
            cost: AtomicU64::new(worker::UNKNOWN_COST),
            parker: Parker::new(index >= settings.workers),
        });
        let now = clock.timestamp();
        let duration = settings.max_duration;
        let pool = Self {
            end_of_time: duration.map_or(i64::MAX, |duration| now.saturating_add(duration)),
            workers: seats.collect(),
            timers: Timers::new(),
            central: Mutex::new(Central::new(now)),
            sleepers: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            gone: AtomicUsize::new(0),
            waiting_for_events: AtomicUsize::new(0),
            next_poll: AtomicI64::new(i64::MIN),
            settings,
            clock,
            moved_by_others,
            event_queue,
            runners,
            pinned,
        };
        (pool, queues)
    }

    /// Name of a worker's thread.
    fn thread_name(&self, index: usize) -> String {
        match index.checked_sub(self.settings.workers) {
            Some(pinned) => format!("{}-pin-{pinned}", self.settings.thread_name),
            None => format!("{}-{index}", self.settings.thread_name),
        }
    }

    /// Starts all workers but the first, acts as the first, and waits for the others.
    fn work(&self, queues: Vec<Queue<u32>>) -> Result<End> {
        std::thread::scope(|scope| {
            let work = Scope::of_this_thread();
            let mut queues = queues.into_iter().enumerate();
            let Some((first, first_queue)) = queues.next() else { return };
            for (index, queue) in queues {
                let name = self.thread_name(index);
                let worker =
                    std::thread::Builder::new().name(name).spawn_scoped(scope, move || {
                        let _entered = work.map(Scope::enter);
                        let pinning = index.checked_sub(self.settings.workers);
                        match pinning.map(|place| &self.pinned[place].placement) {
                            Some(placement) => thread::place(placement),
                            None => thread::place(&self.settings.placement),
                        }
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
            thread::place(&self.settings.placement);
            self.run_worker(first, first_queue);
        });
        let outcome = self.central.lock().outcome.take();
        outcome.unwrap_or_else(|| {
            Err(Error::new(
                ResultCode::FAILURE,
                "the workers of the scheduler ended without a reason",
            ))
        })
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
        match (&central.outcome, outcome) {
            (None, outcome) => central.outcome = Some(outcome),
            (Some(_), Err(error)) => {
                let error = gxf::Error::from(error);
                tracing::error!("also: {error}");
            }
            (Some(_), Ok(_)) => {}
        }
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

    /// The worker that an entity is pinned to; [`ANY_WORKER`] for any.
    fn pinned_worker(&self, number: u32) -> u32 {
        let place = self.pinned.iter().position(|pinning| pinning.number == number);
        place
            .and_then(|place| u32::try_from(place + self.settings.workers).ok())
            .unwrap_or(ANY_WORKER)
    }

    /// Tells a pinned entity's worker to check it.
    fn call(&self, worker: u32) {
        if self.workers[worker as usize].parker.notify() {
            self.event_queue.poke();
        }
    }

    /// Notes that an entity never runs again.
    fn gone(&self, runner: &Runner) {
        tracing::debug!("entity `{}` ended", runner.entity.name());
        runner.run_state.leave();
        let gone = self.gone.fetch_add(1, Ordering::AcqRel) + 1;
        if gone >= self.runners.in_run() {
            self.finish(Ok(End::Finished));
        }
        // An index with a pinned worker keeps it for the whole run.
        if self.pinned_worker(runner.number) == ANY_WORKER {
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
