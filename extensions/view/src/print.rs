//! `Print`.

use crate::describe::{describe, number_text};
use crate::output::print;
use gxe_columns::{Content, Rows};
use gxf::prelude::*;

/// Prints messages to standard output: rows as a table, everything else as one line for each
/// payload. A missing number is `-`.
#[derive(Component, Default)]
pub struct Print {
    /// Receiver for the messages, of any kind.
    input: Parameter<Handle<Receiver>>,
    /// Prints at most this many rows of a message, and the number of the others.
    #[parameter(default = 20, dynamic)]
    rows: Parameter<u64>,
    /// The columns of the latest table, with their widths.
    header: Vec<(String, usize)>,
    messages: u64,
}

impl Codelet for Print {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.header.clear();
        self.messages = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        self.messages += 1;
        let has_one_row_each = |rows: &Rows<'_>| {
            let mut columns = rows.columns().iter();
            !rows.is_empty() && columns.all(|column| !matches!(column.content, Content::Numbers(tensor) if tensor.rank() > 1))
        };
        if let Some(rows) = Rows::of(&message).ok().filter(has_one_row_each)
            && rows.columns().iter().any(|column| column.rows().is_some())
        {
            return print(context, &self.table(&rows)?);
        }
        let lines = message.payloads().filter_map(|payload| {
            let name = if payload.name.is_empty() { "(unnamed)" } else { payload.name };
            // Names and texts come from outside.
            let text = describe(context, &message, &payload)?;
            Some(format!("{}: {}\n", name.escape_debug(), text))
        });
        print(context, &lines.collect::<String>())
    }
}

impl Print {
    fn table(&mut self, rows: &Rows<'_>) -> Result<String> {
        let mut text = String::new();
        let mut line = |cells: Vec<String>| {
            text.push_str(&cells.join("  "));
            text.push('\n');
        };
        let shown = rows.len().min(usize::try_from(*self.rows).unwrap_or(usize::MAX));
        let cells = rows.columns().iter().map(|column| -> Result<Vec<String>> {
            Ok(match column.content {
                Content::Texts(text) => {
                    let lines = text.split_terminator('\n').take(shown);
                    lines.map(|line| line.escape_debug().to_string()).collect()
                }
                _ => {
                    let mut numbers = vec![0.0; shown];
                    column.reader()?(0, &mut numbers)?;
                    numbers.into_iter().map(number_text).collect()
                }
            })
        });
        let cells = cells.collect::<Result<Vec<_>>>()?;
        let names = || rows.columns().iter().map(|column| column.name);
        if !self.header.iter().map(|(name, _)| name.as_str()).eq(names()) {
            let width = |name: &str, cells: &[String]| {
                let longest = cells.iter().map(|cell| cell.chars().count()).max();
                name.escape_debug().count().max(longest.unwrap_or(0)).max(8)
            };
            let columns = names().zip(&cells);
            self.header =
                columns.map(|(name, cells)| (name.to_owned(), width(name, cells))).collect();
            // Names come from outside.
            let titles = self.header.iter().map(|(name, width)| {
                let name = name.escape_debug().to_string();
                format!("{name:>width$}")
            });
            line(titles.collect());
        }
        for row in 0..shown {
            let row = self.header.iter().zip(&cells).map(|((_, width), cells)| {
                let cell = cells.get(row).map_or("", String::as_str);
                format!("{cell:>width$}")
            });
            line(row.collect());
        }
        match rows.len() - shown {
            0 => {}
            more => line(vec![format!("… {more} more rows")]),
        }
        Ok(text)
    }
}
