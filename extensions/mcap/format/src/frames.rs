//! The file of a recording, which gets whole messages only: what a killed process leaves behind can
//! be read up to its last complete message.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

/// A file, and what is not written yet.
pub struct Frames {
    file: File,
    waiting: Vec<u8>,
}

impl Frames {
    /// Creates a file, replacing an existing one that nobody reads or writes.
    pub fn create(path: &Path) -> io::Result<Self> {
        no_pipe(path)?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let text = "it is in use: another program or component reads or writes this \
                            recording; write to another file";
                return Err(io::Error::new(ErrorKind::ResourceBusy, text));
            }
            // A file system without locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // A device has no length.
        if file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        Ok(Self { file, waiting: Vec::new() })
    }
}

/// Opens a file to be read, which nobody replaces meanwhile. One that is still written can be read,
/// too.
pub fn open(path: &Path) -> io::Result<File> {
    no_pipe(path)?;
    let file = File::open(path)?;
    // Whoever is still writing holds the lock.
    _ = file.try_lock_shared();
    Ok(file)
}

/// Refuses a pipe before opening it, which would wait for its other end.
fn no_pipe(path: &Path) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo()) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a pipe, not a file"));
    }
    Ok(())
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Hands everything to the operating system, in one call.
    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

impl Seek for Frames {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        if position == SeekFrom::Current(0) {
            return Ok(self.file.stream_position()? + self.waiting.len() as u64);
        }
        self.flush()?;
        self.file.seek(position)
    }
}
