//! The engine with workers: what the multi-thread and the event-based scheduler run on.
//!
//! # Who does what
//!
//! Every entity has a [`JobState`](crate::schedule::job::JobState): at rest, or the responsibility of exactly one worker.
//! Each worker (`worker.rs`) has a queue of its own. Whom a tick wakes goes into the worker's own
//! queue, the last one into a slot that is taken next, while the message is in the worker's cache.
//! A worker without work steals from others; one that finds nothing goes to sleep (`idle.rs`).
//!
//! Waking a thread costs a hundred times what a small tick costs. So a worker calls for help only
//! when what lies in its queue is worth it: number of entities times what its ticks cost lately.
//! Against a tick that suddenly takes long there is the *keeper*: one of the sleeping workers, the
//! one that waits for timers and events from outside, looks every millisecond whether a queue of
//! a working thread stands still, and takes it over.
//!
//! An entity that is pinned has a worker of its own, its *home*, and runs nowhere else. Others ring
//! at the home (`doorbell.rs`, modelled with loom), which listens for some microseconds before it sleeps,
//! so that a message crosses threads without the operating system.
//!
//! # The end
//!
//! A worker that finds the run over writes down why (the first reason counts), raises `stopping`,
//! and wakes everybody; each leaves after the execution it is in. The reasons are those of the
//! greedy engine:
//!
//! 1. No entity is left: seen by whoever retires the last one.
//! 2. Deadlock: all workers sleep, no home is called, the mailbox is empty, no timer is set, and no
//!    entity waits for an event. That is exact, because work is always either in a queue whose
//!    worker is awake, or announced in one of these places; and "all sleep" is counted under the
//!    lock under which a worker that leaves sleep is counted out.
//! 3. The maximum duration is over: seen when a worker looks at the time, or by the keeper.
//! 4. Interrupt: the mailbox says stop. Workers look into it between executions; the keeper sleeps
//!    on it, so an interrupt before, during or after its look is seen.
//! 5. An execution fails.
//!
//! A panic of a worker, which would be a mistake of this engine, ends the run as a failure, too:
//! its guard does the same steps. Whoever runs the pool joins all workers and stops the entities
//! afterwards.

mod doorbell;
mod idle;
mod worker;

use crate::entity::runner::Runner;
use crate::error::{Error, Result};
use crate::lifecycle::Errand;
use crate::plugin::component::Interface;
use crate::schedule::greedy::End;
use crate::schedule::mailbox::Mailbox;
use crate::schedule::roster::Roster;
use crate::schedule::settings::{Pinning, PoolSettings};
use crate::schedule::thread;
use crate::schedule::timers::Timers;
use crossbeam_deque::{Stealer, Worker as Queue};
use doorbell::Doorbell;
use gxf_plugin_abi::{ConditionType, ResultCode};
use idle::Central;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// No worker in particular.
const NOWHERE: u32 = u32::MAX;

/// What all workers share.
struct Pool {
    settings: PoolSettings,
    clock: Interface<gxf::Clock>,
    mailbox: Arc<Mailbox>,
    roster: Arc<Roster>,
    /// Entities that run only on a worker of their own; that worker's index is the place in here
    /// plus `settings.workers`.
    pinned: Vec<Pinning>,
    workers: Vec<Seat>,
    timers: Timers,
    central: Mutex<Central>,
    /// Workers that sleep and can be called for help, for a look without the lock.
    sleepers: AtomicUsize,
    stopping: AtomicBool,
    /// Entities that will never run again.
    gone: AtomicUsize,
    waiting_for_events: AtomicUsize,
    /// When the terms that must be polled are due.
    next_poll: AtomicI64,
    /// The clock's time after which the run is over.
    end_of_time: i64,
    /// The same in real time, for the scheduler that measures that.
    wall_end: Option<Instant>,
}

/// What others see of a worker.
struct Seat {
    stealer: Stealer<u32>,
    /// Looks at the time so far, for the keeper: a queue whose worker makes progress is left alone.
    progress: AtomicUsize,
    /// What the worker's ticks cost lately, in nanoseconds.
    cost: AtomicU64,
    /// Rung when the pinned entity of this worker is to be looked at.
    bell: Doorbell,
}

