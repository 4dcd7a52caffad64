//! A lock that is nearly free for a thread that uses it alone.
//!
//! Usually one thread uses an entity's queues and executes the entity. Only rarely another thread
//! needs the lock: to change a parameter from outside, for a codelet with its own thread, for a
//! report. An atomic exchange would cost the common case five nanoseconds, and a message takes six
//! locks on its way through an entity.
//!
//! So a thread that takes the lock many times in a row becomes its *owner*. The owner raises a flag
//! with a plain store and checks that it still is the owner; no other thread takes part. Another
//! thread *revokes* the ownership first: it marks the word, makes every running thread of the
//! process execute a memory barrier (`membarrier`), and then either the owner sees the mark or this
//! thread sees the owner's flag. After that, all threads use an ordinary spin lock until one of
//! them is alone again for twice as long as before: threads that alternate pay for few revocations.
//! Only an owner of a few milliseconds counts as such. One that lasts longer pays for a revocation
//! anyway, so a thread that looks a few times a second costs nearly nothing.
//!
//! If the kernel has no `membarrier`, no thread becomes an owner, and this is a spin lock.

#![expect(unsafe_code, reason = "a lock hands out references to what it protects")]

use crate::loom::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::loom::time::Instant;
use crate::loom::{barrier, hint, thread};
use std::cell::UnsafeCell;
use std::hint::cold_path;
use std::marker::PhantomData;
use std::time::Duration;

/// Acquisitions in a row that make a thread the owner: the first threshold, and the highest.
const FIRST_STREAK: u32 = if cfg!(loom) { 1 } else { 128 };
const LONGEST_STREAK: u32 = 1 << 24;

/// After an ownership that lasted as long, the first threshold holds again.
const LASTING: Duration = Duration::from_millis(10);

/// Parts of the word: the owner (0 for none), whether its ownership is being revoked, and a count
/// of owners, so that a revocation never hits a later owner.
const OWNER: u64 = 0x7fff_ffff;
const REVOKED: u64 = 1 << 31;
const GENERATION: u64 = 1 << 32;

/// Tells the system that threads of this process will be made to execute barriers. That takes no time
/// while there is one thread, and up to 20 ms later, because the system waits for all processors.
/// Otherwise the first lock with an owner does it, in the middle of a run. A program calls it first; each
/// context does in any case.
pub fn prepare_process() {
    barrier::is_offered();
}

/// A lock that is cheap for its usual thread; see the module documentation.
pub struct BiasedLock<T> {
    word: AtomicU64,
    /// The owner holds the lock. Written only by the owner.
    inside: AtomicBool,
    /// A thread holds the lock while there is no owner.
    locked: AtomicBool,
    /// Belongs to the thread that set `locked`.
    streak: UnsafeCell<Streak>,
    content: UnsafeCell<T>,
}

/// The recent acquisitions.
struct Streak {
    thread: u32,
    length: u32,
    /// Length of a streak that makes an owner.
    needed: u32,
    /// When there was an owner since the last acquisition without one: since when.
    owned: Option<Instant>,
}

/// Access to the content. Bound to its thread.
pub struct BiasedGuard<'a, T> {
    lock: &'a BiasedLock<T>,
    as_owner: bool,
    not_send: PhantomData<*mut ()>,
}

// SAFETY: sending the lock sends its content.
unsafe impl<T: Send> Send for BiasedLock<T> {}
// SAFETY: `lock` gives one thread at a time a reference to the content.
unsafe impl<T: Send> Sync for BiasedLock<T> {}

impl<T> BiasedLock<T> {
    /// A lock without an owner.
    pub fn new(content: T) -> Self {
        Self {
            word: AtomicU64::new(0),
            inside: AtomicBool::new(false),
            locked: AtomicBool::new(false),
            streak: UnsafeCell::new(Streak {
                thread: 0,
                length: 0,
                needed: FIRST_STREAK,
                owned: None,
            }),
            content: UnsafeCell::new(content),
        }
    }

