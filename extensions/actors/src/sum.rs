//! Sums of payloads, and tensors one behind the other.

use crate::is_end;
use gxe_columns::{bad_data, is_last, mark_last, scalar_of};
use gxf::prelude::*;
use gxf::{Element, PayloadInfo, PrimitiveType};

/// A payload as the sum of those of several messages.
enum Term {
    Tensor(Tensor),
    Integer(i64),
    Number(f64),
}

/// What is made of the payloads of several messages.
#[derive(ParameterEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Operation {
    /// Their sum; integers wrap around.
    #[default]
    Sum,
    /// The largest; NaN if one is NaN.
    Maximum,
    /// The smallest; NaN if one is NaN.
    Minimum,
}

/// The sum of messages, payload by payload, or their maximum or minimum.
#[derive(Default)]
pub struct Sum {
    operation: Operation,
    terms: Vec<(String, Term)>,
    /// Whether the last message of a stream is in it.
    has_end: bool,
    /// Messages in it.
    pub count: u64,
}

fn own_copy(tensor: &Tensor) -> Result<Tensor> {
    fn copy<T: Element>(tensor: &Tensor) -> Result<Tensor> {
        Tensor::from_vec(tensor.shape().dimensions(), tensor.to_vec::<T>()?)
    }
    of_type(tensor, copy::<f64>, copy::<f32>, copy::<i64>, copy::<i32>, copy::<u8>)
}

/// Calls the function for the type of the elements.
fn of_type<R>(
    tensor: &Tensor,
    doubles: impl FnOnce(&Tensor) -> Result<R>,
    floats: impl FnOnce(&Tensor) -> Result<R>,
    longs: impl FnOnce(&Tensor) -> Result<R>,
    ints: impl FnOnce(&Tensor) -> Result<R>,
    bytes: impl FnOnce(&Tensor) -> Result<R>,
) -> Result<R> {
    match tensor.element_type() {
        PrimitiveType::FLOAT64 => doubles(tensor),
        PrimitiveType::FLOAT32 => floats(tensor),
        PrimitiveType::INT64 => longs(tensor),
        PrimitiveType::INT32 => ints(tensor),
        PrimitiveType::UNSIGNED8 => bytes(tensor),
        other => Err(bad_data(format!(
            "elements of type {} have no sum here: float64, float32, int64, int32 and uint8 have",
            other.name()
        ))),
    }
}

fn add<T: Element>(sum: &mut Tensor, other: &Tensor, plus: impl Fn(T, T) -> T) -> Result<()> {
    let other = other.to_vec::<T>()?;
    for (sum, other) in sum.data_mut::<T>()?.iter_mut().zip(other) {
        *sum = plus(*sum, other);
    }
    Ok(())
}

impl Operation {
    /// Of two numbers with this sum.
    fn of<T: PartialOrd>(self, one: T, other: T, sum: impl FnOnce(T, T) -> T) -> T {
        #[expect(clippy::eq_op, reason = "NaN differs from itself")]
        let keeps = match self {
            Self::Sum => return sum(one, other),
            Self::Maximum => one >= other || one != one,
            Self::Minimum => one <= other || one != one,
        };
        if keeps { one } else { other }
    }
}

fn add_tensor(name: &str, sum: &mut Tensor, other: &Tensor, operation: Operation) -> Result<()> {
    let (expected, found) = (sum.shape().dimensions(), other.shape().dimensions());
    if expected != found || sum.element_type() != other.element_type() {
        return Err(bad_data(format!("`{name}`: expected {sum}, found {other}")));
    }
    match sum.element_type() {
        PrimitiveType::FLOAT64 => add(sum, other, |a: f64, b| operation.of(a, b, |a, b| a + b)),
        PrimitiveType::FLOAT32 => add(sum, other, |a: f32, b| operation.of(a, b, |a, b| a + b)),
        PrimitiveType::INT64 => add(sum, other, |a, b| operation.of(a, b, i64::wrapping_add)),
        PrimitiveType::INT32 => add(sum, other, |a, b| operation.of(a, b, i32::wrapping_add)),
        _ => add(sum, other, |a, b| operation.of(a, b, u8::wrapping_add)),
    }
}

impl Sum {
    /// Not the sum of what is added, but what this operation makes of it.
    pub fn with(operation: Operation) -> Self {
        Self { operation, ..Self::default() }
    }

