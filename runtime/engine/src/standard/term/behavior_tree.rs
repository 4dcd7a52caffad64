//! `BTSchedulingTerm`.

use super::plain;
use gxf::implement;
use gxf::prelude::*;
use gxf::{ContextHandle, Event, Uid};
use spin::{Mutex, Once};

/// Lets a node of a behaviour tree tick when its parent requests it. The root ticks from the start.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct BTSchedulingTerm {
    /// Whether the node is the root of its tree.
    #[parameter(headline = "Is root")]
    is_root: Parameter<bool>,
    state: Mutex<State>,
    context: Once<ContextHandle>,
}

#[derive(Default)]
struct State {
    condition: Answer,
    /// Entities with the number of verdicts each had.
    children: Vec<(Uid, u64)>,
}

#[derive(Clone, Copy, Default)]
enum Answer {
    Never,
    Ready,
    #[default]
    Wait,
    Until(i64),
}

impl BTSchedulingTerm {
    fn notify(&self) -> Result<()> {
        self.context.get().map_or(Ok(()), |context| context.notify(Event::STATE_UPDATE))
    }
}

impl Lifecycle for BTSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let condition = if *self.is_root.get() { Answer::Ready } else { Answer::Wait };
        *self.state.lock() = State { condition, children: Vec::new() };
        self.context.call_once(|| context.handle());
        Ok(())
    }
}

impl implement::SchedulingTerm for BTSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let mut state = self.state.lock();
        if let Some(context) = self.context.get().filter(|_| !state.children.is_empty()) {
            let changed = state.children.iter().any(|(eid, verdicts)| {
                // A child that is gone counts as changed.
                context.entity_state(*eid).map_or(true, |state| state.verdicts != *verdicts)
            });
            if changed {
                *state = State { condition: Answer::Ready, children: Vec::new() };
            }
        }
        Ok(match state.condition {
            Answer::Never => plain(ConditionType::NEVER, now),
            Answer::Ready => plain(ConditionType::READY, now),
            Answer::Wait => plain(ConditionType::WAIT, now),
            Answer::Until(target) => plain(ConditionType::WAIT_TIME, target),
        })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}

impl implement::BtSchedulingTerm for BTSchedulingTerm {
    fn set_condition(&self, condition: ConditionType) -> Result<()> {
        let condition = match condition {
            ConditionType::NEVER => Answer::Never,
            ConditionType::READY => Answer::Ready,
            _ => Answer::Wait,
        };
        *self.state.lock() = State { condition, children: Vec::new() };
        self.notify()
    }

    fn wait_until(&self, target: i64) -> Result<()> {
        *self.state.lock() = State { condition: Answer::Until(target), children: Vec::new() };
        self.notify()
    }

    fn wait_for(&self, eid: Uid, verdicts: u64) -> Result<()> {
        let mut state = self.state.lock();
        state.condition = Answer::Wait;
        state.children.push((eid, verdicts));
        drop(state);
        self.notify()
    }
}
