//! A lock that is nearly free for a thread that uses it alone.
//!
//! What one thread does most of the time (an entity's queues under one worker, an entity's
//! execution) needs a lock only for the rare other thread: a parameter changed from outside, a
//! codelet with a thread of its own, a report. An atomic exchange costs the common case five
//! nanoseconds, and a message passes six locks on its way through an entity.
//!
//! So a thread that took the lock many times in a row becomes its *owner*: it raises a flag with a
//! plain store and sees whether it still is the owner; no other thread takes part. Another thread
//! *revokes* the ownership first: it marks the word, makes every running thread of the process
//! execute a memory barrier (`membarrier`), and then either the owner sees the mark, or its flag is
//! seen here. From then on all take an ordinary spin lock, until one thread is alone again for
//! twice as long as before: threads that take turns pay for few revocations.
//!
//! Where the kernel does not offer `membarrier` nobody becomes an owner, and this is a spin lock.

#![expect(unsafe_code, reason = "a lock hands out references to what it protects")]

#[cfg(loom)]
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;

/// How often in a row a thread takes the lock before it becomes its owner, at first and at most.
const FIRST_STREAK: u32 = if cfg!(loom) { 1 } else { 128 };
const LONGEST_STREAK: u32 = 1 << 24;

/// Parts of the word: the owner (0: nobody), whether its ownership is being revoked, and how many
/// owners there have been, so that a revocation never meets a later owner.
const OWNER: u64 = 0x7fff_ffff;
const REVOKED: u64 = 1 << 31;
const GENERATION: u64 = 1 << 32;

/// See the head of this file.
pub(crate) struct BiasedLock<T> {
    word: AtomicU64,
    /// The owner is inside. Written by the owner only.
    inside: AtomicBool,
    /// Somebody is inside while there is no owner.
    locked: AtomicBool,
    /// Belongs to whoever set `locked`.
    streak: UnsafeCell<Streak>,
    content: UnsafeCell<T>,
}

/// Who took the lock lately.
struct Streak {
    thread: u32,
    length: u32,
    /// The length that makes an owner.
    needed: u32,
    /// There was an owner since the lock was last taken without one.
    owned: bool,
}

/// The right to use the content. Bound to its thread.
pub(crate) struct BiasedGuard<'a, T> {
    lock: &'a BiasedLock<T>,
    as_owner: bool,
    not_send: PhantomData<*mut ()>,
}

// SAFETY: the content goes where the lock goes.
unsafe impl<T: Send> Send for BiasedLock<T> {}
// SAFETY: one thread at a time gets a reference to the content (see `lock`).
unsafe impl<T: Send> Sync for BiasedLock<T> {}

impl<T> BiasedLock<T> {
    pub fn new(content: T) -> Self {
        Self {
            word: AtomicU64::new(0),
            inside: AtomicBool::new(false),
            locked: AtomicBool::new(false),
            streak: UnsafeCell::new(Streak {
                thread: 0,
                length: 0,
                needed: FIRST_STREAK,
                owned: false,
            }),
            content: UnsafeCell::new(content),
        }
    }

    /// Waits for the right. A thread that has it already waits for ever.
    #[inline]
    pub fn lock(&self) -> BiasedGuard<'_, T> {
        self.enter_as_owner().unwrap_or_else(|| self.wait())
    }

    /// The right, if it is to be had at once.
    #[inline(always)]
    pub fn try_lock(&self) -> Option<BiasedGuard<'_, T>> {
        match self.enter_as_owner() {
            Some(content) => Some(content),
            None => self.enter(),
        }
    }

    /// Does something small with the content. Made twice, so that the owner's way stays short: it
    /// saves no registers for the other, and knows which flag to lower.
    #[inline(always)]
    pub fn with<R>(&self, action: impl FnOnce(&mut T) -> R) -> R {
        match self.enter_as_owner() {
            Some(mut content) => action(&mut content),
            None => self.with_after_waiting(action),
        }
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

    /// Nothing here is ordered by the processor: that is the revoker's part.
    #[inline(always)]
    fn enter_as_owner(&self) -> Option<BiasedGuard<'_, T>> {
        if !self.is_owner() || self.inside.load(Ordering::Relaxed) {
            return None;
        }
        self.inside.store(true, Ordering::Relaxed);
        barrier::light();
        if !self.is_owner() {
            self.inside.store(false, Ordering::Release);
            return None;
        }
        Some(self.guard(true))
    }

    /// Whether this thread is the owner, and nobody revokes that.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is compared")]
    fn is_owner(&self) -> bool {
        self.word.load(Ordering::Relaxed) as u32 == thread::number_if_known()
    }

    #[cold]
    fn wait(&self) -> BiasedGuard<'_, T> {
        let mut looks = 0_u32;
        loop {
            if let Some(guard) = self.enter() {
                return guard;
            }
            // Whoever is inside may have lost its core: the lock is for short sections, so let it run.
            looks += 1;
            if cfg!(loom) || looks.is_multiple_of(16) {
                thread::give_way();
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// One attempt without being the owner.
    #[inline(never)]
    fn enter(&self) -> Option<BiasedGuard<'_, T>> {
        let word = self.word.load(Ordering::Acquire);
        if word & OWNER != 0 && !self.revoke(word) {
            return None;
        }
        self.locked.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).ok()?;
        // Who held the lock before may have become the owner.
        if self.word.load(Ordering::Relaxed) & OWNER != 0 {
            self.locked.store(false, Ordering::Release);
            return None;
        }
        // SAFETY: `locked` was set here.
        let streak = unsafe { &mut *self.streak.get() };
        if streak.grow() && barrier::is_offered() {
            streak.owned = true;
            let generation = (word & !(OWNER | REVOKED)).wrapping_add(GENERATION);
            self.inside.store(true, Ordering::Relaxed);
            self.word.store(generation | u64::from(streak.thread), Ordering::Release);
            // Whoever gets `locked` now sees that there is an owner.
            self.locked.store(false, Ordering::Release);
            return Some(self.guard(true));
        }
        Some(self.guard(false))
    }

    /// Takes the ownership from its owner; whether there is no owner now.
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
        if word & OWNER != u64::from(thread::number_if_known()) {
            barrier::heavy();
        }
        // Acquire: what the owner did to the content is seen from here on.
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
    /// Notes that this thread took the lock; whether it shall be the owner.
    #[inline]
    fn grow(&mut self) -> bool {
        if std::mem::take(&mut self.owned) {
            self.needed = (self.needed * 2).min(LONGEST_STREAK);
            self.length = 0;
        }
        let thread = thread::number();
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
        // SAFETY: the guard is the right to use the content, and there is one at a time.
        unsafe { &*self.lock.content.get() }
    }
}

