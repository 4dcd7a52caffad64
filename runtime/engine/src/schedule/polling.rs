//! When to ask the terms that do not announce their changes.

use crate::schedule::runners::Runners;
use gxf_plugin_abi::ConditionType;
use std::sync::atomic::{AtomicI64, Ordering};

/// Polls entities at intervals, by one thread at a time.
pub struct Polling {
    next: AtomicI64,
    period: i64,
}

impl Polling {
    /// Polls at intervals of at least this many nanoseconds.
    pub fn every(period: i64) -> Self {
        Self { next: AtomicI64::new(i64::MIN), period }
    }

    /// The next time for polling; `None` if no entity needs it.
    pub fn due(&self, runners: &Runners) -> Option<i64> {
        let waits = runners.any_polled(|runner| {
            runner.may_wait_for_poll(ConditionType(runner.condition.load(Ordering::Relaxed)))
        });
        waits.then(|| self.next.load(Ordering::Relaxed))
    }

    /// Whether it is time to poll; returns true to only one thread.
    pub fn is_due(&self, runners: &Runners, now: i64) -> bool {
        let due = self.next.load(Ordering::Relaxed);
        if now < due || !runners.has_polled() {
            return false;
        }
        let next = now.saturating_add(self.period);
        self.next.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}
