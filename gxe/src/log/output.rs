//! Where log lines go.

use crate::stop::Stop;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// The terminal or a file.
pub enum Output {
    Console(Console),
    File(File),
}

/// Standard output and standard error.
pub struct Console {
    stop: Arc<Stop>,
}

impl Output {
    pub fn file(file: File) -> Self {
        Self::File(file)
    }

    pub fn console(stop: Arc<Stop>) -> Self {
        Self::Console(Console { stop })
    }
}

impl<'a> MakeWriter<'a> for Output {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> LineWriter<'a> {
        match self {
            Self::Console(console) => LineWriter::Stdout(console),
            Self::File(file) => LineWriter::File(file),
        }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> LineWriter<'a> {
        match self {
            Self::Console(_) if *metadata.level() == Level::ERROR => LineWriter::Stderr,
            _ => self.make_writer(),
        }
    }
}

/// Takes one whole line.
pub enum LineWriter<'a> {
    Stdout(&'a Console),
    Stderr,
    File(&'a File),
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(console) => console.write(line),
            Self::Stderr => io::stderr().lock().write_all(line)?,
            Self::File(file) => file.write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Console {
    fn write(&self, line: &[u8]) {
        if self.stop.is_output_lost() {
            return;
        }
        let written = io::stdout().lock().write_all(line);
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            self.stop.output_lost();
        }
    }
}
