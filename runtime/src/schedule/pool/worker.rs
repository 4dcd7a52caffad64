//! One worker: takes entities from its slot, its queue, or others, and executes them.

use super::idle::Woken;
use super::{NOWHERE, Pool};
use crate::entity::mail::Wake;
use crate::entity::runner::Runner;
use crate::schedule::greedy::End;
use crate::schedule::job::{Found, Seen};
use crossbeam_deque::{Steal, Worker as Queue};
use gxf_plugin_abi::{Condition, ConditionType};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A queue is worth another worker when what lies in it takes this many nanoseconds: waking a
/// thread costs some thousands, on both sides.
const WORTH_HELP: u64 = 20_000;
/// What a tick is thought to cost as long as nothing is known: everybody may help.
pub(super) const UNKNOWN_COST: u64 = WORTH_HELP;
/// And worth taking from another by one that is awake anyway, when this many: small entities that
/// change their thread cost more than they do.
const WORTH_STEALING: u64 = 4_000;
/// How many nanoseconds may pass between two looks at the time and into the mailbox.
const LOOK_PERIOD: u64 = 2_000;
/// And how many executions at most.
const LOOK_EXECUTIONS: u32 = 32;
/// How many times longer ticks may become from one look to the next.
const CREDIBLE_GROWTH: u64 = 8;
/// The slot is taken this many times before it is the queue's turn, so that two entities that keep
/// waking each other starve nobody.
const SLOT_STREAK: u32 = 64;
/// How often a home listens before it sleeps.
const SPINS: u32 = 4_000;

pub(super) struct Worker<'a> {
    pool: &'a Pool,
    index: usize,
    /// Known runners by number; grows when an unknown number comes.
    jobs: Vec<Job>,
    local: Local<'a>,
    /// Time of the clock at the last look.
    now: i64,
    looked_at: Instant,
    /// Executions until the next look.
    until_look: u32,
    executions: u32,
    slot_streak: u32,
    /// Whether something was ready since this worker slept last.
    ran: bool,
}

struct Job {
    runner: Arc<Runner>,
    home: u32,
}

/// Where a worker puts what is to be done.
struct Local<'a> {
    pool: &'a Pool,
    queue: Queue<u32>,
    /// Executed next.
    slot: Option<u32>,
    /// Index of this worker.
    index: u32,
    /// The entity pinned here, and whether it is to be executed.
    pinned: Option<u32>,
    pinned_due: bool,
    /// What a tick cost lately, in nanoseconds.
    cost: u64,
    /// How many numbers had changed their runner when the worker got to know those it knows.
    replaced: u64,
}

impl Local<'_> {
    /// Queues an entity this worker is responsible for.
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
            self.pool.call_help();
        }
    }

    /// As [`Wake::wake`] for an entity that joined.
    #[cold]
    fn wake_stranger(&mut self, number: u32) {
        let wakes = |runner: Arc<Runner>| runner.job.wake() == Found::AtRest;
        if self.pool.roster.get(number).is_some_and(wakes) {
            self.take_over(number, self.pool.home_of(number));
        }
    }

    /// The same for a number whose entity left; another may have joined in its place.
    #[cold]
    fn wake_successor(&mut self, number: u32) {
        if self.pool.roster.replaced() != self.replaced {
            self.wake_stranger(number);
        }
    }

    /// An entity just left its rest: somebody has to execute it.
    #[inline]
    fn take_over(&mut self, number: u32, home: u32) {
        if home == NOWHERE {
            if let Some(before) = self.slot.replace(number) {
                self.push(before);
            }
        } else if home == self.index {
            self.pinned_due = true;
        } else {
            self.pool.call(home);
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
            Some(job) => match job.runner.job.wake() {
                Found::AtRest => self.local.take_over(number, job.home),
                Found::Busy => {}
                Found::Left => self.local.wake_successor(number),
            },
            None => self.local.wake_stranger(number),
        }
    }
}

/// Gets to know entities that joined.
#[cold]
fn learn(jobs: &mut Vec<Job>, pool: &Pool) {
    let new = pool.roster.from(jobs.len());
    jobs.extend(new.into_iter().map(|runner| Job { home: pool.home_of(runner.number), runner }));
}

/// Gets to know entities that joined in the place of others.
#[cold]
fn learn_again(jobs: &mut Vec<Job>, local: &mut Local<'_>) {
    local.replaced = local.pool.roster.replaced();
    jobs.clear();
    learn(jobs, local.pool);
}

/// Decides what becomes of an entity after an execution.
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
    } else if !runner.job.rest(seen) {
        local.push(runner.number);
    }
}

