//! The destinations of log lines. Logging never fails: lines that cannot be written are lost, and
//! the user is told once. A log file is an output that was asked for, so then the run fails at its
//! end.

use crate::console::Console;
use crate::patient::{self, Patient, Wait};
use crate::stop::Stop;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tracing::{Level, Metadata};

/// Whether lines of the log file are lost. Only ever set, and guards no other data.
static IS_INCOMPLETE: AtomicBool = AtomicBool::new(false);

/// Whether the log file that was asked for is not complete.
pub fn is_incomplete() -> bool {
    IS_INCOMPLETE.load(Ordering::Relaxed)
}

/// The terminal or a file.
pub enum Output {
    /// Standard output and, for errors, standard error.
    Streams(Streams),
    /// A file instead.
    File(LogFile),
}

/// The terminal.
pub struct Streams {
    /// Notified when the reader of standard output goes away.
    stop: Arc<Stop>,
    console: Console,
    /// Whether the user was told that lines are lost. Only ever set, and guards no other data.
    failed: AtomicBool,
}

impl Streams {
    /// `stop` is notified when the reader of standard output goes away.
    pub fn new(stop: Arc<Stop>, console: Console) -> Self {
        Self { stop, console, failed: AtomicBool::new(false) }
    }

    fn write_to_stdout(&self, line: &[u8]) {
        if self.stop.is_output_lost() {
            return;
        }
        let Err(error) = Patient(io::stdout().lock()).write_all(line) else { return };
        if error.kind() == ErrorKind::BrokenPipe {
            self.stop.output_lost();
        } else if !self.failed.swap(true, Ordering::Relaxed) {
            self.console.note(&format!("cannot write the log to standard output: {error}"));
        }
    }
}

/// An open log file.
pub struct LogFile {
    file: File,
    path: PathBuf,
    console: Console,
}

impl LogFile {
    /// Creates the file or empties it.
    pub fn create(path: PathBuf, console: Console) -> io::Result<Self> {
        Ok(Self { file: patient::create(&path)?, path, console })
    }

    fn write(&self, line: &[u8]) {
        let Err(error) = Patient(&self.file).write_all(line) else { return };
        // The user is told once.
        if !IS_INCOMPLETE.swap(true, Ordering::Relaxed) {
            let path = self.path.display();
            self.console.note(&format!("cannot write to the log file '{path}': {error}"));
        }
    }
}

impl Output {
    /// The writer for the line of an event.
    pub fn writer_for(&self, metadata: &Metadata<'_>) -> LineWriter<'_> {
        match self {
            Self::Streams(_) if *metadata.level() == Level::ERROR => LineWriter::Stderr,
            Self::Streams(streams) => LineWriter::Stdout(streams),
            Self::File(file) => LineWriter::File(file),
        }
    }
}

fn write_redirected(line: &[u8]) -> bool {
    let mut wait = Wait::default();
    gxf_core::log::write_redirected(line, || wait.goes_on())
}

/// Writes one whole line.
pub enum LineWriter<'a> {
    Stdout(&'a Streams),
    Stderr,
    File(&'a LogFile),
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self {
            // An extension redirected the log.
            _ if write_redirected(line) => {}
            Self::Stdout(streams) => streams.write_to_stdout(line),
            // There is no other place to report it.
            Self::Stderr => _ = Patient(io::stderr().lock()).write_all(line),
            Self::File(file) => file.write(line),
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
