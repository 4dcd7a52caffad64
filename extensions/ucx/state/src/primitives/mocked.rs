//! Loom's models, with parking_lot's signatures.

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::ops::{Deref, DerefMut};
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

/// Empty only while a [`Condvar`] waits.
pub(crate) struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    inner: Option<loom::sync::MutexGuard<'a, T>>,
}

impl<T> Mutex<T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard { mutex: self, inner: self.0.lock().ok() }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("no model panics under a lock")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("no model panics under a lock")
    }
}

#[derive(Default)]
pub(crate) struct Condvar(loom::sync::Condvar);

impl Condvar {
    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let inner = guard.inner.take().expect("no model panics under a lock");
        guard.inner = self.0.wait(inner).ok();
    }

    /// Loom has no time: the timeout passes while others run.
    pub(crate) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _timeout: Duration) {
        guard.inner = None;
        loom::thread::yield_now();
        guard.inner = guard.mutex.0.lock().ok();
    }
}
