//! `RecordParser`: the second step, from lines to records.

use crate::payload::{Lines, Records, Totals};
use crate::record::parse;
use gxf::prelude::*;

/// Shows at most this many characters of a bad line.
const SHOWN_CHARACTERS: usize = 60;

/// Turns the lines of an access log into records. It counts the lines it cannot read and shows the
/// first few; none of them ends the run.
#[derive(Component, Default)]
pub struct RecordParser {
    /// Receiver for the lines.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the records.
    output: Parameter<Handle<Transmitter>>,
    /// Logs at most this many bad lines.
    #[parameter(default = 3)]
    shown_bad_lines: Parameter<u64>,
    bad_lines: u64,
}

impl Codelet for RecordParser {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.bad_lines = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let lines = message.get::<Lines>("lines")?;
        let mut records = Vec::with_capacity(lines.texts.len());
        for (number, line) in (lines.first_number..).zip(&lines.texts) {
            match parse(line) {
                Ok(record) => records.push(record),
                Err(fault) => {
                    self.bad_lines += 1;
                    if self.bad_lines <= *self.shown_bad_lines {
                        let shown: String = line.chars().take(SHOWN_CHARACTERS).collect();
                        gxf::warning!("line {number} has {fault}: {shown:?}");
                    }
                }
            }
        }

        // Other receivers may share the received message, so it must not change: send a new one.
        let mut result = context.new_message()?;
        result.add("records", Records { records })?;
        if let Ok(totals) = message.get::<Totals>("totals") {
            result.add("totals", Totals { bad_lines: self.bad_lines, ..*totals })?;
        }
        self.output.publish(result, context.now())
    }
}
