//! The start of a run that takes part in a job of several processes.

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Where a run waits, after its entities have started and before they tick, for those of other
/// processes. One run takes it.
pub struct StartBarrier {
    /// Told once when this run is there.
    reached: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    is_taken: AtomicBool,
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl StartBarrier {
    /// Calls `reached` when a run is there.
    #[must_use]
    pub fn new(reached: impl FnOnce() + Send + 'static) -> Self {
        Self {
            reached: Mutex::new(Some(Box::new(reached))),
            is_taken: AtomicBool::new(false),
            is_open: Mutex::new(false),
            opened: Condvar::new(),
        }
    }

    /// The caller's engine will say when its run is there, and wait.
    pub fn take(&self) {
        self.is_taken.store(true, Ordering::Relaxed);
    }

    /// Whether an engine has taken it. The run of another one does not wait.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.is_taken.load(Ordering::Relaxed)
    }

    /// The run is there.
    pub fn reach(&self) {
        let reached = self.reached.lock().take();
        if let Some(reached) = reached {
            reached();
        }
    }

    /// Whether the runs of all processes are there.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self.is_open.lock()
    }

    /// The runs of all processes are there.
    pub fn open(&self) {
        *self.is_open.lock() = true;
        self.opened.notify_all();
    }

    /// Waits, no longer than `patience`; whether it is open.
    pub fn wait(&self, patience: Duration) -> bool {
        let mut is_open = self.is_open.lock();
        if !*is_open {
            self.opened.wait_for(&mut is_open, patience);
        }
        *is_open
    }
}
