//! The sinks, and what they share.

use crate::lock;
use crate::output::{Before, Output};
use crate::source::{Disconnect, check_address};
use crate::write_behind::condition;
use gxe_columns::{Content, Rows};
use gxf::prelude::*;
use std::fmt::Write;
use std::sync::Mutex;

/// Most characters of a file that an error shows.
const LONGEST_SHOWN: usize = 200;

/// The shared part of a sink: an output, and what its format remembers of a run.
#[derive(Default)]
pub struct Sink {
    run: Mutex<Option<(Output, Memory)>>,
    context: Mutex<Option<ContextHandle>>,
}

/// What a format remembers of a run.
#[derive(Default)]
pub struct Memory {
    before: Before,
    /// The columns of the first message of a CSV file.
    header: Option<Vec<String>>,
}

impl Memory {
    /// The beginning of the next text, which starts on a new line.
    fn text(&mut self) -> String {
        if std::mem::take(&mut self.before.ends_in_line) { "\n".to_owned() } else { String::new() }
    }
}

/// The text of a message.
type Encode<S> = fn(&S, &Message, &mut Memory) -> Result<Vec<u8>>;

impl Sink {
    fn start(
        &self,
        address: &str,
        append: bool,
        on_disconnect: Disconnect,
        context: &ComponentContext,
    ) -> Result<()> {
        let reconnect = on_disconnect == Disconnect::reconnect;
        let address = check_address(address)?;
        let (output, before) = Output::open(address, append, reconnect, context.handle())?;
        *lock(&self.run) = Some((output, Memory { before, header: None }));
        Ok(())
    }

    fn tick<S>(&self, sink: &S, input: &Receiver, encode: Encode<S>) -> Result<()> {
        let mut run = lock(&self.run);
        let (output, memory) = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let bytes = encode(sink, &input.receive()?, memory)?;
        if bytes.is_empty() { Ok(()) } else { output.write(bytes) }
    }

    fn stop(&self) -> Result<()> {
        // Waits for a peer, so not under the lock.
        let run = lock(&self.run).take();
        run.map_or(Ok(()), |(output, _)| output.finish())
    }

    fn check(&self, now: i64) -> Result<Condition> {
        let run = lock(&self.run);
        condition(&self.context, now, |token| match run.as_ref() {
            // The first tick comes before the start.
            None => Ok(true),
            Some((output, _)) => output.has_room_or(token),
        })
    }
}

