//! `MovingAverage`.

use crate::expression::check_names;
use gxe_columns::acquisition;
use gxe_columns::{Content, Rows};
use gxf::prelude::*;
use std::collections::VecDeque;

/// Adds the average of the latest rows of a column to each row, as column `NAME_average`. The first
/// rows are averaged over the rows there are; missing values do not count.
#[derive(Component, Default)]
pub struct MovingAverage {
    /// Receiver for the rows.
    #[parameter(carries = [Tensor, f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, bool])]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the rows with their averages.
    #[parameter(carries = [Tensor, f64])]
    output: Parameter<Handle<Transmitter>>,
    /// Columns to average.
    columns: Parameter<Vec<String>>,
    /// Number of rows of an average.
    #[parameter(default = 10, minimum = 1, maximum = 100000000, dynamic)]
    window: Parameter<u64>,
    states: Vec<Average>,
}

impl Codelet for MovingAverage {
    fn check_parameters(&self) -> Result<()> {
        if self.columns.is_empty() {
            let text = "`columns` names at least one column";
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        check_names(self.columns.iter().map(String::as_str), "averaged")
    }

    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.states = self.columns.iter().map(|_| Average::default()).collect();
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = self.input.receive()?;
        let rows = Rows::of(&received)?;
        if rows.is_empty() {
            return self.output.publish_as_is(received);
        }
        let window = *self.window as usize;
        let mut message = context.new_message()?;
        message.share_payloads(&received)?;
        for (name, state) in self.columns.iter().zip(&mut self.states) {
            let column = rows.column(name)?;
            let mut values = column.to_numbers(rows.len())?;
            values.iter_mut().for_each(|value| *value = state.add(*value, window));
            let name = format!("{name}_average");
            match column.content {
                Content::Number(_) => drop(message.add(&name, values[0])?),
                _ => {
                    let length = values.len() as i32;
                    message.add(&name, Tensor::from_vec(&[length], values)?)?;
                }
            }
        }
        self.output.publish(message, acquisition(&received, context))
    }
}

/// The average of the latest values.
#[derive(Default)]
struct Average {
    values: VecDeque<f64>,
    sum: f64,
    /// Values in `values` that are not missing.
    count: usize,
    /// Values taken in since the sum was last computed anew.
    since: usize,
}

impl Average {
    fn add(&mut self, value: f64, window: usize) -> f64 {
        self.values.push_back(value);
        if !value.is_nan() {
            self.sum += value;
            self.count += 1;
        }
        while self.values.len() > window {
            let Some(oldest) = self.values.pop_front() else { break };
            if !oldest.is_nan() {
                self.sum -= oldest;
                self.count -= 1;
            }
        }
        // Errors of rounding do not add up over more than one window, and infinities leave.
        self.since += 1;
        if self.since >= self.values.len() || !self.sum.is_finite() {
            self.sum = self.values.iter().filter(|value| !value.is_nan()).sum();
            self.since = 0;
        }
        if self.count == 0 { f64::NAN } else { self.sum / self.count as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn averages_are_those_of_the_latest_values(
            values in prop::collection::vec(prop_oneof![4 => -1e3..1e3f64, 1 => Just(f64::NAN)], 1..60),
            window in 1usize..9,
        ) {
            let mut average = Average::default();
            for end in 1..=values.len() {
                let found = average.add(values[end - 1], window);
                let latest = &values[end.saturating_sub(window)..end];
                let known: Vec<_> = latest.iter().filter(|value| !value.is_nan()).collect();
                let expected = known.iter().copied().sum::<f64>() / known.len() as f64;
                let is_close = (found - expected).abs() < 1e-9;
                prop_assert!(is_close || (known.is_empty() && found.is_nan()), "{found} {expected}");
            }
        }
    }
}
