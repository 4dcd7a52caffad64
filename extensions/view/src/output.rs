//! Standard output, and files that may be pipes. Their readers may not read: that must not keep a run
//! from ending.

use gxf::prelude::*;
use gxf::{ComponentContext, PendingWork};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long text waits for its reader once the run should end.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often waiting text asks whether the run should end.
const PERIOD: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// A pipe with any room accepts this much without blocking (PIPE_BUF: at least 512 in POSIX, 4096
/// on Linux).
const PIECE: usize = 4096;

/// Prints text. While the run goes on, it waits for its reader; what is not read soon after the run
/// should end is lost.
pub fn print(context: &ComponentContext, text: &str) -> Result<()> {
    // Locked, so that the room that one component finds is not filled by another.
    let output = io::stdout().lock();
    write(output.as_fd(), text.as_bytes(), patience(context))
        .map_err(|error| Error::from(error).context("standard output cannot be written"))
}

/// Writes a file, or a pipe that somebody has opened to read it, as [`print`] does.
pub fn save(context: &ComponentContext, path: &Path, text: &str) -> Result<()> {
    let opened = match path.metadata() {
        Ok(about) if about.file_type().is_fifo() => open_pipe(path),
        _ => File::create(path),
    };
    opened.and_then(|file| write(file.as_fd(), text.as_bytes(), patience(context))).map_err(
        |error| Error::from(error).context(format!("`{}` cannot be written", path.display())),
    )
}

/// Opens a pipe without waiting for its reader.
fn open_pipe(path: &Path) -> io::Result<File> {
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new().write(true).custom_flags(nonblocking).open(path);
    opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::NXIO) => io::Error::new(error.kind(), "it is a pipe that nobody reads"),
        _ => error,
    })
}

/// Whether a write goes on waiting for its reader.
fn patience(context: &ComponentContext) -> impl FnMut() -> bool {
    let handle = context.handle();
    let mut begin = None;
    move || {
        // There is no work for a run that does not go on.
        PendingWork::of(&handle).is_some()
            || begin.get_or_insert_with(Instant::now).elapsed() < PATIENCE
    }
}

/// Writes everything, or as much as is read while `goes_on`.
fn write(
    file: BorrowedFd<'_>,
    mut bytes: &[u8],
    mut goes_on: impl FnMut() -> bool,
) -> io::Result<()> {
    while !bytes.is_empty() {
        match poll(&mut [PollFd::from_borrowed_fd(file, PollFlags::OUT)], Some(&PERIOD)) {
            Ok(0) | Err(Errno::INTR) if goes_on() => continue,
            Ok(0) | Err(Errno::INTR) => break,
            // Also if the reader is gone or the file is bad; the write reports that.
            _ => {}
        }
        match rustix::io::write(file, &bytes[..bytes.len().min(PIECE)]) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, pipe};

    #[test]
    fn everything_arrives_in_order() {
        let (mut reader, writer) = pipe().unwrap();
        let bytes: Vec<u8> = (0..1 << 20).map(|number: u32| (number / 7) as u8).collect();
        let sent = bytes.clone();
        let thread = std::thread::spawn(move || write(writer.as_fd(), &sent, || true));
        let mut received = Vec::new();
        reader.read_to_end(&mut received).unwrap();
        assert!(received == bytes);
        thread.join().unwrap().unwrap();
    }

    #[test]
    fn what_nobody_reads_is_given_up() {
        let (_reader, writer) = pipe().unwrap();
        let mut asked = 0;
        let goes_on = || {
            asked += 1;
            asked < 3
        };
        write(writer.as_fd(), &[0; 1 << 20], goes_on).unwrap();
        assert_eq!(asked, 3);
    }
}
