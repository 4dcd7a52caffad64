//! `Merge`.

use crate::side::{Collected, Side};
use gxe_columns::Block;
use gxe_columns::has_message;
use gxf::prelude::*;
use gxf::{SharedCodelet, Uid};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Merges streams with the same columns into one, in the order of the column `key`, which must
/// ascend in each. Of equal times, those of the first stream come first. It is its own scheduling
/// term: it takes messages from the streams that it waits for.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Merge {
    /// Receivers for the streams.
    #[parameter(carries = Tensor)]
    inputs: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitter for the rows of all.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Column with the time, in any unit.
    #[parameter(default = String::from("time"))]
    key: Parameter<String>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sides: Vec<Side>,
    finished: bool,
}

impl Merge {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lifecycle for Merge {
    fn check_parameters(&self) -> Result<()> {
        if self.inputs.is_empty() {
            let text = "`inputs` has at least one receiver";
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        Ok(())
    }
}

impl SharedCodelet for Merge {
    fn start(&self, _context: &TickContext) -> Result<()> {
        let sides = self.inputs.iter().map(|_| Side::default()).collect();
        *self.state() = State { sides, finished: false };
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut state = self.state();
        let state = &mut *state;
        for (index, (side, receiver)) in state.sides.iter_mut().zip(self.inputs.iter()).enumerate()
        {
            if side.wants_more()
                && let Some(message) = receiver.try_receive()?
            {
                side.add(&message, &self.key, &format!("inputs[{index}]"))?;
            }
        }
        let mut merged = Collected::default();
        // The next row is known once every stream has one or has ended.
        while state.sides.iter().all(|side| side.has_ended || !side.rows.is_empty()) {
            let time = |side: &Side| side.rows.front().map(|row| row.time);
            let next = (state.sides.iter_mut())
                .filter(|side| !side.rows.is_empty())
                .min_by(|a, b| time(a).partial_cmp(&time(b)).unwrap_or(std::cmp::Ordering::Equal));
            let Some(row) = next.and_then(|side| side.rows.pop_front()) else { break };
            merged.add(&[(&row, None, "")])?;
        }
        state.finished = state.sides.iter().all(|side| side.has_ended && side.rows.is_empty());
        if merged.rows == 0 && !state.finished {
            return Ok(());
        }
        let message = Block { columns: merged.columns }.into_message(context, state.finished)?;
        self.output.publish(message, context.now())
    }
}

impl implement::SchedulingTerm for Merge {
    fn check(&self, now: i64) -> Result<Condition> {
        let state = self.state();
        let mut inputs = state.sides.iter().zip(self.inputs.iter());
        let is_ready = inputs.any(|(side, receiver)| side.wants_more() && has_message(receiver));
        let condition_type = match is_ready {
            _ if state.finished => ConditionType::NEVER,
            // The first tick comes before the start.
            _ if state.sides.is_empty() => ConditionType::READY,
            true => ConditionType::READY,
            false => ConditionType::WAIT,
        };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(Uid)) {
        // Called before all parameters are set, too.
        let inputs = self.inputs.try_get().into_iter().flatten();
        inputs.for_each(|receiver| add(receiver.cid()));
    }
}
