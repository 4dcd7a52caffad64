//! `LineReader`: the first step, from a file to lines.

use crate::payload::{Lines, Totals};
use gxf::prelude::*;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// Publishes the lines of a text file, some on every tick. At the end of the file it publishes the
/// last message and switches its term off, so that the graph can end.
#[derive(Component, Default)]
pub struct LineReader {
    /// File to read, relative to the working directory.
    path: Parameter<PathBuf>,
    /// Transmitter for the lines.
    output: Parameter<Handle<Transmitter>>,
    /// Term of the same entity, switched off at the end of the file.
    boolean_scheduling_term: Parameter<Handle<BooleanSchedulingTerm>>,
    /// Maximum number of lines per message.
    #[parameter(default = 64, minimum = 1)]
    lines_per_message: Parameter<u64>,
    // Fields that are not a `Parameter` are the codelet's own state.
    file: Option<BufReader<File>>,
    lines_read: u64,
}

impl Codelet for LineReader {
    /// Opens the file here and not in `initialize`, because a graph may run more than once: each
    /// run reads the file from its beginning.
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        let file = File::open(&*self.path).map_err(|error| self.failed("opened", error))?;
        self.file = Some(BufReader::new(file));
        self.lines_read = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let (texts, at_end) = self.read_lines()?;
        let first_number = self.lines_read + 1;
        self.lines_read += texts.len() as u64;

        let mut message = context.new_message()?;
        message.add("lines", Lines { first_number, texts })?;
        if at_end {
            message.add("totals", Totals { lines: self.lines_read, bad_lines: 0 })?;
            // The graph still sends the message of this tick; there is no next tick.
            self.boolean_scheduling_term.set_tick_enabled(false)?;
        }
        self.output.publish(message, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.file = None;
        Ok(())
    }
}

impl LineReader {
    /// The next lines, and whether the file ends here.
    fn read_lines(&mut self) -> Result<(Vec<String>, bool)> {
        let mut texts = Vec::new();
        let file = self.file.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let mut bytes = Vec::new();
        while (texts.len() as u64) < *self.lines_per_message {
            bytes.clear();
            match file.read_until(b'\n', &mut bytes) {
                Ok(0) => return Ok((texts, true)),
                // A log can contain anything; a line that is not UTF-8 is just a bad line.
                Ok(_) => texts.push(String::from_utf8_lossy(&bytes).trim_end().to_owned()),
                Err(error) => return Err(self.failed("read", error)),
            }
        }
        Ok((texts, false))
    }

    /// Names the file and the folder a relative path starts at.
    fn failed(&self, action: &str, error: std::io::Error) -> Error {
        let path = self.path.display();
        let base = match std::env::current_dir() {
            Ok(directory) if self.path.is_relative() => {
                format!(" in the working directory `{}`", directory.display())
            }
            _ => String::new(),
        };
        Error::from(error).context(format!("the file `{path}` cannot be {action}{base}"))
    }
}
