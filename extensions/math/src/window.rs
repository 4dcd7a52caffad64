//! `Window`.

use crate::aggregate::Aggregate;
use crate::expression::check_names;
use gxe_columns::acquisition;
use gxe_columns::{Block, Rows, bad_data, is_last};
use gxf::prelude::*;

/// Publishes one row for each window of rows: aggregates such as `slow = p95(latency)` or `errors =
/// sum(status >= 500)`, see `gxe::math::Map` for expressions. A window is a number of rows, or the
/// rows within a length of the column `key`; its row then begins with the start of the window, in
/// that column. A row that is older than the open window counts there. Rows without a key are left
/// out, and the log says how many. The last window may be incomplete.
///
/// Aggregates: `count`, `sum`, `mean`, `min`, `max`, `first`, `last`, `deviation`, `median`, and `p0`
/// to `p100` for percentiles. Missing values do not count. `deviation` is the standard deviation of
/// a population, which divides by the number of values. `median` of an even number of values is the
/// mean of the two in the middle; a percentile is always one of the values.
#[derive(Component, Default)]
pub struct Window {
    /// Receiver for the rows.
    #[parameter(carries = [Tensor, f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, bool])]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for one row a window.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Columns to publish, as `name = function(expression)`.
    aggregates: Parameter<Vec<String>>,
    /// Column whose values say to which window a row belongs, such as a time [default: none, windows
    /// have a number of rows].
    key: Parameter<Option<String>>,
    /// Length of a window: in units of the key, or rows.
    #[parameter(default = 60.0)]
    length: Parameter<f64>,
    /// A window with more rows is an error.
    #[parameter(default = 10000000, minimum = 1)]
    most_rows: Parameter<u64>,
    parsed: Vec<Aggregate>,
    open: Open,
    /// Rows that were left out.
    without_key: u64,
}

/// The open window.
#[derive(Default)]
struct Open {
    start: f64,
    rows: usize,
    /// For each aggregate, what goes into it.
    values: Vec<Vec<f64>>,
}

impl Window {
    fn parse(&self) -> Result<Vec<Aggregate>> {
        let parsed = self.aggregates.iter().map(|text| Aggregate::parse(text));
        let parsed = parsed.collect::<Result<Vec<_>>>()?;
        let names = parsed.iter().map(|aggregate| aggregate.name.as_str());
        check_names(self.key.as_deref().into_iter().chain(names), "assigned")?;
        Ok(parsed)
    }

    fn close(&mut self, block: &mut Vec<Vec<f64>>) {
        if self.open.rows == 0 {
            return;
        }
        let mut row = Vec::new();
        if self.key.is_some() {
            row.push(self.open.start);
        }
        for (aggregate, values) in self.parsed.iter().zip(&mut self.open.values) {
            row.push(aggregate.of(values));
            values.clear();
        }
        self.open.rows = 0;
        block.push(row);
    }
}

impl Codelet for Window {
    fn check_parameters(&self) -> Result<()> {
        let least = if self.key.is_some() { f64::MIN_POSITIVE } else { 1.0 };
        if !(least..=f64::MAX).contains(&*self.length) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`length` is a positive number, not {}", *self.length),
            ));
        }
        self.parse().map(|_| ())
    }

    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.parsed = self.parse()?;
        let values = self.parsed.iter().map(|_| Vec::new()).collect();
        self.open = Open { start: 0.0, rows: 0, values };
        self.without_key = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = self.input.receive()?;
        let rows = Rows::of(&received)?;
        let mut closed = Vec::new();
        if !rows.is_empty() {
            let keys = match self.key.as_deref() {
                Some(name) => Some(rows.column(name)?.to_numbers(rows.len())?),
                None => None,
            };
            let values = self.parsed.iter().map(|aggregate| {
                let names = aggregate.expression.variables().iter();
                let columns = names.map(|name| rows.column(name)).collect::<Result<Vec<_>>>()?;
                let mut evaluated = Vec::with_capacity(rows.len());
                aggregate.expression.evaluate(&columns, rows.len(), &mut evaluated)?;
                Ok(evaluated)
            });
            let values = values.collect::<Result<Vec<_>>>()?;
            for row in 0..rows.len() {
                match &keys {
                    None if self.open.rows as f64 >= *self.length => self.close(&mut closed),
                    None => {}
                    Some(keys) if keys[row].is_nan() => {
                        self.without_key += 1;
                        continue;
                    }
                    Some(keys) => {
                        let start = (keys[row] / *self.length).floor() * *self.length;
                        if start > self.open.start {
                            self.close(&mut closed);
                        }
                        if self.open.rows == 0 {
                            self.open.start = start;
                        }
                    }
                }
                if self.open.rows as u64 >= *self.most_rows {
                    let text = format!("a window has more than {} rows", *self.most_rows);
                    return Err(bad_data(format!("{text} (`most_rows`)")));
                }
                self.open.rows += 1;
                for (kept, values) in self.open.values.iter_mut().zip(&values) {
                    kept.push(values[row]);
                }
            }
        }
        if is_last(&received) {
            self.close(&mut closed);
        }
        if closed.is_empty() && !is_last(&received) {
            return Ok(());
        }
        let mut block = Block::default();
        if !closed.is_empty() {
            let key = self.key.iter().map(String::as_str);
            let names = key.chain(self.parsed.iter().map(|aggregate| aggregate.name.as_str()));
            for (index, name) in names.enumerate() {
                block.numbers(name, closed.iter().map(|row| row[index]).collect());
            }
        }
        let message = block.into_message(context, is_last(&received))?;
        self.output.publish(message, acquisition(&received, context))
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        if let (Some(key), rows @ 1..) = (self.key.as_deref(), self.without_key) {
            let (have, belong) =
                if rows == 1 { ("row has", "belongs") } else { ("rows have", "belong") };
            gxf::warning!("{rows} {have} no `{key}` and {belong} to no window");
        }
        Ok(())
    }
}
