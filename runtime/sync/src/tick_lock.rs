//! The lock around the execution of an entity.
//!
//! It favours its owner, the thread that executes the entity, which takes it a hundred thousand
//! times between two visits from other threads (a changed parameter, a report, the stop). So it is
//! a [`BiasedLock`], which cannot wake sleepers. A visitor announces itself, and the owner lets it
//! in before it takes the lock again. During a long tick the visitor sleeps and tries again.

use crate::biased_lock::{BiasedGuard, BiasedLock};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How often a visitor tries before it sleeps, and how long it sleeps: first and longest.
const LOOKS: u32 = 64;
const NAP: Duration = Duration::from_micros(20);
const LONGEST_NAP: Duration = Duration::from_millis(1);

/// The lock around the execution of an entity; see the module documentation.
pub struct TickLock<T> {
    content: BiasedLock<T>,
    visitors: AtomicU32,
}

impl<T> TickLock<T> {
    /// A free lock.
    pub fn new(content: T) -> Self {
        Self { content: BiasedLock::new(content), visitors: AtomicU32::new(0) }
    }

    /// Access for the executing thread, if it is the lock's owner, as it usually is. The caller's
    /// code for this case then knows which flag to lower.
    #[inline(always)]
    pub fn try_own(&self) -> Option<BiasedGuard<'_, T>> {
        if self.visitors.load(Ordering::Relaxed) != 0 {
            self.let_in();
        }
        self.content.lock_as_owner()
    }

    /// Access for the executing thread in any other case.
    #[cold]
    pub fn own(&self) -> BiasedGuard<'_, T> {
        self.wait()
    }

    /// Access for other threads.
    pub fn visit(&self) -> BiasedGuard<'_, T> {
        self.visitors.fetch_add(1, Ordering::Relaxed);
        let content = self.wait();
        self.visitors.fetch_sub(1, Ordering::Relaxed);
        content
    }

    /// Like [`Self::visit`], but gives up if the owner holds the lock for long.
    pub fn try_visit(&self) -> Option<BiasedGuard<'_, T>> {
        self.visitors.fetch_add(1, Ordering::Relaxed);
        let mut content = self.content.try_lock();
        for look in 0..2 * LOOKS {
            if content.is_some() {
                break;
            }
            if look < LOOKS {
                std::thread::yield_now()
            } else {
                std::thread::sleep(NAP)
            }
            content = self.content.try_lock();
        }
        self.visitors.fetch_sub(1, Ordering::Relaxed);
        content
    }

    /// Leaves the lock free until the visitors are in, whom their naps keep out at most as long. One
    /// that misses it all the same gets in the next time.
    #[cold]
    fn let_in(&self) {
        for _ in 0..LOOKS {
            std::thread::yield_now();
            if self.visitors.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
        let until = Instant::now() + 2 * LONGEST_NAP;
        while self.visitors.load(Ordering::Relaxed) != 0 && Instant::now() < until {
            std::thread::sleep(NAP);
        }
    }

    #[cold]
    fn wait(&self) -> BiasedGuard<'_, T> {
        let mut nap = NAP;
        for look in 0_u32.. {
            if let Some(content) = self.content.try_lock() {
                return content;
            }
            if look < LOOKS {
                std::thread::yield_now();
            } else {
                std::thread::sleep(nap);
                nap = (nap * 2).min(LONGEST_NAP);
            }
        }
        self.content.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn visitors_get_in_beside_an_owner_that_never_rests() {
        let lock = Arc::new(TickLock::new(0_u64));
        let stop = Arc::new(AtomicBool::new(false));
        let owner = {
            let (lock, stop) = (lock.clone(), stop.clone());
            std::thread::spawn(move || {
                let mut ticks = 0_u64;
                while !stop.load(Ordering::Relaxed) {
                    match lock.try_own() {
                        Some(mut count) => *count += 1,
                        None => *lock.own() += 1,
                    }
                    ticks += 1;
                }
                ticks
            })
        };
        let visits = if cfg!(miri) { 3 } else { 200 };
        for _ in 0..visits {
            *lock.visit() += 1;
        }
        stop.store(true, Ordering::Relaxed);
        let ticks = owner.join().unwrap();
        assert_eq!(*lock.visit(), ticks + visits);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn a_visitor_waits_for_the_end_of_a_long_tick_and_not_for_more() {
        const VISITS: u64 = 20;
        let lock = TickLock::new(0_u64);
        let stop = AtomicBool::new(false);
        let ticks = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let mut count = lock.try_own().unwrap_or_else(|| lock.own());
                    *count += 1;
                    std::thread::sleep(Duration::from_millis(3));
                }
            });
            while *lock.visit() == 0 {}
            let before = *lock.visit();
            for _ in 0..VISITS {
                drop(lock.visit());
            }
            let ticks = *lock.visit() - before;
            stop.store(true, Ordering::Relaxed);
            ticks
        });
        // Some are late on a busy machine.
        assert!(ticks < 4 * VISITS, "{ticks} ticks during {VISITS} visits");
    }
}
