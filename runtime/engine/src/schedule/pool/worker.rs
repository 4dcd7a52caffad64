//! One worker: takes entities from its slot, its queue, or others, and executes them.

use super::idle::Woken;
use super::{Affinity, Pool};
use crate::entity::port::Wake;
use crate::entity::runner::Runner;
use crate::schedule::engine::End;
use crossbeam_deque::{Injector, Steal, Stealer, Worker as Queue};
use gxf_plugin_abi::{Condition, ConditionType};
use gxf_sync::run_state::{Found, Seen};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Work in a queue, in nanoseconds, that justifies waking another worker, which costs some
/// thousands on both sides.
const WORTH_HELP: u64 = 20_000;
/// Assumed cost of a tick before one is known: high enough for others to help.
pub(super) const UNKNOWN_COST: u64 = WORTH_HELP;
/// Work, in nanoseconds, that justifies stealing by a worker that is awake anyway: small entities
/// that change threads cost more than they do.
const WORTH_STEALING: u64 = 4_000;
/// Most nanoseconds between two checks of the time and the event queue.
const LOOK_PERIOD: u64 = 2_000;
/// Most executions between them.
const LOOK_EXECUTIONS: u32 = 32;
/// Highest credible growth of the tick cost from one check to the next.
const CREDIBLE_GROWTH: u64 = 8;
/// Number of times that the slot is taken before the queue, so that two entities that keep waking
/// each other starve no others.
const SLOT_STREAK: u32 = 64;
/// How long a pinned worker spins before it parks.
const SPIN: Duration = Duration::from_micros(100);
/// Number of spins between two looks at the clock for that.
const SPINS_PER_LOOK: u32 = 256;
/// Number of spins that take less than the period between two checks of the time.
const SHORT_SPINS: u32 = 16;

pub(super) struct Worker<'a> {
    pool: &'a Pool,
    index: usize,
    /// Known runners by index; grows when an unknown index comes.
    jobs: Vec<Job>,
    local: Local<'a>,
    /// Time of the clock at the last check.
    now: i64,
    looked_at: Instant,
    /// Executions until the next check.
    until_look: u32,
    executions: u32,
    slot_streak: u32,
    /// Whether something was ready since this worker last slept.
    ran: bool,
}

struct Job {
    runner: Arc<Runner>,
    affinity: Affinity,
    /// Whether the entity stayed with its worker when this one woke it last: then this one looks
    /// before it writes.
    stays: Cell<bool>,
}

impl Job {
    fn new(runner: Arc<Runner>, pool: &Pool) -> Self {
        Self { affinity: pool.affinity_of(runner.number), runner, stays: Cell::new(false) }
    }

    /// Whether the entity is known to stay with its worker.
    #[inline]
    fn is_watched(&self) -> bool {
        self.stays.get() && (self.runner.run_state.stays() || self.no_more())
    }

    #[cold]
    fn no_more(&self) -> bool {
        self.stays.set(false);
        false
    }

    /// Tells the entity of an event; what it was then.
    #[inline]
    fn wake(&self) -> Found {
        if self.is_watched() {
            return Found::Staying;
        }
        let found = self.runner.run_state.wake();
        if found == Found::Staying {
            self.stays.set(true);
        }
        found
    }
}

/// Where a worker puts work.
struct Local<'a> {
    pool: &'a Pool,
    queue: Queue<u32>,
    /// Executed next.
    slot: Option<u32>,
    /// Index of this worker.
    index: u32,
    /// The set whose entities it executes; none if it executes only the pinned one.
    set: Option<u32>,
    /// The entity pinned here, and whether to execute it.
    pinned: Option<u32>,
    pinned_due: bool,
    /// Whether the pinned entity waits, and the worker looks at it instead of resting it.
    pinned_stays: bool,
    /// Whether the worker has looked at it for long enough, and rests it next time.
    has_looked: bool,
    /// Recent cost of a tick, in nanoseconds.
    cost: u64,
    /// Number of indices that had been reused when the worker last updated its runners.
    replaced: u64,
}

