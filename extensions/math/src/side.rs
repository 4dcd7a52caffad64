//! One of the streams that a component brings together.

use gxe_columns::{Content, Rows, Values, bad_data, is_last};
use gxf::{Message, Result};
use std::collections::VecDeque;
use std::sync::Arc;

/// A component takes no more messages of a stream while this many of its rows wait.
const ENOUGH: usize = 8192;

/// Rows of a stream, in order of their time.
#[derive(Default)]
pub struct Side {
    /// Rows that wait, oldest first.
    pub rows: VecDeque<Row>,
    /// Whether its last message came.
    pub has_ended: bool,
    latest: Option<f64>,
}

/// A row.
#[derive(Clone)]
pub struct Row {
    /// Its time.
    pub time: f64,
    held: Arc<Held>,
    index: usize,
}

/// The columns of a message.
struct Held {
    columns: Vec<(String, HeldValues)>,
}

enum HeldValues {
    Numbers(Vec<f64>),
    Texts { text: String, ends: Vec<usize> },
}

impl Side {
    /// Whether another message of the stream is of use now.
    pub fn wants_more(&self) -> bool {
        !self.has_ended && self.rows.len() < ENOUGH
    }

    /// Takes in a message. `name` is that of the stream, for errors.
    pub fn add(&mut self, message: &Message, key: &str, name: &str) -> Result<()> {
        let rows = Rows::of(message)?;
        if !rows.is_empty() {
            let context = |error: gxf::Error| error.context(format!("`{name}`"));
            let times = rows.column(key).map_err(context)?.to_numbers(rows.len())?;
            let columns = rows.columns().iter().map(|column| {
                let values = match column.content {
                    Content::Texts(text) => HeldValues::Texts {
                        text: text.to_owned(),
                        ends: text.match_indices('\n').map(|(end, _)| end).collect(),
                    },
                    _ => HeldValues::Numbers(column.to_numbers(rows.len())?),
                };
                Ok((column.name.to_owned(), values))
            });
            let held = Arc::new(Held { columns: columns.collect::<Result<_>>()? });
            for (index, time) in times.into_iter().enumerate() {
                if self.latest.is_some_and(|latest| time < latest) || time.is_nan() {
                    return Err(bad_data(format!(
                        "`{name}`: `{key}` does not ascend: {time} comes after {}",
                        self.latest.unwrap_or(f64::NAN)
                    )));
                }
                self.latest = Some(time);
                self.rows.push_back(Row { time, held: held.clone(), index });
            }
        }
        self.has_ended |= is_last(message);
        Ok(())
    }
}

/// Rows in the making.
#[derive(Default)]
pub struct Collected {
    /// The columns.
    pub columns: Vec<(String, Values)>,
    /// Number of rows.
    pub rows: usize,
}

impl Collected {
    /// Adds a row that consists of parts. Each part may leave out one column, and name the others
    /// with a suffix where a part before it has them.
    pub fn add(&mut self, parts: &[(&Row, Option<&str>, &str)]) -> Result<()> {
        let mut position = 0;
        for (part, (row, left_out, suffix)) in parts.iter().enumerate() {
            for (name, values) in &row.held.columns {
                if Some(name.as_str()) == *left_out {
                    continue;
                }
                let is_known = || {
                    parts[..part]
                        .iter()
                        .any(|(row, _, _)| row.held.columns.iter().any(|(other, _)| other == name))
                };
                if self.rows == 0 {
                    let suffix = if is_known() { *suffix } else { "" };
                    let values = match values {
                        HeldValues::Numbers(_) => Values::Numbers(Vec::new()),
                        HeldValues::Texts { .. } => Values::Texts(String::new()),
                    };
                    self.columns.push((format!("{name}{suffix}"), values));
                }
                let place = self.columns.get_mut(position).map(|(_, place)| place);
                match (place, values) {
                    (Some(Values::Numbers(place)), HeldValues::Numbers(numbers)) => {
                        place.push(numbers[row.index]);
                    }
                    (Some(Values::Texts(place)), HeldValues::Texts { text, ends }) => {
                        let begin = row.index.checked_sub(1).map_or(0, |before| ends[before] + 1);
                        place.push_str(&text[begin..=ends[row.index]]);
                    }
                    _ => return Err(bad_data("the columns of a stream change")),
                }
                position += 1;
            }
        }
        if position != self.columns.len() {
            return Err(bad_data("the columns of a stream change"));
        }
        self.rows += 1;
        Ok(())
    }
}
