//! `EntityCountFailureRepeatController`.

use crate::children::behavior;
use gxf::prelude::*;
use gxf::{BtSchedulingTerm, ControllerStatus, Uid};
use std::sync::{Mutex, PoisonError};

/// Lets an entity that fails tick again a number of times, then deactivates it. A tick that ends
/// with `NOT_FINISHED` is no failure: the entity is running.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct EntityCountFailureRepeatController {
    /// How many failures the entity repeats after.
    max_repeat_count: Parameter<u64>,
    /// Says "running" and not "failure" to the parent while a failure is repeated.
    #[parameter(default = false)]
    return_behavior_running_if_failure_repeat: Parameter<bool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Failures since the entity last ended.
    failures: u64,
    /// Terms of the own entity.
    terms: Vec<Handle<BtSchedulingTerm>>,
}

/// What the entity does after a tick.
mod execution {
    pub const SUCCESS: i32 = 0;
    pub const FAILURE_REPEAT: i32 = 1;
    pub const FAILURE_DEACTIVATE: i32 = 2;
}

/// Judges a tick; `failures` counts on.
fn judge(code: ResultCode, failures: &mut u64, most: u64, hide: bool) -> ControllerStatus {
    let (behavior, execution) = match code {
        ResultCode::SUCCESS => (behavior::SUCCESS, execution::SUCCESS),
        ResultCode::NOT_FINISHED => (behavior::RUNNING, execution::SUCCESS),
        _ if *failures < most => {
            *failures += 1;
            let behavior = if hide { behavior::RUNNING } else { behavior::FAILURE };
            (behavior, execution::FAILURE_REPEAT)
        }
        _ => (behavior::FAILURE, execution::FAILURE_DEACTIVATE),
    };
    ControllerStatus { behavior, execution }
}

impl Lifecycle for EntityCountFailureRepeatController {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let terms = context.find_all::<BtSchedulingTerm>()?;
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State { failures: 0, terms };
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
        Ok(())
    }
}

impl implement::Controller for EntityCountFailureRepeatController {
    fn control(&self, _eid: Uid, code: ResultCode) -> ControllerStatus {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let verdict = judge(
            code,
            &mut state.failures,
            *self.max_repeat_count,
            *self.return_behavior_running_if_failure_repeat,
        );
        let ended = verdict.execution == execution::FAILURE_DEACTIVATE
            || verdict.behavior == behavior::SUCCESS;
        if ended {
            state.failures = 0;
            // The parent arms the node again if it wants to, after it has seen this verdict.
            for term in &state.terms {
                if let Err(error) = term.set_condition(ConditionType::WAIT) {
                    gxf::error!("the node cannot be disarmed: {error}");
                }
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_repeat_a_number_of_times() {
        let mut failures = 0;
        let mut next = |hide| {
            let verdict = judge(ResultCode::FAILURE, &mut failures, 2, hide);
            (verdict.behavior, verdict.execution)
        };
        assert_eq!(next(false), (behavior::FAILURE, execution::FAILURE_REPEAT));
        assert_eq!(next(true), (behavior::RUNNING, execution::FAILURE_REPEAT));
        assert_eq!(next(true), (behavior::FAILURE, execution::FAILURE_DEACTIVATE));
    }

    #[test]
    fn running_is_no_failure() {
        let verdict = judge(ResultCode::NOT_FINISHED, &mut 9, 0, false);
        assert_eq!((verdict.behavior, verdict.execution), (behavior::RUNNING, execution::SUCCESS));
    }
}
