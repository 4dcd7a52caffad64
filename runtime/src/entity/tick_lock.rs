//! The lock around what one execution of an entity needs.
//!
//! It is made for its owner, the thread that executes the entity: it takes the lock a hundred
//! thousand times between two visits of anybody else (a changed parameter, a report, the stop). So
//! it is a [`BiasedLock`], which cannot wake sleepers. A visitor announces itself, and the owner
//! lets it in before it takes the lock again; while a long tick runs the visitor sleeps and looks
//! again.

use crate::biased_lock::{BiasedGuard, BiasedLock};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How often a visitor looks without sleeping, and how long it sleeps at first and at most.
const LOOKS: u32 = 64;
const NAP: Duration = Duration::from_micros(20);
const LONGEST_NAP: Duration = Duration::from_millis(1);

/// See the head of this file.
pub(crate) struct TickLock<T> {
    content: BiasedLock<T>,
    visitors: AtomicU32,
}

impl<T> TickLock<T> {
    pub fn new(content: T) -> Self {
        Self { content: BiasedLock::new(content), visitors: AtomicU32::new(0) }
    }

    /// For the executing thread.
    #[inline(always)]
    pub fn own(&self) -> BiasedGuard<'_, T> {
        if self.visitors.load(Ordering::Relaxed) != 0 {
            self.let_in();
        }
        match self.content.try_lock() {
            Some(content) => content,
            None => self.wait(),
        }
    }

    /// For everybody else.
    pub fn visit(&self) -> BiasedGuard<'_, T> {
        self.visitors.fetch_add(1, Ordering::Relaxed);
        let content = self.wait();
        self.visitors.fetch_sub(1, Ordering::Relaxed);
        content
    }

    /// As [`Self::visit`], but gives up when the owner stays inside for a while.
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

    /// Gives visitors a moment in which the lock is free. One that does not come, since it sleeps,
    /// comes the next time.
    #[cold]
    fn let_in(&self) {
        for _ in 0..LOOKS {
            std::thread::yield_now();
            if self.visitors.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
        std::thread::sleep(NAP);
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
                    *lock.own() += 1;
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
}
