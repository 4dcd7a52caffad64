//! `Join`.

use crate::side::{Collected, Row, Side};
use gxe_columns::Block;
use gxe_columns::has_message;
use gxf::prelude::*;
use gxf::{SharedCodelet, Uid};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Which row of the right stream belongs to one of the left stream.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// `nearest`: the one closest in time.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    nearest,
    /// `previous`: the latest one that is not later.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    previous,
}

/// Joins two streams by time: to each row of the left one, the columns of a row of the right one.
/// In both, the column `key` must ascend. A column that both have gets the suffix `_right`. Rows
/// without a partner within the tolerance are dropped. It is its own scheduling term: it takes
/// messages from the stream that it waits for.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Join {
    /// Receiver for the stream whose rows are kept.
    #[parameter(carries = Tensor)]
    left: Parameter<Handle<Receiver>>,
    /// Receiver for the stream whose columns are added.
    #[parameter(carries = Tensor)]
    right: Parameter<Handle<Receiver>>,
    /// Transmitter for the joined rows.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Column with the time, in any unit.
    #[parameter(default = String::from("time"))]
    key: Parameter<String>,
    /// Largest difference in time.
    #[parameter(default = 0.0, minimum = 0.0, dynamic)]
    tolerance: Parameter<f64>,
    /// Which row of the right stream to take.
    #[parameter(default = Match::nearest, dynamic)]
    choose: Parameter<Match>,
    sides: Mutex<Sides>,
}

#[derive(Default)]
struct Sides {
    left: Side,
    right: Side,
    /// The latest row of the right stream before those that wait.
    before: Option<Row>,
    dropped: u64,
    finished: bool,
}

impl Join {
    fn sides(&self) -> MutexGuard<'_, Sides> {
        self.sides.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sides {
    /// Joins the rows that nothing more can change.
    fn join(&mut self, key: &str, tolerance: f64, choose: Match) -> Result<Collected> {
        let mut joined = Collected::default();
        while let Some(row) = self.left.rows.front() {
            while self.right.rows.front().is_some_and(|right| right.time <= row.time) {
                self.before = self.right.rows.pop_front();
            }
            let after = self.right.rows.front();
            if after.is_none() && !self.right.has_ended {
                break;
            }
            let distance = |right: &&Row| (right.time - row.time).abs();
            let partner = match (self.before.as_ref(), after) {
                (before, _) if choose == Match::previous => before,
                (Some(before), Some(after)) if distance(&after) < distance(&before) => Some(after),
                (before, after) => before.or(after),
            };
            match partner.filter(|partner| distance(partner) <= tolerance) {
                Some(partner) => {
                    joined.add(&[(row, None, ""), (partner, Some(key), "_right")])?;
                }
                None => self.dropped += 1,
            }
            self.left.rows.pop_front();
        }
        Ok(joined)
    }
}

impl Lifecycle for Join {
    fn check_parameters(&self) -> Result<()> {
        if self.left.cid() == self.right.cid() {
            let text = "`left` and `right` are the same receiver";
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        Ok(())
    }
}

impl SharedCodelet for Join {
    fn start(&self, _context: &TickContext) -> Result<()> {
        *self.sides() = Sides::default();
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut sides = self.sides();
        let sides = &mut *sides;
        let inputs =
            [(&mut sides.left, &self.left, "left"), (&mut sides.right, &self.right, "right")];
        for (side, receiver, name) in inputs {
            if side.wants_more()
                && let Some(message) = receiver.try_receive()?
            {
                side.add(&message, &self.key, name)?;
            }
        }
        let joined = sides.join(&self.key, *self.tolerance, *self.choose)?;
        sides.finished = sides.left.has_ended && sides.left.rows.is_empty();
        if joined.rows == 0 && !sides.finished {
            return Ok(());
        }
        let message = Block { columns: joined.columns }.into_message(context, sides.finished)?;
        self.output.publish(message, context.now())
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        let dropped = self.sides().dropped;
        if dropped > 0 {
            gxf::info!("{dropped} rows had no partner within the tolerance");
        }
        Ok(())
    }
}

impl implement::SchedulingTerm for Join {
    fn check(&self, now: i64) -> Result<Condition> {
        let sides = self.sides();
        let is_ready = (sides.left.wants_more() && has_message(&self.left))
            || (sides.right.wants_more() && has_message(&self.right));
        let condition_type = match is_ready {
            _ if sides.finished => ConditionType::NEVER,
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
        [&self.left, &self.right]
            .into_iter()
            .filter_map(|receiver| receiver.try_get())
            .for_each(|receiver| add(receiver.cid()));
    }
}
