//! `EntityCountFailureRepeatController`.

use gxf::prelude::*;
use gxf::verdict;
use gxf::{ControllerStatus, Uid};
use std::sync::atomic::{AtomicU64, Ordering};

/// Lets a failing entity tick again a number of times, then deactivates it. A tick that ends with
/// `NOT_FINISHED` is not a failure: the entity is running.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct EntityCountFailureRepeatController {
    /// Number of failures after which the entity ticks again.
    max_repeat_count: Parameter<u64>,
    /// Reports "running" instead of "failure" to the parent while it repeats a failure.
    #[parameter(default = false)]
    return_behavior_running_if_failure_repeat: Parameter<bool>,
    /// Failures since the entity last ended. Relaxed: only the thread that executes the entity
    /// reads it.
    failures: AtomicU64,
}

/// Judges a tick after a number of failures. Returns the verdict and the new number of failures.
fn judge(code: ResultCode, failures: u64, most: u64, hide: bool) -> (ControllerStatus, u64) {
    let (behavior, execution, failures) = match code {
        ResultCode::SUCCESS => (verdict::BEHAVIOR_SUCCESS, verdict::EXECUTION_SUCCESS, 0),
        ResultCode::NOT_FINISHED => {
            (verdict::BEHAVIOR_RUNNING, verdict::EXECUTION_SUCCESS, failures)
        }
        _ if failures < most => {
            let behavior = if hide { verdict::BEHAVIOR_RUNNING } else { verdict::BEHAVIOR_FAILURE };
            (behavior, verdict::EXECUTION_FAILURE_REPEAT, failures + 1)
        }
        _ => (verdict::BEHAVIOR_FAILURE, verdict::EXECUTION_FAILURE_DEACTIVATE, 0),
    };
    (ControllerStatus { behavior, execution }, failures)
}

impl Lifecycle for EntityCountFailureRepeatController {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.failures.store(0, Ordering::Relaxed);
        Ok(())
    }
}

impl implement::Controller for EntityCountFailureRepeatController {
    fn control(&self, _eid: Uid, code: ResultCode) -> ControllerStatus {
        let hide = *self.return_behavior_running_if_failure_repeat;
        let failures = self.failures.load(Ordering::Relaxed);
        let (verdict, failures) = judge(code, failures, *self.max_repeat_count, hide);
        self.failures.store(failures, Ordering::Relaxed);
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_repeat_a_number_of_times() {
        let next = |failures, hide| {
            let (verdict, failures) = judge(ResultCode::FAILURE, failures, 2, hide);
            (verdict.behavior, verdict.execution, failures)
        };
        assert_eq!(
            next(0, false),
            (verdict::BEHAVIOR_FAILURE, verdict::EXECUTION_FAILURE_REPEAT, 1)
        );
        assert_eq!(
            next(1, true),
            (verdict::BEHAVIOR_RUNNING, verdict::EXECUTION_FAILURE_REPEAT, 2)
        );
        assert_eq!(
            next(2, true),
            (verdict::BEHAVIOR_FAILURE, verdict::EXECUTION_FAILURE_DEACTIVATE, 0)
        );
    }

    #[test]
    fn running_is_no_failure() {
        let (verdict, failures) = judge(ResultCode::NOT_FINISHED, 9, 0, false);
        assert_eq!(
            (verdict.behavior, verdict.execution),
            (verdict::BEHAVIOR_RUNNING, verdict::EXECUTION_SUCCESS)
        );
        assert_eq!(failures, 9);
    }
}
