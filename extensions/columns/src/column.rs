//! One column of a message.

use crate::bad_data;
use gxf::{Element, Message, PayloadInfo, PrimitiveType, Result, Tensor};
use pulp::{Arch, Simd, WithSimd};

/// One column of a message.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Name of the payload.
    pub name: &'a str,
    /// Its content.
    pub content: Content<'a>,
}

/// The content of a column.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// One number, which holds for all rows.
    Number(f64),
    /// A tensor of real numbers.
    Numbers(&'a Tensor),
    /// Texts, each followed by a newline.
    Texts(&'a str),
}

/// A primitive payload as a number; `None` for other types.
#[must_use]
pub fn scalar_of(message: &Message, payload: &PayloadInfo<'_>) -> Option<f64> {
    macro_rules! first_of {
        ($($type:ty),*) => {
            $(
                if payload.tid == <$type as gxf::Payload>::TID {
                    return message.try_get::<$type>(payload.name).map(|value| *value as f64);
                }
            )*
        };
    }
    first_of!(f64, f32, i64, u64, i32, u32, i16, u16, i8, u8);
    if payload.tid == <bool as gxf::Payload>::TID {
        return message.try_get::<bool>(payload.name).map(|value| f64::from(u8::from(*value)));
    }
    None
}

impl<'a> Content<'a> {
    /// A tensor as a column; `None` if its elements are not real numbers.
    #[must_use]
    pub fn of_tensor(tensor: &'a Tensor) -> Option<Self> {
        let element = tensor.element_type();
        if element == PrimitiveType::INT8 && tensor.rank() == 1 && tensor.is_contiguous() {
            let text = tensor.bytes().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
            if let Some(text) = text.filter(|text| text.is_empty() || text.ends_with('\n')) {
                return Some(Self::Texts(text));
            }
        }
        let is_real = ![PrimitiveType::CUSTOM, PrimitiveType::COMPLEX64, PrimitiveType::COMPLEX128]
            .contains(&element);
        (is_real && element.size() > 0).then_some(Self::Numbers(tensor))
    }
}

impl<'a> Column<'a> {
    /// Number of rows; `None` for a single number, which fits any.
    #[must_use]
    pub fn rows(&self) -> Option<usize> {
        match self.content {
            Content::Number(_) => None,
            Content::Numbers(tensor) if tensor.rank() == 0 => Some(0),
            Content::Numbers(tensor) => Some(tensor.shape().dimensions()[0] as usize),
            Content::Texts(text) => Some(text.bytes().filter(|byte| *byte == b'\n').count()),
        }
    }

    /// Reads elements as numbers: from a position on into a slice, which must not reach over the end.
    /// A single number fills the slice. What is checked once is not checked for each read.
    ///
    /// # Errors
    /// The column has texts, or elements that are no numbers.
    pub fn reader(&self) -> Result<Reader<'a>> {
        match self.content {
            Content::Number(number) => Ok(Box::new(move |_, into| {
                into.fill(number);
                Ok(())
            })),
            Content::Numbers(tensor) => tensor_reader(tensor)
                .map_err(|error| error.context(format!("column `{}`", self.name))),
            Content::Texts(_) => {
                Err(bad_data(format!("column `{}` has texts, not numbers", self.name)))
            }
        }
    }

    /// All elements as numbers, `rows` of them for a single number.
    pub fn to_numbers(&self, rows: usize) -> Result<Vec<f64>> {
        let length = match self.content {
            Content::Numbers(tensor) => tensor.element_count()? as usize,
            _ => rows,
        };
        let mut numbers = vec![0.0; length];
        self.reader()?(0, &mut numbers)?;
        Ok(numbers)
    }

    /// The texts, in order.
    pub fn texts(&self) -> Result<impl Iterator<Item = &'a str>> {
        match self.content {
            Content::Texts(text) => Ok(text.split_terminator('\n')),
            _ => Err(bad_data(format!("column `{}` has numbers, not texts", self.name))),
        }
    }
}

/// A conversion, compiled for the vectors of each kind of processor.
struct Convert<'a, T, F> {
    from: &'a [T],
    into: &'a mut [f64],
    convert: F,
}

impl<T: Copy, F: Fn(T) -> f64> WithSimd for Convert<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (place, value) in self.into.iter_mut().zip(self.from) {
            *place = (self.convert)(*value);
        }
    }
}

/// Reads elements of a column, from a position on.
pub type Reader<'a> = Box<dyn Fn(usize, &mut [f64]) -> Result<()> + 'a>;

/// Reads elements of a contiguous tensor.
fn tensor_reader(tensor: &Tensor) -> Result<Reader<'_>> {
    fn reader<T: Element>(
        tensor: &Tensor,
        convert: impl Fn(T) -> f64 + Copy + 'static,
    ) -> Result<Reader<'_>> {
        let data = tensor.data::<T>()?;
        Ok(Box::new(move |from, into| {
            let from = data.get(from..from + into.len());
            let from = from.ok_or_else(|| bad_data("too few elements"))?;
            Arch::new().dispatch(Convert { from, into, convert });
            Ok(())
        }))
    }
    match tensor.element_type() {
        PrimitiveType::FLOAT64 => reader::<f64>(tensor, |value| value),
        PrimitiveType::FLOAT32 => reader::<f32>(tensor, f64::from),
        PrimitiveType::FLOAT16 => reader::<half::f16>(tensor, f64::from),
        PrimitiveType::BFLOAT16 => reader::<half::bf16>(tensor, f64::from),
        PrimitiveType::INT64 => reader::<i64>(tensor, |value| value as f64),
        PrimitiveType::UNSIGNED64 => reader::<u64>(tensor, |value| value as f64),
        PrimitiveType::INT32 => reader::<i32>(tensor, f64::from),
        PrimitiveType::UNSIGNED32 => reader::<u32>(tensor, f64::from),
        PrimitiveType::INT16 => reader::<i16>(tensor, f64::from),
        PrimitiveType::UNSIGNED16 => reader::<u16>(tensor, f64::from),
        PrimitiveType::INT8 => reader::<i8>(tensor, f64::from),
        PrimitiveType::UNSIGNED8 => reader::<u8>(tensor, f64::from),
        other => Err(bad_data(format!("elements of type {} are not real numbers", other.name()))),
    }
}
