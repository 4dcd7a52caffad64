//! `Filter`.

use crate::expression::Expression;
use gxe_columns::acquisition;
use gxe_columns::{Rows, is_last};
use gxf::prelude::*;

/// Passes on the rows for which an expression is neither 0 nor missing, see `gxe::math::Map` for
/// expressions. A message without such rows is dropped, unless it ends the stream.
#[derive(Component, Default)]
pub struct Filter {
    /// Receiver for the rows.
    #[parameter(carries = [Tensor, f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, bool])]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the rows that are kept.
    #[parameter(carries = [Tensor, f64])]
    output: Parameter<Handle<Transmitter>>,
    /// Expression that holds for the rows to keep, such as `load > 0.5`.
    #[parameter(dynamic)]
    keep: Parameter<String>,
    parsed: Option<(String, Expression)>,
}

impl Codelet for Filter {
    fn check_parameters(&self) -> Result<()> {
        Expression::parse(&self.keep).map(|_| ())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = self.input.receive()?;
        let text: &String = self.keep.get();
        if self.parsed.as_ref().is_none_or(|(before, _)| before != text) {
            self.parsed = Some((text.clone(), Expression::parse(text)?));
        }
        let Some((_, expression)) = &self.parsed else { return Ok(()) };
        let rows = Rows::of(&received)?;
        let mut kept = Vec::new();
        if !rows.is_empty() {
            let names = expression.variables().iter();
            let columns = names.map(|name| rows.column(name)).collect::<Result<Vec<_>>>()?;
            let mut holds = Vec::with_capacity(rows.len());
            expression.evaluate(&columns, rows.len(), &mut holds)?;
            let is_kept = |value: &f64| *value != 0.0 && !value.is_nan();
            kept = (0..rows.len()).filter(|row| is_kept(&holds[*row])).collect();
        }
        if kept.len() == rows.len() && !rows.is_empty() {
            return self.output.publish_as_is(received);
        }
        if kept.is_empty() {
            return match is_last(&received) {
                true => self
                    .output
                    .publish(gxe_columns::end_message(context)?, acquisition(&received, context)),
                false => Ok(()),
            };
        }
        let message = rows.select(context, &kept)?;
        self.output.publish(message, acquisition(&received, context))
    }
}
