//! `TargetTimeSchedulingTerm`.

use super::plain;
use gxf::implement;
use gxf::prelude::*;
use gxf::{ContextHandle, Event};
use spin::{Mutex, Once};

/// Lets an entity tick at a time that other components set.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct TargetTimeSchedulingTerm {
    /// The clock of the target times.
    #[parameter(headline = "Clock")]
    clock: Parameter<Handle<Clock>>,
    targets: Mutex<Targets>,
    context: Once<ContextHandle>,
}

#[derive(Default)]
struct Targets {
    /// Set, but not yet read by the scheduler.
    pending: Option<i64>,
    /// The scheduler waits for this target.
    locked: Option<i64>,
}

impl TargetTimeSchedulingTerm {
    /// The time that the scheduler waits for or has reached.
    pub fn target(&self) -> Option<i64> {
        self.targets.lock().locked
    }
}

impl Lifecycle for TargetTimeSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *self.targets.lock() = Targets { pending: Some(self.clock.timestamp()), locked: None };
        self.context.call_once(|| context.handle());
        Ok(())
    }
}

impl implement::SchedulingTerm for TargetTimeSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let mut targets = self.targets.lock();
        if let Some(pending) = targets.pending.take() {
            targets.locked = Some(pending);
        }
        Ok(match targets.locked {
            None => plain(ConditionType::WAIT, now),
            Some(target) if target > now => plain(ConditionType::WAIT_TIME, target),
            Some(target) => plain(ConditionType::READY, target),
        })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        self.targets.lock().locked = None;
        Ok(())
    }
}

impl implement::TargetTimeSchedulingTerm for TargetTimeSchedulingTerm {
    fn set_next_target_time(&self, target: i64) -> Result<()> {
        {
            let mut targets = self.targets.lock();
            if let Some(locked) = targets.locked.filter(|locked| target < *locked) {
                return Err(Error::new(
                    ResultCode::ARGUMENT_OUT_OF_RANGE,
                    format!("the target {target} is before the pending target {locked}"),
                ));
            }
            targets.pending = Some(target);
        }
        self.context.get().map_or(Ok(()), |context| context.notify(Event::TIME_UPDATE))
    }
}
