//! Columns of which only the values are known: whether one has numbers or texts is decided by its
//! first value, and then stays.

use gxe_columns::{Values, texts_tensor};
use gxf::{Message, Result, Tensor};

/// A column in the making.
pub struct GrowingColumn {
    /// Its name.
    pub name: String,
    /// Its values; `None` before the first one that is not missing.
    pub values: Option<Values>,
    /// What the values were before the current row, to undo it.
    before: Before,
}

/// The values of a column before a row.
#[derive(Clone, Copy)]
enum Before {
    /// None that says what kind they are.
    None,
    Numbers,
    /// Texts of this length.
    Texts(usize),
}

/// Columns of the same length in the making.
#[derive(Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<GrowingColumn>,
    /// Complete rows.
    pub rows: usize,
    /// Columns before the current row.
    columns_before: usize,
}

impl Table {
    /// Adds a column. Rows before it have no value there.
    pub fn add_column(&mut self, name: &str, is_text: bool) {
        let values = is_text.then(|| Values::Texts("\n".repeat(self.rows)));
        self.columns.push(GrowingColumn { name: name.to_owned(), values, before: Before::None });
    }

    /// Begins a row, which `undo` takes back.
    pub fn begin(&mut self) {
        self.columns_before = self.columns.len();
        for column in &mut self.columns {
            column.before = match &column.values {
                None => Before::None,
                Some(Values::Numbers(_)) => Before::Numbers,
                Some(Values::Texts(texts)) => Before::Texts(texts.len()),
            };
        }
    }

    /// Takes an incomplete row back.
    pub fn undo(&mut self) {
        self.columns.truncate(self.columns_before);
        for column in &mut self.columns {
            match (&mut column.values, column.before) {
                (values, Before::None) => *values = None,
                (Some(Values::Texts(texts)), Before::Texts(length)) => texts.truncate(length),
                (Some(Values::Numbers(numbers)), _) => numbers.truncate(self.rows),
                _ => {}
            }
        }
    }

    /// Ends a row: columns without a value get none.
    pub fn end(&mut self) {
        self.rows += 1;
    }

    /// Moves the rows into a message.
    pub fn fill(&mut self, message: &mut Message) -> Result<()> {
        for column in &mut self.columns {
            let tensor = match &mut column.values {
                Some(Values::Texts(texts)) => texts_tensor(std::mem::take(texts))?,
                Some(Values::Numbers(numbers)) => {
                    let capacity = numbers.len();
                    numbers_tensor(std::mem::replace(numbers, Vec::with_capacity(capacity)))?
                }
                missing @ None => {
                    *missing = Some(Values::Numbers(Vec::new()));
                    numbers_tensor(vec![f64::NAN; self.rows])?
                }
            };
            message.add(&column.name, tensor)?;
        }
        self.rows = 0;
        Ok(())
    }
}

fn numbers_tensor(numbers: Vec<f64>) -> Result<Tensor> {
    let length = i32::try_from(numbers.len());
    Tensor::from_vec(&[length.map_err(|_| gxf::ResultCode::ARGUMENT_OUT_OF_RANGE)?], numbers)
}

impl GrowingColumn {
    /// Adds a number to row `row`, which this column must not have yet. `false` if it has texts.
    pub fn number(&mut self, row: usize, number: f64) -> bool {
        match self.values.get_or_insert_with(|| Values::Numbers(vec![f64::NAN; row])) {
            Values::Numbers(numbers) => {
                numbers.push(number);
                true
            }
            Values::Texts(_) => false,
        }
    }

    /// Adds a text to row `row`, which this column must not have yet. `false` if it has numbers.
    pub fn text(&mut self, row: usize, text: &str) -> bool {
        match self.values.get_or_insert_with(|| Values::Texts("\n".repeat(row))) {
            Values::Texts(texts) => {
                texts.push_str(text);
                texts.push('\n');
                true
            }
            Values::Numbers(_) => false,
        }
    }

    /// Adds a missing value.
    pub fn missing(&mut self) {
        match &mut self.values {
            Some(Values::Texts(texts)) => texts.push('\n'),
            Some(Values::Numbers(numbers)) => numbers.push(f64::NAN),
            None => {}
        }
    }
}
