//! `JsonLinesSource`.

use crate::source::{BadInput, BadInputs, Disconnect, Lines, Parser, Source, source};
use crate::table::Table;
use gxf::prelude::*;
use serde_json::Value;

/// There are at most this many columns.
const MOST_COLUMNS: usize = 4096;

/// Publishes objects of JSON, one in each line, some in each message: a column for each key. Keys of
/// objects in objects are joined by dots. Booleans become 0 and 1; a key that is absent or `null`
/// is a missing value; lists are kept as their JSON text. Numbers are rounded to float64, which
/// integers of up to 15 digits fit. It is its own scheduling term, and ends at the end of the input.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct JsonLinesSource {
    /// Where the text comes from: a path, `-` for standard input, `tcp://HOST:PORT`,
    /// `tcp-listen://HOST:PORT` or `udp://HOST:PORT`.
    address: Parameter<String>,
    /// Transmitter for the rows.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Maximum number of rows in a message.
    #[parameter(default = 1024, minimum = 1)]
    rows: Parameter<u64>,
    /// Longest line in bytes.
    #[parameter(default = 1048576, minimum = 1, unit = "bytes")]
    longest_line: Parameter<u64>,
    /// What to do with lines that are too long or no objects, and with texts among numbers, and with
    /// two keys that make one column, such as `{"a.b": 1, "a": {"b": 2}}`.
    #[parameter(default = BadInput::fail)]
    bad_input: Parameter<BadInput>,
    /// What to do after a peer has gone.
    #[parameter(default = Disconnect::end)]
    on_disconnect: Parameter<Disconnect>,
    source: Source<JsonParser>,
}

impl JsonLinesSource {
    fn parser(&self) -> Result<JsonParser> {
        Ok(JsonParser {
            lines: Lines::new(*self.longest_line),
            bad: BadInputs::new(*self.bad_input, &self.address),
            limit: usize::try_from(*self.rows).unwrap_or(usize::MAX),
            table: Table::default(),
        })
    }
}

source!(JsonLinesSource);

/// Rows for the next message.
pub struct JsonParser {
    lines: Lines,
    bad: BadInputs,
    limit: usize,
    table: Table,
}

impl JsonParser {
    fn row(&mut self, line: &[u8]) -> Result<()> {
        let number = self.lines.number;
        let object = match serde_json::from_slice::<Value>(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return self.bad.add(number, 1, "the line is no object"),
            Err(error) => {
                let text = error.to_string();
                let what = text.split(" at line ").next().unwrap_or_default();
                return self.bad.add(number, error.column(), &format!("no JSON: {what}"));
            }
        };
        let mut values = Vec::new();
        flatten(String::new(), object, &mut values);
        self.table.begin();
        let row = self.table.rows;
        let mut has = vec![false; self.table.columns.len()];
        for (name, value) in values {
            let found = self.table.columns.iter().position(|column| column.name == name);
            let index = match found {
                Some(index) => index,
                None if self.table.columns.len() == MOST_COLUMNS => {
                    self.table.undo();
                    let text = format!("there are more than {MOST_COLUMNS} columns");
                    return self.bad.add(number, 0, &text);
                }
                None => {
                    self.table.add_column(&name, false);
                    has.push(false);
                    has.len() - 1
                }
            };
            if std::mem::replace(&mut has[index], true) {
                self.table.undo();
                return self.bad.add(number, 0, &format!("two keys make the column `{name}`"));
            }
            let column = &mut self.table.columns[index];
            let fits = match &value {
                Value::Null => {
                    column.missing();
                    true
                }
                Value::Bool(value) => column.number(row, f64::from(u8::from(*value))),
                Value::Number(value) => column.number(row, value.as_f64().unwrap_or(f64::NAN)),
                Value::String(text) if text.contains('\n') => {
                    self.table.undo();
                    let text = format!("`{name}` has a line break, which no column can hold");
                    return self.bad.add(number, 0, &text);
                }
                Value::String(text) => column.text(row, text),
                other => column.text(row, &other.to_string()),
            };
            if !fits {
                self.table.undo();
                return self.bad.add(number, 0, &format!("`{name}` has numbers and texts"));
            }
        }
        for (column, has) in self.table.columns.iter_mut().zip(has) {
            if !has {
                column.missing();
            }
        }
        self.table.end();
        Ok(())
    }
}

/// Names and values of an object, with those of the objects in it. JSON's own limit of depth holds.
fn flatten(
    prefix: String,
    object: serde_json::Map<String, Value>,
    into: &mut Vec<(String, Value)>,
) {
    for (key, value) in object {
        let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(inner) => flatten(name, inner, into),
            value => into.push((name, value)),
        }
    }
}

impl Parser for JsonParser {
    const HAS_LINES: bool = true;

    fn parse(&mut self, bytes: &[u8], at_end: bool) -> Result<usize> {
        let mut begin = 0;
        while !self.is_full() {
            let (line, used) = self.lines.next(&bytes[begin..], at_end, &mut self.bad)?;
            begin += used;
            match line {
                Some(line) if line.trim_ascii().is_empty() => {}
                Some(line) => self.row(line)?,
                None if used == 0 => break,
                None => {}
            }
        }
        Ok(begin)
    }

    fn has_some(&self) -> bool {
        self.table.rows > 0
    }

    fn is_full(&self) -> bool {
        self.table.rows >= self.limit
    }

    fn fill(&mut self, message: &mut Message) -> Result<()> {
        self.table.fill(message)
    }

    fn skipped(&self) -> u64 {
        self.bad.count()
    }
}
