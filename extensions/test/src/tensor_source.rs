//! `Generator`, `ArbitraryPrecisionFactorial`, `IntegerSinSum`, `PrintTensor`: numbers in tensors.

use gxf::PrimitiveType;
use gxf::prelude::*;

/// Numbers in each tensor of a [`Generator`].
const NUMBERS: usize = 8;

/// Sends a tensor of the next integers and one of the next Fibonacci numbers on every tick.
#[derive(Component, Default)]
pub struct Generator {
    /// Transmitter of the integers, from 0 on.
    integers: Parameter<Handle<Transmitter>>,
    /// Transmitter of the Fibonacci numbers, modulo 2^64.
    fibonacci: Parameter<Handle<Transmitter>>,
    /// Where the memory of the tensors comes from.
    pool: Parameter<Handle<Allocator>>,
    next_integer: u64,
    /// The next two.
    next_fibonacci: (u64, u64),
}

/// A message with a tensor of these numbers in host memory.
fn message_of<T: gxf::Element>(
    context: &TickContext,
    pool: &Handle<Allocator>,
    numbers: &[T],
) -> Result<Message> {
    let length = i32::try_from(numbers.len()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
    let mut tensor = Tensor::new::<T>(pool, StorageType::HOST, &[length])?;
    tensor.data_mut::<T>()?.copy_from_slice(numbers);
    let mut message = context.new_message()?;
    message.add("tensor", tensor)?;
    Ok(message)
}

impl Codelet for Generator {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.next_integer = 0;
        self.next_fibonacci = (0, 1);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let (mut integers, mut fibonacci) = ([0; NUMBERS], [0; NUMBERS]);
        for (integer, number) in integers.iter_mut().zip(&mut fibonacci) {
            *integer = self.next_integer;
            self.next_integer = self.next_integer.wrapping_add(1);
            let (first, second) = self.next_fibonacci;
            *number = first;
            self.next_fibonacci = (second, first.wrapping_add(second));
        }
        self.integers.publish(message_of(context, &self.pool, &integers)?, context.now())?;
        self.fibonacci.publish(message_of(context, &self.pool, &fibonacci)?, context.now())
    }
}

/// Computes a factorial to as many decimal digits as wanted, and sends them as a tensor on every
/// tick, the lowest digit first.
#[derive(Component, Default)]
pub struct ArbitraryPrecisionFactorial {
    /// Number of digits; higher ones are lost.
    #[parameter(minimum = 1)]
    digits: Parameter<i32>,
    /// The number whose factorial is computed.
    factorial: Parameter<u64>,
    /// Transmitter of the result.
    result: Parameter<Handle<Transmitter>>,
    /// Where the memory of the tensor comes from.
    pool: Parameter<Handle<Allocator>>,
}

/// The decimal digits of a factorial, the lowest first.
fn factorial_digits(number: u64, digits: usize) -> Vec<i32> {
    let mut result = vec![0i32; digits];
    if let Some(lowest) = result.first_mut() {
        *lowest = 1;
    }
    for factor in 2..=number {
        let mut carry = 0u128;
        for digit in &mut result {
            let product = u128::from(digit.unsigned_abs()) * u128::from(factor) + carry;
            // Below ten.
            *digit = (product % 10) as i32;
            carry = product / 10;
        }
    }
    result
}

impl Codelet for ArbitraryPrecisionFactorial {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let digits =
            usize::try_from(*self.digits).map_err(|_| ResultCode::PARAMETER_OUT_OF_RANGE)?;
        let digits = factorial_digits(*self.factorial, digits);
        self.result.publish(message_of(context, &self.pool, &digits)?, context.now())
    }
}

/// Sends the sum of the sines of the integers below `count` on every tick.
#[derive(Component, Default)]
pub struct IntegerSinSum {
    /// How many integers.
    count: Parameter<usize>,
    /// Transmitter of the result, a tensor of one `float64`.
    result: Parameter<Handle<Transmitter>>,
    /// Where the memory of the tensor comes from.
    pool: Parameter<Handle<Allocator>>,
}

impl Codelet for IntegerSinSum {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let sum: f64 = (0..*self.count).map(|integer| (integer as f64).sin()).sum();
        self.result.publish(message_of(context, &self.pool, &[sum])?, context.now())
    }
}

/// Receives a message on every tick and logs its tensors with their first elements.
#[derive(Component, Default)]
pub struct PrintTensor {
    /// Receiver the messages arrive at.
    tensors: Parameter<Handle<Receiver>>,
    /// Only receives.
    #[parameter(default = false, dynamic)]
    silent: Parameter<bool>,
}

/// Most elements that are logged.
const SHOWN: usize = 16;

/// The first elements of a tensor; empty for types that have no text.
fn elements(tensor: &Tensor) -> Result<String> {
    fn text<T: gxf::Element + std::fmt::Debug>(tensor: &Tensor) -> Result<String> {
        let values = tensor.to_vec::<T>()?;
        let shown: Vec<_> = values.iter().take(SHOWN).map(|value| format!("{value:?}")).collect();
        let rest = if values.len() > SHOWN { ", …" } else { "" };
        Ok(format!("{}{rest}", shown.join(", ")))
    }
    match tensor.element_type() {
        PrimitiveType::INT8 => text::<i8>(tensor),
        PrimitiveType::UNSIGNED8 => text::<u8>(tensor),
        PrimitiveType::INT16 => text::<i16>(tensor),
        PrimitiveType::UNSIGNED16 => text::<u16>(tensor),
        PrimitiveType::INT32 => text::<i32>(tensor),
        PrimitiveType::UNSIGNED32 => text::<u32>(tensor),
        PrimitiveType::INT64 => text::<i64>(tensor),
        PrimitiveType::UNSIGNED64 => text::<u64>(tensor),
        PrimitiveType::FLOAT32 => text::<f32>(tensor),
        PrimitiveType::FLOAT64 => text::<f64>(tensor),
        _ => Ok(String::new()),
    }
}

impl Codelet for PrintTensor {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.tensors.receive()?;
        if *self.silent {
            return Ok(());
        }
        let names = message.payloads().filter(|payload| payload.tid == Tensor::TID);
        for (payload, tensor) in names.zip(message.find_all::<Tensor>()) {
            gxf::info!("`{}`, {tensor}: {}", payload.name, elements(tensor)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials_have_their_digits() {
        assert_eq!(factorial_digits(5, 4), [0, 2, 1, 0]);
        assert_eq!(factorial_digits(0, 2), [1, 0]);
        // 25! = 15511210043330985984000000, more than 64 bits hold.
        let digits: String =
            factorial_digits(25, 26).iter().rev().map(ToString::to_string).collect();
        assert_eq!(digits, "15511210043330985984000000");
        assert_eq!(factorial_digits(25, 8)[6..], [4, 8], "higher digits are lost");
    }
}
