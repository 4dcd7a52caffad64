//! Standard output, whose reader may not read: that must not keep a run from ending.

use gxf::prelude::*;
use gxf::{ComponentContext, PendingWork};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
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
    let handle = context.handle();
    let mut begin = None;
    let goes_on = || {
        // There is no work for a run that does not go on.
        PendingWork::of(&handle).is_some()
            || begin.get_or_insert_with(Instant::now).elapsed() < PATIENCE
    };
    write(output.as_fd(), text.as_bytes(), goes_on)
        .map_err(|error| Error::from(error).context("standard output cannot be written"))
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