/// Runs the entities of a roster until one of the ends; the calling thread is one of the workers.
pub(crate) fn run(
    roster: Arc<Roster>,
    settings: PoolSettings,
    pinned: Vec<Pinning>,
    clock: Interface<gxf::Clock>,
    mailbox: Arc<Mailbox>,
) -> Result<End> {
    let (runners, _) = roster.begin_run();
    for runner in &runners {
        runner.job.reset();
        runner.target.clear();
        runner.condition.store(ConditionType::READY.0, Ordering::Relaxed);
    }
    if runners.is_empty() {
        return Ok(End::Finished);
    }
    let count = settings.workers + pinned.len();
    let queues: Vec<Queue<u32>> = (0..count).map(|_| Queue::new_fifo()).collect();
    let home_of = |number: u32| pinned.iter().any(|pinning| pinning.number == number);
    let mut place = 0;
    for runner in &runners {
        runner.job.wake();
        if !home_of(runner.number) {
            queues[place % settings.workers].push(runner.number);
            place += 1;
        }
    }
    let seats = queues.iter().enumerate().map(|(index, queue)| Seat {
        stealer: queue.stealer(),
        progress: AtomicUsize::new(0),
        cost: AtomicU64::new(worker::UNKNOWN_COST),
        bell: Doorbell::new(index >= settings.workers),
    });
    let now = clock.timestamp();
    let duration = settings.max_duration;
    let wall_duration = duration.filter(|_| settings.wall_time);
    let wall_end = wall_duration.and_then(|duration| {
        Instant::now().checked_add(std::time::Duration::from_nanos(duration.max(0).unsigned_abs()))
    });
    let pool = Pool {
        end_of_time: match duration {
            Some(duration) if !settings.wall_time => now.saturating_add(duration),
            _ => i64::MAX,
        },
        wall_end,
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
        mailbox,
        roster,
        pinned,
    };
    pool.work(queues)
}

impl Pool {
    /// Starts all workers but the first, is the first, and waits for the others.
    fn work(&self, queues: Vec<Queue<u32>>) -> Result<End> {
        std::thread::scope(|scope| {
            let errand = Errand::of_this_thread();
            let mut queues = queues.into_iter().enumerate();
            let Some((first, first_queue)) = queues.next() else { return };
            for (index, queue) in queues {
                let name = match index.checked_sub(self.settings.workers) {
                    Some(pinned) => format!("{}-pin-{pinned}", self.settings.thread_name),
                    None => format!("{}-{index}", self.settings.thread_name),
                };
                let worker =
                    std::thread::Builder::new().name(name).spawn_scoped(scope, move || {
                        let _inside = errand.map(Errand::begin);
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
                "the workers of the scheduler left without a reason",
            ))
        })
    }

    fn run_worker(&self, index: usize, queue: Queue<u32>) {
        /// Ends the run when the worker panics, so that nobody waits for it.
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
        self.workers[index].bell.move_in();
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
            seat.bell.wake();
        }
        self.mailbox.poke();
        // Workers that stay in a pause would never leave.
        self.mailbox.resume();
    }

    /// The worker an entity is pinned to; [`NOWHERE`] for any.
    fn home_of(&self, number: u32) -> u32 {
        let place = self.pinned.iter().position(|pinning| pinning.number == number);
        place.and_then(|place| u32::try_from(place + self.settings.workers).ok()).unwrap_or(NOWHERE)
    }

    /// Tells the home of a pinned entity to look at it.
    fn call(&self, home: u32) {
        if self.workers[home as usize].bell.ring() {
            self.mailbox.poke();
        }
    }

    /// An entity will never run again.
    fn gone(&self, runner: &Runner) {
        tracing::debug!("entity `{}` ended", runner.entity.name());
        runner.job.leave();
        let gone = self.gone.fetch_add(1, Ordering::AcqRel) + 1;
        if gone >= self.roster.in_run() {
            self.finish(Ok(End::Finished));
        }
        // A number with a home keeps it for the whole run.
        if self.home_of(runner.number) == NOWHERE {
            self.roster.gone(runner.number);
        }
    }
}

impl Seat {
    /// Nanoseconds of work in the worker's queue; at least 1 when there is any.
    fn work(&self) -> u64 {
        self.stealer.len() as u64 * self.cost.load(Ordering::Relaxed).max(1)
    }
}
