//! `RecordingWriter`: frames to files.
//!
//! The order of writes is what keeps a recording readable after a crash: all bytes of a frame are
//! with the operating system before its index record is written. A process that is killed leaves,
//! behind the last frame, at most a piece of an entity that no record points to and a piece of a
//! record; readers ignore both.

use crate::error::{Error, Result};
use crate::layout::IndexRecord;
use crate::paths::RecordingPaths;
use crate::source::only_files;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Small pieces are collected up to this size. Larger ones are written from where they are, so
/// that the data of a tensor is copied once: by the operating system.
const BUFFER_SIZE: usize = 32 * 1024;

/// Writes a recording. A frame is written as a stream of bytes and then finished or abandoned.
/// Allocates nothing once it is made.
pub struct RecordingWriter {
    paths: RecordingPaths,
    index: File,
    entities: File,
    buffer: Vec<u8>,
    /// Where the current frame begins.
    frame_start: u64,
    /// Bytes of the current frame so far.
    frame_size: u64,
}

impl RecordingWriter {
    /// Begins a recording; one that was there before is replaced.
    ///
    /// # Errors
    /// A file cannot be created, or somebody reads or writes the recording.
    pub fn create(paths: &RecordingPaths) -> Result<Self> {
        // Nothing is cut before both files are ours.
        let is_new = !paths.index.exists();
        let index = claim(&paths.index)?;
        let entities = claim(&paths.entities).inspect_err(|_| {
            if is_new {
                _ = std::fs::remove_file(&paths.index);
            }
        })?;
        // The index first: at no moment does it point to frames that are gone.
        empty(&index, &paths.index)?;
        empty(&entities, &paths.entities)?;
        Ok(Self {
            paths: paths.clone(),
            index,
            entities,
            buffer: Vec::with_capacity(BUFFER_SIZE),
            frame_start: 0,
            frame_size: 0,
        })
    }

    /// Ends the frame and enters it into the index. When this returns, no end of the process can
    /// take the frame away; [`Self::sync`] does the same for the end of the machine.
    ///
    /// # Errors
    /// Nothing was written since the last frame, or a file cannot be written; the frame is then
    /// abandoned.
    pub fn finish_frame(&mut self, log_time: u64) -> Result<IndexRecord> {
        if self.frame_size == 0 {
            return Err(Error::EmptyFrame);
        }
        let finished = self.try_finish_frame(log_time);
        if finished.is_err() {
            // The first error is the one to report.
            _ = self.abandon_frame();
        }
        finished
    }

    fn try_finish_frame(&mut self, log_time: u64) -> Result<IndexRecord> {
        self.write_buffered(&[]).map_err(|error| failed(&self.paths.entities, error))?;
        let record =
            IndexRecord { log_time, data_size: self.frame_size, data_offset: self.frame_start };
        let written = self.index.write_all(&record.to_bytes());
        written.map_err(|error| failed(&self.paths.index, error))?;
        self.frame_start += self.frame_size;
        self.frame_size = 0;
        Ok(record)
    }

    /// Takes back what was written since the last frame.
    ///
    /// # Errors
    /// A file cannot be cut.
    pub fn abandon_frame(&mut self) -> Result<()> {
        self.buffer.clear();
        self.frame_size = 0;
        let cut = |mut file: &File, size: u64| {
            file.set_len(size).and_then(|()| file.seek(SeekFrom::Start(size))).map(|_| ())
        };
        cut(&self.entities, self.frame_start)
            .map_err(|error| failed(&self.paths.entities, error))?;
        // A record of which only a part was written would shift all that follow.
        let whole = (&self.index).stream_position().and_then(|position| {
            cut(&self.index, position - position % crate::layout::INDEX_RECORD_SIZE)
        });
        whole.map_err(|error| failed(&self.paths.index, error))
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        let synced = self.entities.sync_data();
        synced.map_err(|error| failed(&self.paths.entities, error))?;
        self.index.sync_data().map_err(|error| failed(&self.paths.index, error))
    }

    /// The files that are written.
    #[must_use]
    pub fn paths(&self) -> &RecordingPaths {
        &self.paths
    }

    /// Bytes of all finished frames.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.frame_start
    }

    /// Writes what is in the buffer and then `bytes`, in one call of the system if it likes.
    fn write_buffered(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut pieces = [IoSlice::new(&self.buffer), IoSlice::new(bytes)];
        let mut pieces = &mut pieces[..];
        IoSlice::advance_slices(&mut pieces, 0);
        while !pieces.is_empty() {
            match self.entities.write_vectored(pieces) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => IoSlice::advance_slices(&mut pieces, size),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.buffer.clear();
        Ok(())
    }
}

/// Writes to the current frame.
impl Write for RecordingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() <= BUFFER_SIZE {
            self.buffer.extend_from_slice(bytes);
        } else {
            self.write_buffered(bytes)?;
        }
        self.frame_size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_buffered(&[])
    }
}

/// Nanoseconds since 1970: the log time of what has no other.
#[must_use]
pub fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Opens or creates a file that nobody else uses, and leaves its contents alone.
fn claim(path: &Path) -> Result<File> {
    let opened = match only_files(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().write(true).create(true).truncate(false).open(path),
    };
    let file = opened.map_err(|source| Error::File {
        path: path.to_owned(),
        action: "created",
        source,
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::InUse { path: path.to_owned() }),
        // A file system without locks.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn empty(file: &File, path: &Path) -> Result<()> {
    // Ext4 takes a file that was cut to nothing for one that is being replaced, and writes it to the
    // disk when it is closed: no new recording should pay for that.
    if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
        return Ok(());
    }
    file.set_len(0).map_err(|error| failed(path, error))
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::File { path: path.to_owned(), action: "written", source }
}
