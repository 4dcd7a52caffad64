//! `Signal`.

use crate::expression::Assignment;
use gxe_columns::Block;
use gxf::SharedCodelet;
use gxf::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Publishes rows that expressions make up, such as `wave = sin(2 * PI * t)`; see `gxe::math::Map`
/// for expressions. Their variables are `i`, the number of the row from 0; `t`, its time in seconds,
/// which is `i / rate`; and `random`, a number from 0 to 1 that depends only on `seed` and `i`. It is
/// its own scheduling term, and ends after a number of messages.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Signal {
    /// Transmitter for the rows.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Columns, as `name = expression`.
    #[parameter(dynamic)]
    columns: Parameter<Vec<String>>,
    /// Rows in a second of the signal; it does not slow the source down.
    #[parameter(default = 1000.0, unit = "Hz")]
    rate: Parameter<f64>,
    /// Rows in a message.
    #[parameter(default = 1000, minimum = 1, maximum = 100000000)]
    rows: Parameter<u64>,
    /// Number of messages; 0 for no end.
    #[parameter(default = 1)]
    messages: Parameter<u64>,
    /// Seed of `random`.
    #[parameter(default = 0)]
    seed: Parameter<u64>,
    sent: AtomicU64,
}

/// A number from 0 to 1 (SplitMix64's finaliser).
fn random(seed: u64, row: u64) -> f64 {
    let mut state = seed.wrapping_add(row.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((state ^ (state >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

impl Signal {
    fn parse(&self) -> Result<Vec<Assignment>> {
        let assignments = Assignment::parse_all(&self.columns)?;
        for assignment in &assignments {
            let mut variables = assignment.expression.variables().iter();
            if let Some(other) = variables.find(|v| !["i", "t", "random"].contains(&v.as_str())) {
                return Err(Error::new(
                    ResultCode::PARAMETER_PARSER_ERROR,
                    format!("`{}` uses `{other}`; there is `i`, `t` and `random`", assignment.name),
                ));
            }
        }
        Ok(assignments)
    }
}

impl Lifecycle for Signal {
    fn check_parameters(&self) -> Result<()> {
        if !(f64::MIN_POSITIVE..=f64::MAX).contains(&*self.rate) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`rate` is a positive number, not {}", *self.rate),
            ));
        }
        self.parse().map(|_| ())
    }
}

impl SharedCodelet for Signal {
    fn start(&self, _context: &TickContext) -> Result<()> {
        self.sent.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let sent = self.sent.load(Ordering::Relaxed);
        let first = sent.wrapping_mul(*self.rows);
        let mut block = Block::default();
        for assignment in self.parse()? {
            let values = assignment.expression.generate(*self.rows as usize, |name, row| {
                let row = first + row as u64;
                match name {
                    "i" => row as f64,
                    "t" => row as f64 / *self.rate,
                    _ => random(*self.seed, row),
                }
            })?;
            block.numbers(assignment.name, values);
        }
        self.sent.store(sent + 1, Ordering::Relaxed);
        let message = block.into_message(context, sent + 1 == *self.messages)?;
        self.output.publish(message, context.now())
    }
}

impl implement::SchedulingTerm for Signal {
    fn check(&self, now: i64) -> Result<Condition> {
        let is_over = *self.messages > 0 && self.sent.load(Ordering::Relaxed) >= *self.messages;
        let condition_type = if is_over { ConditionType::NEVER } else { ConditionType::READY };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}
