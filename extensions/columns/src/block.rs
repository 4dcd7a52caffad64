//! Columns in the making.

use crate::{bad_data, mark_last};
use gxf::{MemoryBuffer, Message, PrimitiveType, Result, Shape, Tensor, TickContext};

/// The values of a column in the making.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Texts, each followed by a newline.
    Texts(String),
}

/// Columns in the making.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Names and values; all have as many rows.
    pub columns: Vec<(String, Values)>,
}

impl Block {
    /// Adds a column of numbers.
    pub fn numbers(&mut self, name: impl Into<String>, numbers: Vec<f64>) {
        self.columns.push((name.into(), Values::Numbers(numbers)));
    }

    /// A message with the columns. `is_last` marks the end of the stream.
    pub fn into_message(self, context: &TickContext, is_last: bool) -> Result<Message> {
        let mut message = context.new_message()?;
        for (name, values) in self.columns {
            let tensor = match values {
                Values::Numbers(numbers) => {
                    let length = i32::try_from(numbers.len());
                    Tensor::from_vec(&[length.map_err(|_| bad_data("too many rows"))?], numbers)?
                }
                Values::Texts(texts) => texts_tensor(texts)?,
            };
            message.add(&name, tensor)?;
        }
        if is_last {
            mark_last(&mut message)?;
        }
        Ok(message)
    }
}

/// A column of texts, each followed by a newline.
pub fn texts_tensor(texts: String) -> Result<Tensor> {
    let length = i32::try_from(texts.len()).map_err(|_| bad_data("more than 2 GiB of texts"))?;
    let memory = MemoryBuffer::from_vec(texts.into_bytes());
    Tensor::from_memory(Shape::new(&[length])?, PrimitiveType::INT8, 1, None, memory)
}
