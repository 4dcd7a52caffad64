//! `Generator`, `ArbitraryPrecisionFactorial`, `IntegerSinSum`: numbers in tensors.

use gxf::prelude::*;

/// Numbers in each tensor of a [`Generator`].
const NUMBERS: usize = 8;

/// Sends a tensor of the next integers and one of the next Fibonacci numbers on every tick.
#[derive(Component, Default)]
pub struct Generator {
    /// Transmitter of the integers, from 0 on.
    #[parameter(carries = Tensor)]
    integers: Parameter<Handle<Transmitter>>,
    /// Transmitter of the Fibonacci numbers, modulo 2^64.
    #[parameter(carries = Tensor)]
    fibonacci: Parameter<Handle<Transmitter>>,
    /// Allocator of the tensors.
    pool: Parameter<Handle<Allocator>>,
    next_integer: u64,
    /// The next two Fibonacci numbers.
    next_fibonacci: (u64, u64),
}

/// A message with a tensor of these numbers in host memory.
fn message_of<T: gxf::Element>(
    context: &TickContext,
    pool: &Handle<Allocator>,
    name: &str,
    numbers: &[T],
) -> Result<Message> {
    let length = i32::try_from(numbers.len()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
    let mut tensor = Tensor::new::<T>(pool, StorageType::HOST, &[length])?;
    tensor.data_mut::<T>()?.copy_from_slice(numbers);
    let mut message = context.new_message()?;
    message.add(name, tensor)?;
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
        let integers = message_of(context, &self.pool, "tensor", &integers)?;
        self.integers.publish(integers, context.now())?;
        let fibonacci = message_of(context, &self.pool, "tensor", &fibonacci)?;
        self.fibonacci.publish(fibonacci, context.now())
    }
}

/// Computes the decimal digits of a factorial and sends them as a tensor on every tick, the lowest
/// digit first.
#[derive(Component, Default)]
pub struct ArbitraryPrecisionFactorial {
    /// Number of digits; higher ones are dropped.
    #[parameter(minimum = 1)]
    digits: Parameter<i32>,
    /// The number to compute the factorial of.
    factorial: Parameter<u64>,
    /// Transmitter of the result.
    result: Parameter<Handle<Transmitter>>,
    /// Allocator of the tensor.
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
        let message = message_of(context, &self.pool, "tensor", &digits)?;
        self.result.publish(message, context.now())
    }
}

/// Sends the sum of the sines of the integers below `count` on every tick.
#[derive(Component, Default)]
pub struct IntegerSinSum {
    /// Number of integers.
    count: Parameter<usize>,
    /// Transmitter of the result, a tensor `sum` of one `float32`.
    result: Parameter<Handle<Transmitter>>,
    /// Allocator of the tensor.
    pool: Parameter<Handle<Allocator>>,
}

impl Codelet for IntegerSinSum {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let sum: f64 = (0..*self.count).map(|integer| (integer as f64).sin()).sum();
        let message = message_of(context, &self.pool, "sum", &[sum as f32])?;
        self.result.publish(message, context.now())
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