impl Local<'_> {
    /// Queues an entity that this worker owns.
    #[inline]
    fn push(&mut self, number: u32) {
        if self.pinned == Some(number) {
            self.pinned_due = true;
            return;
        }
        self.queue.push(number);
        if self.pool.sleepers.load(Ordering::Relaxed) > 0
            && self.queue.len() as u64 * self.cost > WORTH_HELP
        {
            self.pool.call_help(self.set.unwrap_or(0));
        }
    }

    /// Whether the worker may look at an entity that waits, instead of resting it: one that is pinned
    /// here, and of which a look costs little.
    #[inline]
    fn may_stay(&self, runner: &Runner) -> bool {
        self.pinned == Some(runner.number) && !self.has_looked && runner.may_be_watched()
    }

    /// Like [`Wake::wake`], for an entity that joined.
    #[cold]
    fn wake_stranger(&mut self, number: u32) {
        let wakes = |runner: Arc<Runner>| runner.run_state.wake() == Found::AtRest;
        if self.pool.runners.get(number).is_some_and(wakes) {
            self.adopt(number, self.pool.affinity_of(number));
        }
    }

    /// The same for an index whose entity left; another may have joined in its place.
    #[cold]
    fn wake_successor(&mut self, number: u32) {
        if self.pool.runners.replaced() != self.replaced {
            self.wake_stranger(number);
        }
    }

    /// An entity just left its rest and must be executed.
    #[inline]
    fn adopt(&mut self, number: u32, affinity: Affinity) {
        match affinity {
            Affinity::Set(set) if self.set == Some(set) => {
                if let Some(before) = self.slot.replace(number) {
                    self.push(before);
                }
            }
            Affinity::Set(set) => self.pool.inject(set, number),
            Affinity::Worker(worker) if worker == self.index => self.pinned_due = true,
            Affinity::Worker(worker) => self.pool.call(worker),
        }
    }
}

struct Waker<'w, 'a> {
    jobs: &'w [Job],
    local: &'w mut Local<'a>,
}

impl Wake for Waker<'_, '_> {
    #[inline]
    fn wake(&mut self, number: u32) {
        match self.jobs.get(number as usize) {
            Some(job) => match job.wake() {
                Found::AtRest => self.local.adopt(number, job.affinity),
                Found::Busy | Found::Staying => {}
                Found::Left => self.local.wake_successor(number),
            },
            None => self.local.wake_stranger(number),
        }
    }

    #[inline]
    fn is_watched(&self, number: u32) -> bool {
        self.jobs.get(number as usize).is_some_and(Job::is_watched)
    }
}

/// Adds entities that joined.
#[cold]
fn learn(jobs: &mut Vec<Job>, pool: &Pool) {
    let new = pool.runners.from(jobs.len());
    jobs.extend(new.into_iter().map(|runner| Job::new(runner, pool)));
}

/// Adds entities that joined in place of others.
#[cold]
fn learn_again(jobs: &mut Vec<Job>, local: &mut Local<'_>) {
    local.replaced = local.pool.runners.replaced();
    jobs.clear();
    learn(jobs, local.pool);
}

/// Decides what happens to an entity after an execution.
#[inline]
fn put_away(runner: &Arc<Runner>, seen: Seen, condition: Condition, local: &mut Local<'_>) {
    let pool = local.pool;
    let before = ConditionType(runner.condition.load(Ordering::Relaxed));
    let after = condition.condition_type;
    if before != after {
        runner.condition.store(after.0, Ordering::Relaxed);
        if before == ConditionType::WAIT_EVENT {
            pool.waiting_for_events.fetch_sub(1, Ordering::AcqRel);
        } else if after == ConditionType::WAIT_EVENT {
            pool.waiting_for_events.fetch_add(1, Ordering::AcqRel);
        }
    }
    if after == ConditionType::READY {
        local.has_looked = false;
        local.push(runner.number);
        return;
    }
    if after == ConditionType::WAIT_TIME {
        pool.timers.arm(runner, condition.target);
    } else {
        runner.target.clear();
    }
    if after == ConditionType::NEVER {
        // Stays busy for ever: no event reaches it any more.
        if before != ConditionType::NEVER {
            pool.gone(runner);
        }
    } else if after == ConditionType::WAIT && local.may_stay(runner) {
        runner.run_state.stay();
        local.pinned_stays = true;
    } else if !runner.run_state.rest(seen) {
        local.push(runner.number);
    }
}

