//! The scheduling terms, one file each. All of them announce their changes: they notify their
//! entity, or name the queues and allocators whose events matter (`watched`). A term that waits for a
//! time says until when.

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

pub(crate) use asynchronous::AsynchronousSchedulingTerm;
pub(crate) use behavior_tree::BTSchedulingTerm;
pub(crate) use boolean::BooleanSchedulingTerm;
pub(crate) use count::CountSchedulingTerm;
pub(crate) use downstream_receptive::DownstreamReceptiveSchedulingTerm;
pub(crate) use expiring_message_available::ExpiringMessageAvailableSchedulingTerm;
pub(crate) use frequency_throttler::{
    MessageAvailableFrequencyThrottler, MultiMessageAvailableTimeoutSchedulingTerm,
};
pub(crate) use memory_available::MemoryAvailableSchedulingTerm;
pub(crate) use message_available::MessageAvailableSchedulingTerm;
pub(crate) use multi_message_available::MultiMessageAvailableSchedulingTerm;
pub(crate) use or_combiner::OrSchedulingTermCombiner;
pub(crate) use periodic::PeriodicSchedulingTerm;
pub(crate) use target_time::TargetTimeSchedulingTerm;

use gxf::{Condition, ConditionType};
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// READY when `ready`, else WAIT; the target is the time of the last change, as in GXF.
#[derive(Default)]
struct LastChange {
    condition_type: AtomicI32,
    since: AtomicI64,
}

impl LastChange {
    /// Relaxed: only the thread that executes the entity asks, one at a time.
    #[inline]
    fn ready_or_wait(&self, ready: bool, now: i64) -> Condition {
        let condition_type = if ready { ConditionType::READY } else { ConditionType::WAIT };
        if self.condition_type.load(Ordering::Relaxed) != condition_type.0 {
            self.condition_type.store(condition_type.0, Ordering::Relaxed);
            self.since.store(now, Ordering::Relaxed);
        }
        Condition { condition_type, target: self.since.load(Ordering::Relaxed) }
    }
}

/// A condition without a story.
fn plain(condition_type: ConditionType, target: i64) -> Condition {
    Condition { condition_type, target }
}