impl<'a> Worker<'a> {
    pub fn new(pool: &'a Pool, index: usize, queue: Queue<u32>) -> Self {
        let replaced = pool.roster.replaced();
        let mut jobs = Vec::new();
        learn(&mut jobs, pool);
        let pinned = index
            .checked_sub(pool.settings.workers)
            .and_then(|place| pool.pinned.get(place))
            .map(|pinning| pinning.number);
        let local = Local {
            pool,
            queue,
            slot: None,
            index: u32::try_from(index).unwrap_or(NOWHERE),
            pinned,
            pinned_due: false,
            cost: UNKNOWN_COST,
            replaced,
        };
        Self {
            pool,
            index,
            jobs,
            local,
            now: pool.clock.timestamp(),
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

    /// What lies ready at this worker.
    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.local.pinned_due {
            self.local.pinned_due = false;
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

    #[inline]
    fn execute(&mut self, number: u32) {
        self.executions += 1;
        if number as usize >= self.jobs.len() {
            learn(&mut self.jobs, self.pool);
        }
        let Some(job) = self.jobs.get(number as usize) else { return };
        let seen = job.runner.job.begin();
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

    /// Executes who joined in the place of an entity that left.
    #[cold]
    fn execute_successor(&mut self, number: u32) {
        if self.pool.roster.replaced() != self.local.replaced {
            learn_again(&mut self.jobs, &mut self.local);
            self.execute(number);
        }
    }

    /// Looks at the time, the timers, and into the mailbox.
    fn look(&mut self) {
        let passed = self.looked_at.elapsed();
        let passed = u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX);
        let executions = u64::from(std::mem::take(&mut self.executions).max(1));
        let progress = &self.pool.workers[self.index].progress;
        progress.store(progress.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        // Weighs the last look as much as all before, but a thread that lost its core for a moment
        // must not look like long ticks.
        let lately = (passed / executions).min(self.local.cost.saturating_mul(CREDIBLE_GROWTH));
        self.local.cost = (self.local.cost + lately).div_ceil(2);
        self.pool.workers[self.index].cost.store(self.local.cost, Ordering::Relaxed);
        let fitting = LOOK_PERIOD / self.local.cost.max(1);
        self.until_look = u32::try_from(fitting).unwrap_or(u32::MAX).clamp(1, LOOK_EXECUTIONS);
        self.refresh_time();
        self.take_due();
        if self.pool.roster.replaced() != self.local.replaced {
            learn_again(&mut self.jobs, &mut self.local);
        }
    }

    fn refresh_time(&mut self) {
        self.looked_at = Instant::now();
        self.now = self.pool.clock.timestamp();
    }

    /// Takes over what timers and mail name, and sees whether the run is over.
    fn take_due(&mut self) {
        let pool = self.pool;
        let mut waker = Waker { jobs: &self.jobs, local: &mut self.local };
        pool.timers.expire(self.now, |number| waker.wake(number));
        if pool.is_poll_due(self.now) {
            for runner in pool.roster.polled() {
                waker.wake(runner.number);
            }
        }
        if pool.mailbox.has_mail()
            && pool.mailbox.collect_beside_sleeper(|number| waker.wake(number))
        {
            pool.finish(Ok(End::Interrupted));
        }
        if pool.workers[self.index].bell.answer() {
            self.local.pinned_due = true;
        }
        if self.now > pool.end_of_time || pool.wall_end.is_some_and(|end| self.looked_at > end) {
            pool.finish(Ok(End::Timeout));
        }
    }

    /// Looks for work elsewhere, and sleeps if there is none. False: the run is over.
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

    /// A home waits a moment for the next call.
    fn spin(&mut self) -> bool {
        let seat = &self.pool.workers[self.index];
        for _ in 0..SPINS {
            if seat.bell.answer() {
                self.local.pinned_due = true;
                // The time has passed meanwhile.
                self.until_look = 1;
                return true;
            }
            if self.pool.stopping.load(Ordering::Relaxed) {
                return true;
            }
            std::hint::spin_loop();
        }
        false
    }

    /// Takes half of a queue of another worker that holds so many nanoseconds of work.
    fn steal(&mut self, worth: u64) -> bool {
        if self.local.pinned.is_some() && self.pool.settings.strict_pinning {
            return false;
        }
        let count = self.pool.workers.len();
        for step in 1..count {
            let victim = &self.pool.workers[(self.index + step) % count];
            if victim.work() < worth {
                continue;
            }
            loop {
                match victim.stealer.steal_batch_and_pop(&self.local.queue) {
                    Steal::Success(number) => {
                        self.local.push(number);
                        // What others cost is not known here; time goes on meanwhile.
                        self.until_look = 1;
                        return true;
                    }
                    Steal::Retry => std::hint::spin_loop(),
                    Steal::Empty => break,
                }
            }
        }
        false
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // Nobody has to wake a worker that left.
        self.pool.workers[self.index].bell.get_up();
    }
}