impl<'a> Worker<'a> {
    pub fn new(pool: &'a Pool, index: usize, queue: Queue<u32>) -> Self {
        let replaced = pool.runners.replaced();
        let mut jobs = Vec::new();
        learn(&mut jobs, pool);
        let seat = &pool.workers[index];
        let local = Local {
            pool,
            queue,
            slot: None,
            index: super::as_u32(index),
            set: seat.set,
            pinned: seat.pinned.as_ref().map(|pinning| pinning.number),
            pinned_due: false,
            pinned_stays: false,
            has_looked: false,
            cost: UNKNOWN_COST,
            replaced,
        };
        Self {
            pool,
            index,
            jobs,
            local,
            now: pool.pace.now(),
            looked_at: Instant::now(),
            until_look: 1,
            executions: 0,
            slot_streak: 0,
            ran: false,
        }
    }

    pub fn run(&mut self) {
        while !self.pool.stopping.load(Ordering::Relaxed) {
            let Some(number) = self.next() else {
                if !self.search() {
                    return;
                }
                continue;
            };
            self.execute(number);
            self.until_look -= 1;
            if self.until_look == 0 {
                self.look();
            }
        }
    }

    /// The work that is ready at this worker.
    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.local.pinned_due || self.local.pinned_stays && self.may_pinned_tick() {
            self.local.pinned_due = false;
            self.local.pinned_stays = false;
            return self.local.pinned;
        }
        if self.slot_streak < SLOT_STREAK
            && let Some(number) = self.local.slot.take()
        {
            self.slot_streak += 1;
            return Some(number);
        }
        self.slot_streak = 0;
        self.local.queue.pop().or_else(|| self.local.slot.take())
    }

    /// Whether the pinned entity, which stays, must be executed.
    #[inline]
    fn may_pinned_tick(&self) -> bool {
        let job = self.local.pinned.and_then(|number| self.jobs.get(number as usize));
        job.is_none_or(|job| job.runner.may_tick())
    }

    #[inline]
    fn execute(&mut self, number: u32) {
        self.executions += 1;
        if number as usize >= self.jobs.len() {
            learn(&mut self.jobs, self.pool);
        }
        let Some(job) = self.jobs.get(number as usize) else { return };
        let seen = job.runner.run_state.begin();
        if seen.has_left() {
            return self.execute_successor(number);
        }
        let runner = &job.runner;
        let mut waker = Waker { jobs: &self.jobs, local: &mut self.local };
        let executed = runner.execute_and_look(self.now, &mut waker);
        match executed {
            Ok(executed) => {
                self.ran |= executed.ran;
                put_away(runner, seen, executed.condition, &mut self.local);
            }
            Err(error) => self.pool.finish(Err(error)),
        }
    }

    /// Executes an entity that joined in place of one that left.
    #[cold]
    fn execute_successor(&mut self, number: u32) {
        if self.pool.runners.replaced() != self.local.replaced {
            learn_again(&mut self.jobs, &mut self.local);
            self.execute(number);
        }
    }

    /// Checks the time, the timers and the event queue.
    fn look(&mut self) {
        let passed = self.looked_at.elapsed();
        let passed = u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX);
        let executions = u64::from(std::mem::take(&mut self.executions).max(1));
        let progress = &self.pool.workers[self.index].progress;
        progress.store(progress.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        // The last measurement weighs as much as all before, but a thread that briefly lost its
        // core must not look like long ticks.
        let lately = (passed / executions).min(self.local.cost.saturating_mul(CREDIBLE_GROWTH));
        self.local.cost = (self.local.cost + lately).div_ceil(2);
        self.pool.workers[self.index].cost.store(self.local.cost, Ordering::Relaxed);
        let fitting = LOOK_PERIOD / self.local.cost.max(1);
        self.until_look = u32::try_from(fitting).unwrap_or(u32::MAX).clamp(1, LOOK_EXECUTIONS);
        self.refresh_time();
        self.take_due();
        if self.pool.runners.replaced() != self.local.replaced {
            learn_again(&mut self.jobs, &mut self.local);
        }
        if self.pool.uses_injectors {
            self.take_injected();
        }
    }

    /// Takes what other sets left for this one; whether there was something.
    fn take_injected(&mut self) -> bool {
        let Some(set) = self.local.set else { return false };
        let injector = &self.pool.sets[set as usize].injector;
        take_batch(|| Injector::steal_batch_and_pop(injector, &self.local.queue))
            .map(|number| self.local.push(number))
            .is_some()
    }

    fn refresh_time(&mut self) {
        self.looked_at = Instant::now();
        self.now = self.pool.pace.now();
    }

    /// Wakes what timers and events name, and checks whether the run is over.
    fn take_due(&mut self) {
        let pool = self.pool;
        let mut waker = Waker { jobs: &self.jobs, local: &mut self.local };
        pool.timers.expire(self.now, |number| waker.wake(number));
        if pool.polling.is_due(&pool.runners, self.now) {
            for runner in pool.runners.polled() {
                waker.wake(runner.number);
            }
        }
        if pool.event_queue.has_events()
            && pool.event_queue.collect_beside_sleeper(|number| waker.wake(number))
        {
            pool.finish(Ok(End::Interrupted));
        }
        if pool.workers[self.index].parker.take_notification() {
            self.local.pinned_due = true;
        }
        if self.now > pool.end_of_time {
            pool.finish(Ok(End::Timeout));
        }
    }

    /// Looks for work elsewhere, and sleeps if there is none. False if the run is over.
    fn search(&mut self) -> bool {
        if self.local.pinned.is_some() && self.spin() {
            return true;
        }
        if self.steal(WORTH_STEALING) {
            return true;
        }
        let woken = self.pool.idle(self.index, self.now, std::mem::take(&mut self.ran));
        let worth = match woken {
            Woken::Over => return false,
            Woken::Work => WORTH_STEALING,
            Woken::Rescue => 0,
        };
        self.executions = 0;
        self.until_look = 1;
        self.refresh_time();
        self.take_due();
        let has_work = self.local.pinned_due || self.local.slot.is_some();
        if !has_work && self.local.queue.is_empty() {
            self.steal(worth);
        }
        true
    }

    /// A pinned worker spins before parking.
    fn spin(&mut self) -> bool {
        if std::mem::take(&mut self.local.has_looked) {
            return false;
        }
        let seat = &self.pool.workers[self.index];
        let (mut spins, mut until) = (0_u32, None);
        loop {
            let is_ready = self.local.pinned_stays && self.may_pinned_tick();
            if is_ready || seat.parker.take_notification() {
                self.local.pinned_due = true;
                if spins >= SHORT_SPINS {
                    // Time has passed.
                    self.until_look = 1;
                }
                return true;
            }
            if self.pool.stopping.load(Ordering::Relaxed) {
                return true;
            }
            std::hint::spin_loop();
            spins += 1;
            if spins.is_multiple_of(SPINS_PER_LOOK) {
                let now = Instant::now();
                if now > *until.get_or_insert(now + SPIN) {
                    break;
                }
            }
        }
        if !std::mem::take(&mut self.local.pinned_stays) {
            return false;
        }
        if let Some(job) = self.local.pinned.and_then(|number| self.jobs.get(number as usize)) {
            job.runner.run_state.stay_no_more();
        }
        self.local.has_looked = true;
        self.local.pinned_due = true;
        self.until_look = 1;
        true
    }

    /// Takes half of another worker's queue that holds this many nanoseconds of work.
    fn steal(&mut self, worth: u64) -> bool {
        if self.local.set.is_none() {
            return false;
        }
        if self.pool.uses_injectors && self.take_injected() {
            self.until_look = 1;
            return true;
        }
        let count = self.pool.workers.len();
        for step in 1..count {
            let victim = &self.pool.workers[(self.index + step) % count];
            if victim.set != self.local.set || victim.work() < worth {
                continue;
            }
            if let Some(number) =
                take_batch(|| Stealer::steal_batch_and_pop(&victim.stealer, &self.local.queue))
            {
                self.local.push(number);
                // The cost of others' entities is unknown here, and time passes.
                self.until_look = 1;
                return true;
            }
        }
        false
    }
}

/// Steals until it succeeds or there is nothing.
fn take_batch(steal: impl Fn() -> Steal<u32>) -> Option<u32> {
    loop {
        match steal() {
            Steal::Success(number) => return Some(number),
            Steal::Retry => std::hint::spin_loop(),
            Steal::Empty => return None,
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // A worker that left needs no waking.
        self.pool.workers[self.index].parker.unpark_self();
    }
}
