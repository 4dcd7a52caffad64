//! The columns of a message.

use crate::block::texts_tensor;
use crate::column::{Column, Content, scalar_of};
use crate::{bad_data, is_last, mark_last};
use gxf::{Message, Payload, PrimitiveType, Result, Shape, Tensor, TickContext};

/// The columns of a message, in the order in which they were added, and the number of its rows.
pub struct Rows<'a> {
    message: &'a Message,
    columns: Vec<Column<'a>>,
    rows: usize,
}

impl<'a> Rows<'a> {
    /// The columns of a message. Other payloads are left out. Fails if columns have different
    /// lengths.
    pub fn of(message: &'a Message) -> Result<Self> {
        let columns = Self::columns_of(message);
        let mut first: Option<(&str, usize)> = None;
        for column in &columns {
            match (first, column.rows()) {
                (_, None) => {}
                (None, Some(length)) => first = Some((column.name, length)),
                (Some((_, expected)), Some(length)) if expected == length => {}
                (Some((name, expected)), Some(length)) => {
                    return Err(bad_data(format!(
                        "columns of different lengths are no rows: `{name}` has {expected}, \
                         `{}` has {length}",
                        column.name
                    )));
                }
            }
        }
        // A message with nothing but single numbers is one row.
        let rows = first.map_or(usize::from(!columns.is_empty()), |(_, length)| length);
        Ok(Self { message, columns, rows })
    }

    /// The columns of a message, of any lengths.
    #[must_use]
    pub fn columns_of(message: &'a Message) -> Vec<Column<'a>> {
        let payloads = message.payloads();
        let column = payloads.filter_map(|payload| {
            let content = if payload.tid == Tensor::TID {
                Content::of_tensor(message.try_get::<Tensor>(payload.name)?)
            } else {
                scalar_of(message, &payload).map(Content::Number)
            };
            Some(Column { name: payload.name, content: content? })
        });
        column.collect()
    }

    /// Length of the first column that has one; `None` if all are single numbers.
    #[must_use]
    pub fn length_of(columns: &[Column<'_>]) -> Option<usize> {
        columns.iter().find_map(Column::rows)
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Result<&Column<'a>> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| {
            let names: Vec<_> = self.columns.iter().map(|c| format!("`{}`", c.name)).collect();
            let there = if names.is_empty() { "no columns".into() } else { names.join(", ") };
            bad_data(format!("the message has no column `{name}`; it has {there}"))
        })
    }

    /// The values of a column of 64-bit integers, one for each row, which a `f64` may not hold; `None`
    /// for other columns.
    ///
    /// # Errors
    /// The elements do not lie side by side.
    pub fn integers(&self, column: &Column<'_>) -> Result<Option<Vec<i128>>> {
        let Content::Numbers(tensor) = column.content else {
            let single = self.message.try_get::<i64>(column.name).map(|value| i128::from(*value));
            let unsigned = || Some(i128::from(*self.message.try_get::<u64>(column.name)?));
            return Ok(single.or_else(unsigned).map(|value| vec![value; self.rows]));
        };
        let values = match tensor.element_type() {
            PrimitiveType::INT64 => tensor.data::<i64>()?.iter().copied().map(i128::from).collect(),
            PrimitiveType::UNSIGNED64 => {
                tensor.data::<u64>()?.iter().copied().map(i128::from).collect()
            }
            _ => return Ok(None),
        };
        Ok(Some(values))
    }

    /// A new message with some of the rows, in this order, and with the end of the stream if this
    /// message has it. Element types stay.
    pub fn select(&self, context: &TickContext, rows: &[usize]) -> Result<Message> {
        let mut message = context.new_message()?;
        for column in &self.columns {
            self.add_selected(column, column.name, rows, &mut message)?;
        }
        if is_last(self.message) {
            mark_last(&mut message)?;
        }
        Ok(message)
    }

    /// Adds some rows of a column to a message.
    pub fn add_selected(
        &self,
        column: &Column<'_>,
        name: &str,
        rows: &[usize],
        message: &mut Message,
    ) -> Result<()> {
        match column.content {
            Content::Number(number) => message.add(name, number).map(|_| ()),
            Content::Texts(text) => {
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let mut chosen = String::new();
                rows.iter().for_each(|row| chosen.push_str(lines[*row]));
                message.add(name, texts_tensor(chosen)?).map(|_| ())
            }
            Content::Numbers(tensor) => message.add(name, gather(tensor, rows)?).map(|_| ()),
        }
    }
}

/// Some rows of a contiguous tensor.
fn gather(tensor: &Tensor, rows: &[usize]) -> Result<Tensor> {
    if !tensor.is_contiguous() {
        return Err(bad_data("the elements of a column do not lie side by side"));
    }
    let mut dimensions = tensor.shape().dimensions().to_vec();
    let Some(length) = dimensions.first_mut() else { return Ok(Tensor::default()) };
    let whole = *length as usize;
    *length = i32::try_from(rows.len()).map_err(|_| bad_data("too many rows"))?;
    let bytes = tensor.bytes()?;
    let size = bytes.len().checked_div(whole).unwrap_or(0);
    // The memory of a vector of `u64` is aligned for every element type.
    let mut words = vec![0u64; (rows.len() * size).div_ceil(8)];
    let places = bytemuck::cast_slice_mut::<u64, u8>(&mut words).chunks_exact_mut(size.max(1));
    for (place, row) in places.zip(rows) {
        place.copy_from_slice(&bytes[row * size..(row + 1) * size]);
    }
    Tensor::from_memory(
        Shape::new(&dimensions)?,
        tensor.element_type(),
        tensor.bytes_per_element(),
        None,
        gxf::MemoryBuffer::from_vec(words),
    )
}
