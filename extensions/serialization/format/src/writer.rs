//! `RecordingWriter`: frames to files.
//!
//! The order of writes keeps a recording readable after a crash: the operating system has all bytes
//! of a frame before the writer writes its index record. A killed process leaves, after the last
//! frame of the index, at most one whole or torn entity and part of a record; readers ignore both,
//! and `repair` brings a whole entity back.

use crate::error::{Error, Result};
use crate::layout::IndexRecord;
use crate::paths::RecordingPaths;
use crate::source::only_files;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Buffers small pieces up to this size. Larger ones are written from where they are, so that the
/// operating system makes the only copy of a tensor's data.
const BUFFER_SIZE: usize = 32 * 1024;

/// Writes a recording: each frame as a stream of bytes, then [`Self::finish_frame`] or
/// [`Self::abandon_frame`]. Only `create` allocates.
pub struct RecordingWriter {
    paths: RecordingPaths,
    index: File,
    entities: File,
    buffer: Vec<u8>,
    /// Whether the files still have what was there before.
    is_old: bool,
    /// Where the current frame starts.
    frame_start: u64,
    /// Bytes of the current frame so far.
    frame_size: u64,
}

impl RecordingWriter {
    /// Creates a recording. An existing one stays until the first frame begins to replace it.
    ///
    /// # Errors
    /// A file cannot be created, or the recording is in use.
    pub fn create(paths: &RecordingPaths) -> Result<Self> {
        // Lock both files before changing either.
        let is_new = !paths.index.exists();
        let index = claim(&paths.index)?;
        let entities = claim(&paths.entities).inspect_err(|_| {
            if is_new {
                _ = std::fs::remove_file(&paths.index);
            }
        })?;
        let has_some = |file: &File| file.metadata().is_ok_and(|about| about.len() > 0);
        let is_old = has_some(&index) || has_some(&entities);
        if is_old {
            // Until the first frame, readers get this lock but not the other one, and thus know that
            // what they find is about to go.
            _ = entities.try_lock_shared();
        }
        Ok(Self {
            paths: paths.clone(),
            index,
            entities,
            buffer: Vec::with_capacity(BUFFER_SIZE),
            is_old,
            frame_start: 0,
            frame_size: 0,
        })
    }

    /// Ends the frame and adds it to the index. Once this returns, the frame survives the end of
    /// the process; [`Self::sync`] makes it survive a power failure.
    ///
    /// # Errors
    /// The frame is empty, or a file cannot be written; the frame is then abandoned.
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

    /// Removes everything written since the last frame.
    ///
    /// # Errors
    /// A file cannot be truncated.
    pub fn abandon_frame(&mut self) -> Result<()> {
        if self.is_old {
            return Ok(());
        }
        self.buffer.clear();
        self.frame_size = 0;
        let cut = |mut file: &File, size: u64| {
            file.set_len(size).and_then(|()| file.seek(SeekFrom::Start(size))).map(|_| ())
        };
        cut(&self.entities, self.frame_start)
            .map_err(|error| failed(&self.paths.entities, error))?;
        // A partial record would shift all that follow.
        let whole = (&self.index).stream_position().and_then(|position| {
            cut(&self.index, position - position % crate::layout::INDEX_RECORD_SIZE)
        });
        whole.map_err(|error| failed(&self.paths.index, error))
    }

    /// Waits until everything is on disk.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        let synced = self.entities.sync_data();
        synced.map_err(|error| failed(&self.paths.entities, error))?;
        self.index.sync_data().map_err(|error| failed(&self.paths.index, error))
    }

    /// The files of the recording.
    #[must_use]
    pub fn paths(&self) -> &RecordingPaths {
        &self.paths
    }

    /// Whether no frame has begun, so that the files still have the recording that was there before.
    #[must_use]
    pub fn keeps_former(&self) -> bool {
        self.is_old
    }

    /// Bytes of all finished frames.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.frame_start
    }

    /// Removes the recording that was there before.
    #[cold]
    fn remove_former(&mut self) -> io::Result<()> {
        /// For so many milliseconds, a reader may hold the lock that tells it not to read.
        const PATIENCE: u32 = 1000;
        let mut tries = 0;
        while let Err(TryLockError::WouldBlock) = self.entities.try_lock() {
            tries += 1;
            if tries > PATIENCE {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // The index first, so that it never points to missing frames.
        empty(&self.index)?;
        empty(&self.entities)?;
        self.is_old = false;
        Ok(())
    }

    /// Writes the buffer and then `bytes`, in one system call if possible.
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
        if self.is_old {
            self.remove_former()?;
        }
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

/// Nanoseconds since 1970, the log time of messages without another.
#[must_use]
pub fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Opens or creates a file, locks it, and leaves its contents alone.
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

fn empty(file: &File) -> io::Result<()> {
    // Ext4 flushes a file that was truncated to nothing to disk on close, for programs that replace
    // files; a new recording need not pay for that.
    if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
        return Ok(());
    }
    file.set_len(0)
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::File { path: path.to_owned(), action: "written", source }
}
