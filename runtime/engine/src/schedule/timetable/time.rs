//! Waiting, for the clock and for fences.
//!
//! On a clock that follows real time, workers sleep by themselves. A clock that jumps moves when
//! every worker waits: then the one with the earliest time moves it there, so that a run takes no
//! time and sees the same times whatever the workers do.

use crate::schedule::pace::Pace;
use gxf_sync::fence::Fence;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Before a time comes, a worker looks at the clock instead of sleeping for this long, because
/// sleepers wake late.
const TAIL: Duration = Duration::from_micros(30);
/// Looks at a fence before a worker sleeps, if each worker has a core.
const SPINS: u32 = 4_000;

/// The clock, and who waits for it.
pub struct Time {
    pace: Pace,
    /// Looks at a fence before sleeping.
    spins: AtomicU32,
    /// If the clock jumps.
    jumps: Option<Mutex<Jumps>>,
    /// Sleepers without jumps.
    sleepers: Mutex<()>,
    changed: Condvar,
    is_closed: AtomicBool,
    /// Pieces of work whose end nobody here decides: time stands still for them.
    pub outside: AtomicUsize,
}

/// The workers on a clock that jumps.
#[derive(Default)]
struct Jumps {
    /// Workers that do not wait.
    busy: usize,
    /// How often something changed.
    changes: u64,
    /// What each worker waits for.
    blocked: Vec<Blocked>,
    is_jumping: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocked {
    No,
    /// A time.
    Until(i64),
    /// The count of a fence, which was not reached after so many changes.
    Fence(u64),
}

impl Time {
    /// Time without workers.
    pub fn new(pace: Pace) -> Self {
        let jumps = pace.jumps_to(pace.now());
        Self {
            pace,
            spins: AtomicU32::new(SPINS),
            jumps: jumps.then(|| Mutex::new(Jumps::default())),
            sleepers: Mutex::new(()),
            changed: Condvar::new(),
            is_closed: AtomicBool::new(false),
            outside: AtomicUsize::new(0),
        }
    }

    /// One more worker, the last of this many.
    pub fn join(&self, workers: usize) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.spins.store(if workers <= cores { SPINS } else { 1 }, Ordering::Relaxed);
        if let Some(jumps) = &self.jumps {
            let mut jumps = jumps.lock();
            jumps.busy += 1;
            jumps.blocked.push(Blocked::No);
        }
    }

    /// The clock's time.
    #[inline]
    pub fn now(&self) -> i64 {
        self.pace.now()
    }

    /// Whether the clock jumps when every worker waits.
    pub fn jumps(&self) -> bool {
        self.jumps.is_some()
    }

    /// How the clock's time passes.
    pub fn pace(&self) -> &Pace {
        &self.pace
    }

    /// Something changed that sleepers look at.
    pub fn ring(&self) {
        if let Some(jumps) = &self.jumps {
            jumps.lock().changes += 1;
        }
        drop(self.sleepers.lock());
        self.changed.notify_all();
    }

    /// A fence was signalled.
    #[inline]
    pub fn signalled(&self) {
        if self.jumps.is_some() {
            self.ring();
        }
    }

    /// Ends all waits, now and later.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.ring();
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Waits for the count of a fence. False if the run is over before.
    pub fn wait_for(&self, worker: usize, fence: &Fence, count: u32) -> bool {
        if self.jumps.is_none() {
            return fence.wait(count, self.spins.load(Ordering::Relaxed));
        }
        // Only jumps fail.
        let _ = self.block(worker, None, || fence.has_reached(count) || fence.is_closed());
        fence.has_reached(count)
    }

    /// Waits for a time of the clock, or until `is_over`, which changes before a [`Self::ring`].
    /// Returns the time.
    ///
    /// # Errors
    /// Those of the clock.
    pub fn wait_until(
        &self,
        worker: usize,
        target: i64,
        is_over: impl Fn() -> bool,
    ) -> gxf::Result<i64> {
        if self.jumps.is_some() {
            let is_over = || is_over() || self.now() >= target;
            return self.block(worker, Some(target), is_over).map(|()| self.now());
        }
        loop {
            let now = self.now();
            if now >= target || self.is_closed() || is_over() {
                return Ok(now);
            }
            let real = self.pace.real_time_until(target);
            if real.is_some_and(|real| real <= TAIL) {
                std::hint::spin_loop();
                continue;
            }
            let mut sleepers = self.sleepers.lock();
            if self.is_closed() || is_over() || self.now() >= target {
                continue;
            }
            match real {
                Some(real) => {
                    let deadline = Instant::now() + (real - TAIL);
                    self.changed.wait_until(&mut sleepers, deadline);
                }
                None => self.changed.wait(&mut sleepers),
            }
        }
    }

    /// Waits on a clock that jumps, for a time or a fence.
    fn block(
        &self,
        worker: usize,
        target: Option<i64>,
        is_over: impl Fn() -> bool,
    ) -> gxf::Result<()> {
        let Some(jumps) = &self.jumps else { return Ok(()) };
        let mut state = jumps.lock();
        state.busy -= 1;
        let mut result = Ok(());
        // What changes after this look is counted after it, too: see `ring`.
        while result.is_ok() && !self.is_closed() && !is_over() {
            let blocked = target.map_or(Blocked::Fence(state.changes), Blocked::Until);
            if state.blocked[worker] != blocked {
                state.blocked[worker] = blocked;
                if state.busy == 0 {
                    self.changed.notify_all();
                }
            }
            let earliest = self.next_jump(&state);
            if let Some(target) = target.filter(|target| earliest == Some(*target)) {
                state.is_jumping = true;
                result = MutexGuard::unlocked(&mut state, || self.pace.jump_to(target));
                state.is_jumping = false;
                self.changed.notify_all();
            } else {
                self.changed.wait(&mut state);
            }
        }
        state.busy += 1;
        state.blocked[worker] = Blocked::No;
        result
    }

    /// Where the clock jumps now, if it may.
    fn next_jump(&self, state: &Jumps) -> Option<i64> {
        if state.busy > 0 || state.is_jumping || self.outside.load(Ordering::Acquire) > 0 {
            return None;
        }
        let mut earliest: Option<i64> = None;
        for blocked in &state.blocked {
            match blocked {
                Blocked::Until(target) => {
                    earliest = Some(earliest.map_or(*target, |known| known.min(*target)));
                }
                // It may go on as soon as it wakes up.
                Blocked::Fence(seen) if *seen != state.changes => return None,
                Blocked::Fence(_) | Blocked::No => {}
            }
        }
        earliest
    }

    /// A worker ends, and others need not wait for it.
    pub fn leave(&self) {
        if let Some(jumps) = &self.jumps {
            jumps.lock().busy -= 1;
            self.ring();
        }
    }
}