impl<T> std::ops::DerefMut for BiasedGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the guard is borrowed alone.
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

/// Numbers of threads, from 1; never given twice.
mod thread {
    use super::Cell;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Not the number of a thread, and not 0, which is no owner.
    const UNKNOWN: u32 = u32::MAX;
    const LAST_NUMBER: u32 = 0x7fff_ffff;

    #[cfg(not(loom))]
    thread_local! {
        static NUMBER: Cell<u32> = const { Cell::new(UNKNOWN) };
    }
    #[cfg(loom)]
    loom::thread_local! {
        static NUMBER: Cell<u32> = Cell::new(UNKNOWN);
    }

    /// The number of this thread, or one that no thread has.
    #[inline(always)]
    pub fn number_if_known() -> u32 {
        NUMBER.with(Cell::get)
    }

    #[inline]
    pub fn number() -> u32 {
        match number_if_known() {
            UNKNOWN => first_number(),
            number => number,
        }
    }

    #[cold]
    fn first_number() -> u32 {
        static LAST: AtomicU32 = AtomicU32::new(0);
        // Threads beyond the last number are never owners.
        let next = LAST.try_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            (last < LAST_NUMBER).then_some(last + 1)
        });
        let number = next.map_or(UNKNOWN, |last| last + 1);
        NUMBER.with(|known| known.set(number));
        number
    }

    pub fn give_way() {
        #[cfg(loom)]
        loom::thread::yield_now();
        #[cfg(not(loom))]
        std::thread::yield_now();
    }
}

/// The two halves of a barrier of which one costs nothing.
mod barrier {
    #[cfg(loom)]
    use loom::sync::atomic::{Ordering, fence};

    /// The owner's half: the compiler keeps the order, the processor need not.
    #[inline(always)]
    pub fn light() {
        #[cfg(loom)]
        fence(Ordering::SeqCst);
        #[cfg(not(loom))]
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    }

    #[cfg(loom)]
    pub fn heavy() {
        fence(Ordering::SeqCst);
    }

    #[cfg(loom)]
    pub fn is_offered() -> bool {
        true
    }

    /// The revoker's half: every thread of the process that runs now executes a barrier.
    #[cfg(all(target_os = "linux", not(loom), not(miri)))]
    pub fn heavy() {
        use rustix::thread::{MembarrierCommand, membarrier};
        while membarrier(MembarrierCommand::PrivateExpedited).is_err() {
            // The registration is not inherited by a forked process.
            let _ = membarrier(MembarrierCommand::RegisterPrivateExpedited);
            if membarrier(MembarrierCommand::Global).is_ok() {
                return;
            }
        }
    }

    #[cfg(all(target_os = "linux", not(loom), not(miri)))]
    pub fn is_offered() -> bool {
        use rustix::thread::{MembarrierCommand, membarrier};
        static OFFERED: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
            membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
                && membarrier(MembarrierCommand::PrivateExpedited).is_ok()
        });
        *OFFERED
    }

    #[cfg(any(miri, all(not(target_os = "linux"), not(loom))))]
    pub fn heavy() {}

    #[cfg(any(miri, all(not(target_os = "linux"), not(loom))))]
    pub fn is_offered() -> bool {
        false
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

    /// One thread that is mostly alone, and others that come now and then, for every number of them.
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
        // SAFETY: under the lock; that nobody else is inside is what loom checks.
        lock.lock().with_mut(|value| unsafe { *value += 1 });
    }

    /// The barrier of the kernel is a fence on both sides here.
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
                add(&lock);
            }
            visitor.join().unwrap();
            // SAFETY: the other thread has ended.
            lock.lock().with(|value| assert_eq!(unsafe { *value }, 5));
        });
    }
}
