//! `BTSchedulingTerm`.

use super::plain;
use crate::entity::runner::Runner;
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
    /// Whether the runner has not seen yet that the parent ended the node, perhaps during a tick.
    /// It must, because it stops the node, even if the parent has armed it again; `condition`
    /// applies afterwards.
    is_halted: bool,
    /// Address of the node's runner.
    runner: usize,
}

impl State {
    /// Replaces the condition. What a node wants for itself is void once its parent has ended it.
    fn change(&mut self, condition: Answer, by_node: bool) {
        if !(by_node && self.is_halted) {
            self.condition = condition;
            self.children.clear();
        }
    }

    /// Whether the node itself calls, or its runner does.
    fn is_called_by_node(&self) -> bool {
        self.runner != 0 && self.runner == Runner::executing().addr()
    }
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
        *self.state.lock() = State { condition, ..State::default() };
        self.context.call_once(|| context.handle());
        Ok(())
    }
}

impl implement::SchedulingTerm for BTSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let mut state = self.state.lock();
        match Runner::executing().addr() {
            // Somebody asks for the status.
            0 => {}
            runner => state.runner = runner,
        }
        if std::mem::take(&mut state.is_halted) {
            let is_armed_again = !matches!(state.condition, Answer::Never);
            drop(state);
            if is_armed_again {
                self.notify()?;
            }
            return Ok(plain(ConditionType::NEVER, now));
        }
        if let Some(context) = self.context.get().filter(|_| !state.children.is_empty()) {
            let changed = state.children.iter().any(|(eid, verdicts)| {
                // A child that is gone counts as changed.
                context.entity_state(*eid).map_or(true, |state| state.verdicts != *verdicts)
            });
            if changed {
                state.change(Answer::Ready, true);
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
        let mut state = self.state.lock();
        let by_node = state.is_called_by_node();
        state.change(condition, by_node);
        state.is_halted |= matches!(condition, Answer::Never) && !by_node;
        drop(state);
        self.notify()
    }

    fn wait_until(&self, target: i64) -> Result<()> {
        self.state.lock().change(Answer::Until(target), true);
        self.notify()
    }

    fn wait_for(&self, eid: Uid, verdicts: u64) -> Result<()> {
        let mut state = self.state.lock();
        if !state.is_halted {
            state.condition = Answer::Wait;
            state.children.push((eid, verdicts));
        }
        drop(state);
        self.notify()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::{BtSchedulingTerm, SchedulingTerm};

    fn next(term: &BTSchedulingTerm) -> ConditionType {
        term.check(0).unwrap().condition_type
    }

    #[test]
    fn what_a_node_waits_for_does_not_undo_its_end() {
        let term = BTSchedulingTerm::default();
        term.set_condition(ConditionType::NEVER).unwrap();
        term.wait_until(5).unwrap();
        term.wait_for(1, 0).unwrap();
        assert_eq!(next(&term), ConditionType::NEVER);
        assert_eq!(next(&term), ConditionType::NEVER);
    }

    #[test]
    fn a_node_that_is_armed_again_is_ended_first() {
        let term = BTSchedulingTerm::default();
        term.set_condition(ConditionType::NEVER).unwrap();
        term.set_condition(ConditionType::READY).unwrap();
        term.wait_until(5).unwrap();
        assert_eq!(next(&term), ConditionType::NEVER);
        assert_eq!(next(&term), ConditionType::READY);
        term.wait_until(5).unwrap();
        assert_eq!(next(&term), ConditionType::WAIT_TIME);
    }
}