    /// Adds a message: the first is copied, each further one must have the same payloads.
    pub fn add(&mut self, message: &Message) -> Result<()> {
        let is_value = |payload: &PayloadInfo<'_>| payload.name != "timestamp" && !is_end(payload);
        let payloads = || message.payloads().filter(is_value);
        self.has_end |= is_last(message);
        if self.count > 0 && payloads().count() != self.terms.len() {
            return Err(bad_data(format!(
                "a message has {} payloads, after one with {}",
                payloads().count(),
                self.terms.len()
            )));
        }
        for (index, payload) in payloads().enumerate() {
            let name = payload.name;
            let integer = message.try_get::<i64>(name);
            let term = if let Some(tensor) = message.try_get::<Tensor>(name) {
                if self.count == 0 { Term::Tensor(own_copy(tensor)?) } else { Term::Number(0.0) }
            } else if let Some(integer) = integer {
                Term::Integer(*integer)
            } else if let Some(number) = scalar_of(message, &payload) {
                Term::Number(number)
            } else {
                return Err(bad_data(format!("payload `{name}` is no tensor and no number")));
            };
            if self.count == 0 {
                self.terms.push((name.to_owned(), term));
                continue;
            }
            let (expected, sum) = &mut self.terms[index];
            match (sum, term, message.try_get::<Tensor>(name)) {
                (Term::Tensor(sum), _, Some(tensor)) if expected == name => {
                    add_tensor(name, sum, tensor, self.operation)?;
                }
                (Term::Integer(sum), Term::Integer(more), None) if expected == name => {
                    *sum = self.operation.of(*sum, more, i64::wrapping_add);
                }
                (Term::Number(sum), Term::Number(more), None) if expected == name => {
                    *sum = self.operation.of(*sum, more, |a, b| a + b);
                }
                _ => {
                    return Err(bad_data(format!(
                        "payload `{name}` takes the place of `{expected}` of earlier messages, \
                         or has another type"
                    )));
                }
            }
        }
        self.count += 1;
        Ok(())
    }

    /// A message with the sum, which begins anew.
    pub fn take(&mut self, context: &TickContext) -> Result<Message> {
        let mut message = context.new_message()?;
        let sum = std::mem::take(self);
        if sum.has_end {
            mark_last(&mut message)?;
        }
        for (name, term) in sum.terms {
            match term {
                Term::Tensor(tensor) => drop(message.add(&name, tensor)?),
                Term::Integer(integer) => drop(message.add(&name, integer)?),
                Term::Number(number) => drop(message.add(&name, number)?),
            }
        }
        Ok(message)
    }
}

/// The tensors of this name in several messages, one behind the other in the first dimension.
pub fn packed(messages: &[Message], name: &str) -> Result<Tensor> {
    fn join<T: Element>(tensors: &[&Tensor]) -> Result<Tensor> {
        let mut values = Vec::new();
        let mut rows = 0_i32;
        for tensor in tensors {
            values.extend(tensor.to_vec::<T>()?);
            let more = tensor.shape().dimensions()[0];
            rows = rows.checked_add(more).ok_or_else(|| bad_data("too many rows"))?;
        }
        let mut dimensions = tensors[0].shape().dimensions().to_vec();
        dimensions[0] = rows;
        Tensor::from_vec(&dimensions, values)
    }
    let tensors: Vec<&Tensor> =
        messages.iter().map(|message| message.get::<Tensor>(name)).collect::<Result<_>>()?;
    let first = tensors[0];
    if first.rank() == 0 {
        return Err(bad_data(format!("tensor `{name}` has no dimension to pack")));
    }
    let fits = |other: &&&Tensor| {
        other.element_type() == first.element_type()
            && other.rank() == first.rank()
            && other.shape().dimensions()[1..] == first.shape().dimensions()[1..]
    };
    if let Some(other) = tensors.iter().find(|other| !fits(other)) {
        return Err(bad_data(format!("`{name}`: expected {first}, found {other}")));
    }
    of_type(
        first,
        |_| join::<f64>(&tensors),
        |_| join::<f32>(&tensors),
        |_| join::<i64>(&tensors),
        |_| join::<i32>(&tensors),
        |_| join::<u8>(&tensors),
    )
}
