//! The scheduling terms, one file each. All of them announce their changes: they notify their
//! entity, or list the queues and allocators whose events matter (`watched`). A term that waits for
//! a time names it.

mod asynchronous;
mod behavior_tree;
mod boolean;
mod count;
mod downstream_receptive;
mod expiring_message_available;
mod frequency_throttler;
mod memory_available;
mod message_available;
mod multi_message_available;
mod or_combiner;
mod periodic;
mod sampling;
mod target_time;

pub use asynchronous::AsynchronousSchedulingTerm;
pub use behavior_tree::BTSchedulingTerm;
pub use boolean::BooleanSchedulingTerm;
pub use count::CountSchedulingTerm;
pub use downstream_receptive::DownstreamReceptiveSchedulingTerm;
pub use expiring_message_available::ExpiringMessageAvailableSchedulingTerm;
pub use frequency_throttler::{
    MessageAvailableFrequencyThrottler, MultiMessageAvailableTimeoutSchedulingTerm,
};
pub use memory_available::MemoryAvailableSchedulingTerm;
pub use message_available::{Limits, MessageAvailableSchedulingTerm};
pub use multi_message_available::MultiMessageAvailableSchedulingTerm;
pub use or_combiner::OrSchedulingTermCombiner;
pub use periodic::PeriodicSchedulingTerm;
pub use target_time::TargetTimeSchedulingTerm;

use gxf::{Condition, ConditionType};
use std::hint::cold_path;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// READY if `ready`, otherwise WAIT; the target is the time of the last change, as in GXF.
#[derive(Default)]
struct LastChange {
    condition_type: AtomicI32,
    since: AtomicI64,
}

impl LastChange {
    /// Relaxed: only the thread that executes the entity reads it.
    #[inline(always)]
    fn note(&self, ready: bool, now: i64) -> ConditionType {
        let condition_type = if ready { ConditionType::READY } else { ConditionType::WAIT };
        if self.condition_type.load(Ordering::Relaxed) != condition_type.0 {
            cold_path();
            self.condition_type.store(condition_type.0, Ordering::Relaxed);
            self.since.store(now, Ordering::Relaxed);
        }
        condition_type
    }

    #[inline(always)]
    fn ready_or_wait(&self, ready: bool, now: i64) -> Condition {
        let condition_type = self.note(ready, now);
        Condition { condition_type, target: self.since.load(Ordering::Relaxed) }
    }
}

/// A condition that does not track changes.
fn plain(condition_type: ConditionType, target: i64) -> Condition {
    Condition { condition_type, target }
}
