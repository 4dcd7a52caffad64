//! Output that cannot keep a run from ending.
//!
//! A pipe that nobody reads blocks its writers. That is right while a graph runs, but once the run
//! should end, a write waits only for a moment, and what is not read by then is lost. Everything
//! that a run writes, to a terminal or to a file, goes through here.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a write waits for its reader once the run should end.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often a waiting write checks whether the run should end.
const PERIOD: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// How often a pipe that is to be opened is asked whether it has a reader.
const PAUSE: Duration = Duration::from_millis(20);
/// A pipe with any room accepts this much without blocking (PIPE_BUF: at least 512 in POSIX, 4096
/// on Linux).
const PIECE: usize = 4096;

/// Whether the run should end. Only ever set, and guards no other data.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Whether a write has timed out; from then on, writes wait for one period only. Only ever set, and
/// guards no other data.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Bounds the time that writes wait from now on.
pub fn end_is_wanted() {
    ENDING.store(true, Ordering::Relaxed);
}

/// Creates a file or empties the one that is there. A pipe is opened once it has a reader.
///
/// # Errors
/// As for any file, and [`Errno::NXIO`] if the run should end and a pipe has no reader.
pub fn create(path: &Path) -> io::Result<File> {
    if !path.metadata().is_ok_and(|about| about.file_type().is_fifo()) {
        return File::create(path);
    }
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    let mut wait = Wait::default();
    loop {
        match OpenOptions::new().write(true).custom_flags(nonblocking).open(path) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) && wait.goes_on() => {
                std::thread::sleep(PAUSE);
            }
            opened => return opened,
        }
    }
}

/// Whether this is a pipe whose readers are gone.
pub fn is_abandoned(file: impl AsFd) -> bool {
    let mut polled = [PollFd::new(&file, PollFlags::empty())];
    let ready = poll(&mut polled, Some(&Timespec::default()));
    ready.is_ok() && polled[0].revents().contains(PollFlags::ERR)
}

/// A file, pipe or terminal that is written patiently.
pub struct Patient<F>(pub F);

impl<F: AsFd> Write for Patient<F> {
    /// # Errors
    /// As for any file, and [`ErrorKind::TimedOut`] if the run should end and nobody reads.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = self.0.as_fd();
        loop {
            await_room(file)?;
            match rustix::io::write(file, &bytes[..bytes.len().min(PIECE)]) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The wait of one write for its reader.
#[derive(Default)]
pub struct Wait {
    /// When the wait was first bounded.
    begin: Option<Instant>,
}

impl Wait {
    /// Whether to wait for another period.
    pub fn goes_on(&mut self) -> bool {
        if !ENDING.load(Ordering::Relaxed) {
            return true;
        }
        let waited = self.begin.get_or_insert_with(Instant::now).elapsed();
        if waited >= PATIENCE {
            GIVEN_UP.store(true, Ordering::Relaxed);
        }
        !GIVEN_UP.load(Ordering::Relaxed)
    }
}

fn await_room(file: BorrowedFd<'_>) -> io::Result<()> {
    let mut wait = Wait::default();
    loop {
        match poll(&mut [PollFd::from_borrowed_fd(file, PollFlags::OUT)], Some(&PERIOD)) {
            Ok(0) | Err(Errno::INTR) => {}
            // Also if the reader is gone or the file is bad; the write reports that.
            _ => return Ok(()),
        }
        if !wait.goes_on() {
            return Err(io::Error::new(ErrorKind::TimedOut, "its reader does not read"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn everything_arrives_in_order() {
        let (mut reader, writer) = io::pipe().unwrap();
        let bytes: Vec<u8> = (0..1 << 20).map(|number: u32| (number / 7) as u8).collect();
        let sent = bytes.clone();
        let thread = std::thread::spawn(move || Patient(writer).write_all(&sent));
        let mut received = Vec::new();
        reader.read_to_end(&mut received).unwrap();
        assert!(received == bytes);
        thread.join().unwrap().unwrap();
    }

    #[test]
    fn a_reader_that_is_gone_is_told() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        assert!(is_abandoned(&writer));
        let error = Patient(writer).write_all(b"x").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
}