macro_rules! sinks {
    ($($(#[doc = $text:literal])* $component:ident, $encode:path {
        $($extra:tt)*
    })*) => {$(
        $(#[doc = $text])*
        #[derive(Component, Default)]
        #[component(lifecycle)]
        pub struct $component {
            /// Receiver for the messages.
            #[parameter(carries = [Tensor, f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, bool])]
            input: Parameter<Handle<Receiver>>,
            /// Where the data goes to: a path, `-` for standard output, `tcp://HOST:PORT`,
            /// `tcp-listen://HOST:PORT` or `udp://HOST:PORT`.
            address: Parameter<String>,
            /// Keeps what a file has, and begins on a new line; otherwise the file begins anew.
            #[parameter(default = false)]
            append: Parameter<bool>,
            /// What to do after a peer has gone: fail, or try again; what was on its way is lost.
            #[parameter(default = Disconnect::end)]
            on_disconnect: Parameter<Disconnect>,
            $($extra)*
            sink: Sink,
        }

        impl Lifecycle for $component {
            fn check_parameters(&self) -> Result<()> {
                check_address(&self.address).map(|_| ())
            }

            fn initialize(&self, context: &ComponentContext) -> Result<()> {
                *lock(&self.sink.context) = Some(context.handle());
                Ok(())
            }
        }

        impl gxf::SharedCodelet for $component {
            fn start(&self, context: &TickContext) -> Result<()> {
                self.sink.start(&self.address, *self.append, *self.on_disconnect, context)
            }

            fn tick(&self, _context: &TickContext) -> Result<()> {
                self.sink.tick(self, &self.input, $encode)
            }

            fn stop(&self, _context: &TickContext) -> Result<()> {
                self.sink.stop()
            }
        }

        impl implement::SchedulingTerm for $component {
            fn check(&self, now: i64) -> Result<Condition> {
                self.sink.check(now)
            }

            fn on_execute(&self, _now: i64) -> Result<()> {
                Ok(())
            }
        }
    )*};
}

sinks! {
    /// Writes texts, one in each line. It is its own scheduling term: it waits while its peer is
    /// slow.
    LineSink, lines {
        /// Column to write [default: the first one with texts].
        column: Parameter<Option<String>>,
    }

    /// Writes rows as CSV (RFC 4180) with a header, except after what a file already has. All messages must have the same columns; a
    /// missing number becomes an empty field. It is its own scheduling term: it waits while its
    /// peer is slow.
    CsvSink, csv {
        /// Writes the header.
        #[parameter(default = true)]
        header: Parameter<bool>,
    }

    /// Writes rows as objects of JSON, one in each line. A missing number becomes `null`. It is its
    /// own scheduling term: it waits while its peer is slow.
    JsonLinesSink, json {}

    /// Writes the elements of all tensors of a message, one after the other, as bytes. It is its own
    /// scheduling term: it waits while its peer is slow.
    RawSink, raw {}
}

fn lines(sink: &LineSink, message: &Message, memory: &mut Memory) -> Result<Vec<u8>> {
    let columns = Rows::columns_of(message);
    let has_texts = |content: &Content<'_>| matches!(content, Content::Texts(_));
    let chosen = match sink.column.as_deref() {
        Some(name) => Some(*Rows::of(message)?.column(name)?),
        None => columns.iter().find(|column| has_texts(&column.content)).copied(),
    };
    match chosen.map(|column| (column.name, column.content)) {
        Some((_, Content::Texts(""))) => Ok(Vec::new()),
        Some((_, Content::Texts(text))) => Ok((memory.text() + text).into_bytes()),
        Some((name, _)) => {
            Err(gxe_columns::bad_data(format!("column `{name}` has numbers, not texts")))
        }
        None if columns.is_empty() => Ok(Vec::new()),
        None => Err(gxe_columns::bad_data("the message has no column of texts")),
    }
}

fn csv(sink: &CsvSink, message: &Message, memory: &mut Memory) -> Result<Vec<u8>> {
    let rows = Rows::of(message)?;
    let names = || rows.columns().iter().map(|column| column.name);
    if rows.columns().is_empty() {
        return Ok(Vec::new());
    }
    let mut text = memory.text();
    match &memory.header {
        None => {
            if *sink.header {
                let mut header = String::new();
                for (index, name) in names().enumerate() {
                    header.push_str(if index == 0 { "" } else { "," });
                    quote(name, &mut header);
                }
                if memory.before.has_some {
                    check_header(&memory.before.first_line, &header)?;
                } else {
                    text.push_str(&header);
                    text.push('\n');
                }
            }
            memory.header = Some(names().map(str::to_owned).collect());
        }
        Some(first) if first.iter().map(String::as_str).eq(names()) => {}
        Some(first) => {
            return Err(gxe_columns::bad_data(format!(
                "the columns change from `{}` to `{}`, and a CSV file has one header",
                first.join(","),
                names().collect::<Vec<_>>().join(",")
            )));
        }
    }
    let mut cells = cells_of(&rows)?;
    for _ in 0..rows.len() {
        let begin = text.len();
        for (index, cell) in cells.iter_mut().enumerate() {
            text.push_str(if index == 0 { "" } else { "," });
            match cell.next() {
                Some(Cell::Number(number)) if number.is_nan() => {}
                Some(Cell::Number(number)) => _ = write!(text, "{number}"),
                Some(Cell::Integer(number)) => _ = write!(text, "{number}"),
                Some(Cell::Text(value)) => quote(value, &mut text),
                None => {}
            }
        }
        if text.len() == begin {
            // An empty line is no row for those who read it.
            text.push_str("\"\"");
        }
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// Whether a file to which rows are appended has their header, which may have other quotes.
fn check_header(first_line: &[u8], header: &str) -> Result<()> {
    let found = String::from_utf8_lossy(first_line);
    let found = found.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
    // A quoted name may have several lines.
    let expected = header.lines().next().unwrap_or_default();
    if found.replace('"', "") == expected.replace('"', "") {
        return Ok(());
    }
    let shown: String = found.chars().take(LONGEST_SHOWN).collect();
    Err(gxe_columns::bad_data(format!(
        "the file begins with `{shown}`, and the columns are `{expected}`; append to a file with these \
         columns, or set `header: false` for one without a header"
    )))
}

fn quote(field: &str, text: &mut String) {
    if field.contains(['"', ',', '\n', '\r']) {
        text.push('"');
        text.push_str(&field.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(field);
    }
}

fn json(_: &JsonLinesSink, message: &Message, memory: &mut Memory) -> Result<Vec<u8>> {
    let rows = Rows::of(message)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut text = memory.text();
    let mut cells = cells_of(&rows)?;
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let keys: Vec<String> = rows.columns().iter().map(|column| json(column.name)).collect();
    for _ in 0..rows.len() {
        for (index, (cell, key)) in cells.iter_mut().zip(&keys).enumerate() {
            text.push(if index == 0 { '{' } else { ',' });
            text.push_str(key);
            text.push(':');
            match cell.next() {
                Some(Cell::Number(number)) if number.is_finite() => _ = write!(text, "{number}"),
                Some(Cell::Integer(number)) => _ = write!(text, "{number}"),
                Some(Cell::Text(value)) => text.push_str(&json(value)),
                _ => text.push_str("null"),
            }
        }
        text.push_str("}\n");
    }
    Ok(text.into_bytes())
}

fn raw(_: &RawSink, message: &Message, _: &mut Memory) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for tensor in message.find_all::<Tensor>() {
        if !tensor.is_contiguous() {
            return Err(gxe_columns::bad_data("the elements of a tensor do not lie side by side"));
        }
        bytes.extend_from_slice(tensor.bytes()?);
    }
    Ok(bytes)
}

/// One value of a row. There is no negative zero.
enum Cell<'a> {
    Number(f64),
    /// Of 64 bits.
    Integer(i128),
    Text(&'a str),
}

type Cells<'a> = Box<dyn Iterator<Item = Cell<'a>> + 'a>;

/// The values of each column, in order.
fn cells_of<'a>(rows: &Rows<'a>) -> Result<Vec<Cells<'a>>> {
    let cells = rows.columns().iter().map(|column| -> Result<Cells<'a>> {
        Ok(match column.content {
            Content::Texts(text) => Box::new(text.split_terminator('\n').map(Cell::Text)),
            Content::Numbers(tensor) if tensor.rank() > 1 => {
                return Err(gxe_columns::bad_data(format!(
                    "column `{}` is a {tensor}, not one number a row",
                    column.name
                )));
            }
            _ => match rows.integers(column)? {
                Some(integers) => Box::new(integers.into_iter().map(Cell::Integer)),
                None => {
                    let numbers = column.to_numbers(rows.len())?;
                    Box::new(numbers.into_iter().map(|number| Cell::Number(number + 0.0)))
                }
            },
        })
    });
    cells.collect()
}