    /// Waits for access. Deadlocks if this thread already has it.
    #[inline]
    pub fn lock(&self) -> BiasedGuard<'_, T> {
        self.lock_as_owner().unwrap_or_else(|| self.wait())
    }

    /// Access, if it is available immediately.
    #[inline(always)]
    pub fn try_lock(&self) -> Option<BiasedGuard<'_, T>> {
        match self.lock_as_owner() {
            Some(content) => Some(content),
            None => self.enter(),
        }
    }

    /// Runs a short function on the content. Compiled separately for the owner and for other
    /// threads, so that the owner's path saves no registers for the other one and knows which flag
    /// to lower.
    #[inline(always)]
    pub fn with<R>(&self, action: impl FnOnce(&mut T) -> R) -> R {
        match self.lock_as_owner() {
            Some(mut content) => action(&mut content),
            None => self.with_after_waiting(action),
        }
    }

    /// Like [`Self::lock_as_owner`], two instructions shorter, for what every message passes.
    ///
    /// # Safety
    /// This thread must not have access already: it would have two references to the content.
    #[inline(always)]
    pub unsafe fn lock_anew_as_owner(&self) -> Option<BiasedGuard<'_, T>> {
        if !self.is_owner() {
            cold_path();
            return None;
        }
        debug_assert!(!self.inside.load(Ordering::Relaxed));
        self.raise()
    }

    #[cold]
    #[inline(never)]
    fn with_after_waiting<R>(&self, action: impl FnOnce(&mut T) -> R) -> R {
        action(&mut self.wait())
    }

    #[inline(always)]
    fn guard(&self, as_owner: bool) -> BiasedGuard<'_, T> {
        BiasedGuard { lock: self, as_owner, not_send: PhantomData }
    }

    /// Access, if this thread owns the lock and has it not yet. No processor ordering here: the
    /// revoker's barrier provides it.
    #[inline(always)]
    pub fn lock_as_owner(&self) -> Option<BiasedGuard<'_, T>> {
        if !self.is_owner() || self.inside.load(Ordering::Relaxed) {
            cold_path();
            return None;
        }
        self.raise()
    }

    /// Raises the owner's flag, unless the ownership is being revoked. Only for the owner, who must
    /// not hold the lock.
    #[inline(always)]
    fn raise(&self) -> Option<BiasedGuard<'_, T>> {
        self.inside.store(true, Ordering::Relaxed);
        barrier::light();
        if !self.is_owner() {
            cold_path();
            self.inside.store(false, Ordering::Release);
            return None;
        }
        Some(self.guard(true))
    }

    /// Whether this thread is the owner, with no revocation in progress.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is compared")]
    fn is_owner(&self) -> bool {
        self.word.load(Ordering::Relaxed) as u32 == thread_number::if_known()
    }

    #[cold]
    fn wait(&self) -> BiasedGuard<'_, T> {
        let mut looks = 0_u32;
        loop {
            if let Some(guard) = self.enter() {
                return guard;
            }
            // The holder may have lost its core. The lock is for short sections, so yield to it.
            looks += 1;
            if cfg!(loom) || looks.is_multiple_of(16) {
                thread::yield_now();
            } else {
                hint::spin_loop();
            }
        }
    }

    /// One attempt without ownership.
    #[inline(never)]
    fn enter(&self) -> Option<BiasedGuard<'_, T>> {
        let word = self.word.load(Ordering::Acquire);
        if word & OWNER != 0 && !self.revoke(word) {
            return None;
        }
        self.locked.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).ok()?;
        // The previous holder may have become the owner.
        if self.word.load(Ordering::Relaxed) & OWNER != 0 {
            self.locked.store(false, Ordering::Release);
            return None;
        }
        // SAFETY: this thread set `locked`, which owns the streak.
        let streak = unsafe { &mut *self.streak.get() };
        if streak.grow() && barrier::is_offered() {
            streak.owned = Some(Instant::now());
            let generation = (word & !(OWNER | REVOKED)).wrapping_add(GENERATION);
            self.inside.store(true, Ordering::Relaxed);
            self.word.store(generation | u64::from(streak.thread), Ordering::Release);
            // The next thread to set `locked` sees that there is an owner.
            self.locked.store(false, Ordering::Release);
            return Some(self.guard(true));
        }
        Some(self.guard(false))
    }

    /// Revokes the ownership; returns whether there is no owner now.
    #[cold]
    fn revoke(&self, word: u64) -> bool {
        let revoked = word | REVOKED;
        if word != revoked {
            let marked =
                self.word.compare_exchange(word, revoked, Ordering::AcqRel, Ordering::Relaxed);
            if marked.is_err() {
                return false;
            }
        }
        if word & OWNER != u64::from(thread_number::if_known()) {
            barrier::heavy();
        }
        // Acquire makes the owner's changes to the content visible.
        !self.inside.load(Ordering::Acquire)
            && self
                .word
                .compare_exchange(
                    revoked,
                    revoked & !(OWNER | REVOKED),
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                )
                .is_ok()
    }
}

impl<T: Default> Default for BiasedLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl Streak {
    /// Counts an acquisition by this thread; returns whether it should become the owner.
    #[inline]
    fn grow(&mut self) -> bool {
        if let Some(since) = self.owned.take() {
            self.needed = match since.elapsed() >= LASTING {
                true => FIRST_STREAK,
                false => (self.needed * 2).min(LONGEST_STREAK),
            };
            self.length = 0;
        }
        let thread = thread_number::get();
        if self.thread != thread {
            self.thread = thread;
            self.length = 0;
        }
        self.length = self.length.saturating_add(1);
        self.length > self.needed && u64::from(thread) <= OWNER
    }
}

impl<T> std::ops::Deref for BiasedGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: only one guard exists at a time, and it gives access to the content.
        unsafe { &*self.lock.content.get() }
    }
}

impl<T> std::ops::DerefMut for BiasedGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: only one guard exists at a time, and it is borrowed mutably.
        unsafe { &mut *self.lock.content.get() }
    }
}

