//! The scheduling terms, one file each. All of them announce their changes: they notify their
//! entity, or name the queues whose events matter (`watched`).

mod asynchronous;
mod boolean;
mod count;
mod downstream_receptive;
mod message_available;
mod multi_message_available;
mod periodic;
mod target_time;

pub(crate) use asynchronous::AsynchronousSchedulingTerm;
pub(crate) use boolean::BooleanSchedulingTerm;
pub(crate) use count::CountSchedulingTerm;
pub(crate) use downstream_receptive::DownstreamReceptiveSchedulingTerm;
pub(crate) use message_available::MessageAvailableSchedulingTerm;
pub(crate) use multi_message_available::MultiMessageAvailableSchedulingTerm;
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
