//! `AsynchronousSchedulingTerm`.

use super::plain;
use gxf::implement;
use gxf::prelude::*;
use gxf::{ContextHandle, Event};
use spin::Once;
use std::sync::atomic::{AtomicI32, Ordering};

/// Makes an entity wait for work outside the graph: a thread of the codelet, a device.
///
/// The initial state is READY (first tick pending). WAIT: no request yet. EVENT_WAITING: waiting
/// for the event. EVENT_DONE: the event occurred, and the entity ticks. EVENT_NEVER: the entity
/// ends.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct AsynchronousSchedulingTerm {
    state: AtomicI32,
    context: Once<ContextHandle>,
}

impl Lifecycle for AsynchronousSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.state.store(AsynchronousEventState::READY.0, Ordering::Release);
        self.context.call_once(|| context.handle());
        Ok(())
    }
}

impl implement::SchedulingTerm for AsynchronousSchedulingTerm {
    fn check(&self, _now: i64) -> Result<Condition> {
        // Acquire pairs with the Release of `set_event_state`: the tick sees what was done before.
        let condition_type = match AsynchronousEventState(self.state.load(Ordering::Acquire)) {
            AsynchronousEventState::READY | AsynchronousEventState::EVENT_DONE => {
                ConditionType::READY
            }
            AsynchronousEventState::WAIT => ConditionType::WAIT,
            AsynchronousEventState::EVENT_WAITING => ConditionType::WAIT_EVENT,
            _ => ConditionType::NEVER,
        };
        Ok(plain(condition_type, 0))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}

impl implement::AsynchronousSchedulingTerm for AsynchronousSchedulingTerm {
    fn set_event_state(&self, state: AsynchronousEventState) -> Result<()> {
        if !(0..=4).contains(&state.0) {
            return Err(Error::new(
                ResultCode::INVALID_ENUM,
                format!("{} is not a state of an asynchronous event", state.0),
            ));
        }
        self.state.store(state.0, Ordering::Release);
        // Announces every state, so that no polling is needed.
        self.context.get().map_or(Ok(()), |context| context.notify(Event::EXTERNAL))
    }

    fn event_state(&self) -> AsynchronousEventState {
        AsynchronousEventState(self.state.load(Ordering::Acquire))
    }
}
