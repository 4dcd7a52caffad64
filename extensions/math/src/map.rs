//! `Map`.

use crate::expression::Assignment;
use gxe_columns::acquisition;
use gxe_columns::{Column, Content, Rows, bad_data};
use gxf::VecPool;
use gxf::prelude::*;

/// Adds columns that expressions compute, such as `speed = distance / time`, to each message. An
/// expression may use the columns of the message, whole tensors and single numbers by their names,
/// and columns of expressions before it; `{a b}` is the column `a b`. Everything else in a message
/// stays as it is.
///
/// Operators, the tightest last: `else`, `if`, `||`, `&&`, comparisons, `+ -`, `* / %`, `^`, minus
/// sign and `!`. `x if c` is x where c holds and missing elsewhere; `x else y` is y where x is
/// missing. Functions: `min(a, b)`, `max`, `atan2`, `hypot`, `abs`, `sqrt`, `exp`, `ln`, `log2`,
/// `log10`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `sinh`, `cosh`, `tanh`, `floor`, `ceil`,
/// `round`, `trunc`, `sign`, `is_missing`; constants: `PI`, `E`. Comparisons are 1 or 0.
#[derive(Component, Default)]
pub struct Map {
    /// Receiver for the messages.
    #[parameter(carries = [Tensor, f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, bool])]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the messages with the new columns.
    #[parameter(carries = [Tensor, f64])]
    output: Parameter<Handle<Transmitter>>,
    /// New columns as `name = expression`. A column of this name in the message is replaced.
    #[parameter(dynamic)]
    columns: Parameter<Vec<String>>,
    /// Publishes only these columns, each of which must be there [default: all].
    keep: Parameter<Option<Vec<String>>>,
    parsed: Option<(Vec<String>, Vec<Assignment>)>,
    pool: VecPool<f64>,
}

/// A computed column.
enum Computed {
    Number(f64),
    Tensor(Tensor),
}

impl Codelet for Map {
    fn check_parameters(&self) -> Result<()> {
        Assignment::parse_all(&self.columns).map(|_| ())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = self.input.receive()?;
        let texts: &Vec<String> = self.columns.get();
        if self.parsed.as_ref().is_none_or(|(before, _)| before != texts) {
            self.parsed = Some((texts.clone(), Assignment::parse_all(texts)?));
        }
        let assignments = self.parsed.as_ref().map(|(_, parsed)| parsed.as_slice());
        let columns = Rows::columns_of(&received);
        let mut computed: Vec<(&str, Computed)> = Vec::new();
        if !columns.is_empty() {
            for assignment in assignments.unwrap_or_default() {
                let value = compute(assignment, &columns, &computed, &self.pool)?;
                computed.push((&assignment.name, value));
            }
        }

        let is_there = |name: &str| {
            received.payloads().any(|payload| payload.name == name)
                || computed.iter().any(|(computed, _)| *computed == name)
        };
        let missing = self.keep.iter().flatten().find(|name| !is_there(name));
        if let Some(name) = missing.filter(|_| !columns.is_empty()) {
            let computed = computed.iter().map(|(name, _)| *name);
            let names = columns.iter().map(|column| column.name).chain(computed);
            let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
            let text = format!("`keep`: there is no column `{name}`, only {}", names.join(", "));
            return Err(bad_data(text));
        }

        let mut message = context.new_message()?;
        message.share_payloads(&received)?;
        let is_column = |name: &str| columns.iter().any(|column| column.name == name);
        let keep = self.keep.as_deref();
        for index in (0..received.len()).rev() {
            let Some(payload) = received.payloads().nth(index) else { continue };
            let is_replaced = computed.iter().any(|(name, _)| *name == payload.name);
            let is_left_out = keep.is_some_and(|keep| !keep.iter().any(|k| k == payload.name));
            if is_replaced || (is_left_out && is_column(payload.name)) {
                message.remove(index)?;
            }
        }
        for (name, value) in computed {
            if keep.is_some_and(|keep| !keep.iter().any(|k| k == name)) {
                continue;
            }
            match value {
                Computed::Number(number) => drop(message.add(name, number)?),
                Computed::Tensor(tensor) => drop(message.add(name, tensor)?),
            }
        }
        self.output.publish(message, acquisition(&received, context))
    }
}

fn compute(
    assignment: &Assignment,
    columns: &[Column<'_>],
    computed: &[(&str, Computed)],
    pool: &VecPool<f64>,
) -> Result<Computed> {
    let expression = &assignment.expression;
    let mut operands = Vec::new();
    for name in expression.variables() {
        let earlier = computed.iter().find(|(other, _)| other == name);
        let content = match earlier {
            Some((_, Computed::Number(number))) => Some(Content::Number(*number)),
            Some((_, Computed::Tensor(tensor))) => Some(Content::Numbers(tensor)),
            None => columns.iter().find(|column| column.name == name).map(|column| column.content),
        };
        let Some(content) = content else {
            let names: Vec<_> = columns.iter().map(|c| format!("`{}`", c.name)).collect();
            return Err(bad_data(format!(
                "the message has no column `{name}`; it has {}",
                names.join(", ")
            )));
        };
        operands.push(Column { name, content });
    }
    let mut shape: Option<(&str, &Tensor)> = None;
    for operand in &operands {
        match (operand.content, shape) {
            (Content::Numbers(tensor), None) => shape = Some((operand.name, tensor)),
            (Content::Numbers(tensor), Some((name, first)))
                if tensor.shape().dimensions() != first.shape().dimensions() =>
            {
                return Err(bad_data(format!(
                    "`{name}` is a tensor of {}, `{}` of {}",
                    first.shape(),
                    operand.name,
                    tensor.shape()
                )));
            }
            (Content::Texts(_), _) => {
                return Err(bad_data(format!("column `{}` has texts, not numbers", operand.name)));
            }
            _ => {}
        }
    }
    let operands: Vec<&Column<'_>> = operands.iter().collect();
    let rows = if operands.is_empty() { Rows::length_of(columns) } else { None };
    let count = match (shape, rows) {
        (Some((_, tensor)), _) => tensor.element_count()? as usize,
        // A constant becomes a column beside other columns.
        (None, Some(rows)) => rows,
        (None, None) => 1,
    };
    let mut values = pool.take(count);
    expression.evaluate(&operands, count, &mut values)?;
    match (shape, rows) {
        (Some((_, tensor)), _) => {
            Ok(Computed::Tensor(pool.tensor(tensor.shape().dimensions(), values)?))
        }
        (None, Some(rows)) => {
            let length = i32::try_from(rows).map_err(|_| bad_data("too many rows"))?;
            Ok(Computed::Tensor(pool.tensor(&[length], values)?))
        }
        (None, None) => Ok(Computed::Number(values[0])),
    }
}
