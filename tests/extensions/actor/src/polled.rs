//! A term that announces nothing, and one that another thread keeps its promise to.

use gxf::PendingWork;
use gxf::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::time::Duration;

/// Says WAIT, without a time, until some time after the last tick. The first tick is immediate.
#[derive(Component, Default)]
pub struct PolledDelay {
    /// From a tick to the next.
    #[parameter(unit = "ns")]
    delay: Parameter<i64>,
    next: AtomicI64,
}

// Only the executing thread calls a term, hence the relaxed orderings.
impl implement::SchedulingTerm for PolledDelay {
    fn check(&self, now: i64) -> Result<Condition> {
        let is_over = now >= self.next.load(Relaxed);
        let condition_type = if is_over { ConditionType::READY } else { ConditionType::WAIT };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, now: i64) -> Result<()> {
        self.next.store(now + *self.delay, Relaxed);
        Ok(())
    }
}

/// Says WAIT until a thread, which begins when it is first asked, is done. The graph only knows that
/// something is pending.
#[derive(Component, Default)]
pub struct Promise {
    /// How long it takes.
    #[parameter(unit = "ms")]
    takes: Parameter<u64>,
    has_begun: AtomicBool,
    is_kept: Arc<AtomicBool>,
}

// Only the executing thread calls a term, hence the relaxed orderings; the end of pending work orders
// what was done before it.
impl implement::SchedulingTerm for Promise {
    fn check(&self, now: i64) -> Result<Condition> {
        if !self.has_begun.swap(true, Relaxed) {
            let pending = PendingWork::of_this_thread();
            let (takes, is_kept) = (Duration::from_millis(*self.takes), self.is_kept.clone());
            std::thread::spawn(move || {
                std::thread::sleep(takes);
                is_kept.store(true, Relaxed);
                drop(pending);
            });
        }
        let is_kept = self.is_kept.load(Relaxed);
        let condition_type = if is_kept { ConditionType::READY } else { ConditionType::WAIT };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}