impl<T> Drop for BiasedGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        let flag = if self.as_owner { &self.lock.inside } else { &self.lock.locked };
        flag.store(false, Ordering::Release);
    }
}

/// Thread numbers, from 1, never reused.
mod thread_number {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Neither a thread's number nor 0, which means no owner.
    const UNKNOWN: u32 = u32::MAX;
    const LAST_NUMBER: u32 = 0x7fff_ffff;

    crate::loom::thread_local_cell!(NUMBER: u32 = UNKNOWN);

    /// The number of this thread, or one that no thread has.
    #[inline(always)]
    pub fn if_known() -> u32 {
        NUMBER.with(Cell::get)
    }

    #[inline]
    pub fn get() -> u32 {
        match if_known() {
            UNKNOWN => first_number(),
            number => number,
        }
    }

    #[cold]
    fn first_number() -> u32 {
        static LAST: AtomicU32 = AtomicU32::new(0);
        // Threads beyond the last number never become owners.
        let next = LAST.try_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            (last < LAST_NUMBER).then_some(last + 1)
        });
        let number = next.map_or(UNKNOWN, |last| last + 1);
        NUMBER.with(|known| known.set(number));
        number
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    const ROUNDS: u64 = if cfg!(miri) { 20 } else { 100_000 };

    fn has_owner(lock: &BiasedLock<u64>) -> bool {
        lock.word.load(Ordering::Relaxed) & OWNER != 0
    }

    #[test]
    fn a_thread_that_is_alone_becomes_the_owner() {
        let lock = BiasedLock::new(0_u64);
        for _ in 0..=FIRST_STREAK {
            assert!(!has_owner(&lock));
            *lock.lock() += 1;
        }
        assert_eq!(has_owner(&lock), barrier::is_offered());
        *lock.lock() += 1;
        assert_eq!(*lock.lock(), u64::from(FIRST_STREAK) + 2);
    }

    #[test]
    fn who_looks_now_and_then_takes_no_ownership_for_long() {
        let lock = BiasedLock::new(0_u64);
        // Acquisitions until there is an owner, after a visit to one of this age.
        let needed = |age: Duration| {
            std::thread::sleep(age);
            std::thread::scope(|scope| {
                let visitor = scope.spawn(|| *lock.lock());
                visitor.join().unwrap();
            });
            (0..).find(|_| {
                *lock.lock() += 1;
                has_owner(&lock)
            })
        };
        if !barrier::is_offered() {
            return;
        }
        let first = needed(Duration::ZERO).unwrap();
        for _ in 0..5 {
            assert_eq!(needed(LASTING), Some(first));
        }
    }

    #[test]
    fn the_right_is_had_by_one_at_a_time_also_from_the_owner() {
        let lock = BiasedLock::new(0_u64);
        for _ in 0..=2 * FIRST_STREAK {
            let _first = lock.lock();
            assert!(lock.try_lock().is_none());
        }
        let _first = lock.lock();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| lock.try_lock().is_some());
            assert!(!second.join().unwrap());
        });
    }

    /// One thread that is mostly alone and some that visit now and then, for any number of visits.
    #[test]
    fn no_change_is_lost_when_ownership_comes_and_goes() {
        for visitors in 1..=3 {
            let lock = Arc::new(BiasedLock::new(0_u64));
            let visitors: Vec<_> = (0..visitors)
                .map(|_| {
                    let lock = lock.clone();
                    std::thread::spawn(move || {
                        for round in 0..ROUNDS / 100 {
                            *lock.lock() += 1;
                            if round % 8 == 0 {
                                std::thread::sleep(std::time::Duration::from_micros(50));
                            }
                        }
                    })
                })
                .collect();
            for _ in 0..ROUNDS {
                *lock.lock() += 1;
            }
            let count = visitors.len() as u64;
            for visitor in visitors {
                visitor.join().unwrap();
            }
            assert_eq!(*lock.lock(), ROUNDS + count * (ROUNDS / 100));
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell as Checked;
    use loom::sync::Arc;

    fn add(lock: &BiasedLock<Checked<u32>>) {
        // SAFETY: the lock is held; loom checks that no other thread holds it.
        lock.lock().with_mut(|value| unsafe { *value += 1 });
    }

    /// Here the kernel's barrier is a fence on both sides.
    #[test]
    fn a_revoked_owner_and_its_revoker_never_meet() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let lock = Arc::new(BiasedLock::new(Checked::new(0_u32)));
            let visitor = {
                let lock = lock.clone();
                loom::thread::spawn(move || {
                    add(&lock);
                    add(&lock);
                })
            };
            for _ in 0..3 {
                // SAFETY: this thread does not have access; loom checks that no other thread has it.
                match unsafe { lock.lock_anew_as_owner() } {
                    // SAFETY: as above.
                    Some(value) => value.with_mut(|value| unsafe { *value += 1 }),
                    None => add(&lock),
                }
            }
            visitor.join().unwrap();
            // SAFETY: the other thread has ended.
            lock.lock().with(|value| assert_eq!(unsafe { *value }, 5));
        });
    }
}
