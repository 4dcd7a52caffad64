//! `File`: an endpoint on disk.

use gxf::MemoryBuffer;
use gxf::prelude::*;
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Reads and writes a file from its beginning. It buffers small writes and flushes them when the
/// buffer is full, before the next read, and at the end.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct File {
    /// Allocator of the buffer.
    #[parameter(headline = "Memory allocator")]
    allocator: Parameter<Handle<Allocator>>,
    /// Path of the file, relative to the working directory; empty to open none.
    #[parameter(headline = "File path", default = "")]
    file_path: Parameter<String>,
    /// As for C's `fopen`: `r` reads, `w` writes a new file, `a` appends; a `+` after it does both.
    /// A `b` changes nothing.
    #[parameter(headline = "File mode", default = "wb+")]
    file_mode: Parameter<String>,
    /// Size of the write buffer.
    #[parameter(headline = "Buffer size", unit = "bytes", default = 2_097_152)]
    buffer_size: Parameter<u64>,
    open: Mutex<Option<Open>>,
}

struct Open {
    file: std::fs::File,
    readable: bool,
    writable: bool,
    buffer: MemoryBuffer,
    /// Bytes in the buffer.
    collected: usize,
    at_end: bool,
    failed: bool,
}

/// The options of a mode, and whether it reads and writes.
fn options(mode: &str) -> Result<(OpenOptions, bool, bool)> {
    let mut letters: Vec<char> = mode.chars().filter(|letter| *letter != 'b').collect();
    let first = if letters.is_empty() { ' ' } else { letters.remove(0) };
    let both = match letters[..] {
        [] => false,
        ['+'] => true,
        _ => return Err(unknown(mode)),
    };
    let (readable, writable) = (first == 'r' || both, first != 'r' || both);
    let mut options = OpenOptions::new();
    options.read(readable);
    match first {
        'r' => options.write(writable),
        'w' => options.write(true).create(true).truncate(true),
        'a' => options.append(true).create(true),
        _ => return Err(unknown(mode)),
    };
    Ok((options, readable, writable))
}

fn unknown(mode: &str) -> Error {
    Error::new(
        ResultCode::ARGUMENT_INVALID,
        format!(
            "`file_mode` cannot be `{mode}`: it is `r`, `w` or `a`, a `+` behind it to read and \
             write, and a `b` as you like"
        ),
    )
}

impl Open {
    fn flush(&mut self) -> Result<()> {
        let collected = std::mem::take(&mut self.collected);
        let bytes = self.buffer.bytes()?.get(..collected).unwrap_or_default();
        Ok(self.file.write_all(bytes)?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let fits = |collected: usize, room: u64| (collected + bytes.len()) as u64 <= room;
        if !fits(self.collected, self.buffer.size()) {
            self.flush()?;
        }
        if !fits(0, self.buffer.size()) {
            return Ok(self.file.write_all(bytes)?);
        }
        let start = self.collected;
        self.buffer.bytes_mut()?[start..start + bytes.len()].copy_from_slice(bytes);
        self.collected += bytes.len();
        Ok(())
    }
}

impl File {
    fn locked(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `body` with the open file.
    fn with<R>(&self, body: impl FnOnce(&mut Open) -> Result<R>) -> Result<R> {
        let mut open = self.locked();
        let open = open.as_mut().ok_or_else(|| {
            Error::new(ResultCode::FILE_NOT_FOUND, "no file is open: `file_path` is empty")
        })?;
        body(open).map_err(|error| {
            open.failed = true;
            error.context(format!("'{}'", *self.file_path))
        })
    }

    fn open_file(&self, path: &str, mode: &str) -> Result<Open> {
        let (options, readable, writable) = options(mode)?;
        let opened = match std::fs::metadata(path) {
            // Opening it, or reading it, would wait for its other end, and keep the graph from ending.
            Ok(about) if about.file_type().is_fifo() => {
                Err(Error::new(ResultCode::ARGUMENT_INVALID, "it is a pipe, not a file"))
            }
            _ => options.open(path).map_err(Error::from),
        };
        let file =
            opened.map_err(|error| error.context(format!("the file '{path}' cannot be opened")))?;
        let buffer =
            MemoryBuffer::allocate(&self.allocator, *self.buffer_size, StorageType::SYSTEM)?;
        Ok(Open { file, readable, writable, buffer, collected: 0, at_end: false, failed: false })
    }
}

impl Lifecycle for File {
    fn check_parameters(&self) -> Result<()> {
        options(&self.file_mode).map(|_| ())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        options(&self.file_mode)?;
        if !self.file_path.is_empty() {
            *self.locked() = Some(self.open_file(&self.file_path, &self.file_mode)?);
        }
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let open = self.locked().take();
        open.map_or(Ok(()), |mut open| {
            open.flush().map_err(|error| error.context(format!("'{}'", *self.file_path)))
        })
    }
}

impl gxf::ByteStream for File {
    fn is_writable(&self) -> bool {
        self.locked().as_ref().is_some_and(|open| open.writable)
    }

    fn is_readable(&self) -> bool {
        self.locked().as_ref().is_some_and(|open| open.readable)
    }

    fn write_bytes(&self, bytes: &[u8]) -> Result<usize> {
        self.with(|open| open.write(bytes).map(|()| bytes.len()))
    }

    fn read_bytes(&self, bytes: &mut [u8]) -> Result<usize> {
        self.with(|open| {
            open.flush()?;
            let size = open.file.read(bytes)?;
            open.at_end |= size < bytes.len();
            Ok(size)
        })
    }
}

impl gxf::implement::File for File {
    fn open(&self, path: &str, mode: &str) -> Result<()> {
        let mut open = self.locked();
        if open.is_some() {
            return Err(Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, "a file is open already"));
        }
        let path = if path.is_empty() { &*self.file_path } else { path };
        let mode = if mode.is_empty() { &*self.file_mode } else { mode };
        *open = Some(self.open_file(path, mode)?);
        Ok(())
    }

    fn close(&self) -> Result<()> {
        let mut open = self.locked().take().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        open.flush()
    }

    fn flush(&self) -> Result<()> {
        self.with(Open::flush)
    }

    fn seek(&self, offset: i64, whence: i32) -> Result<()> {
        let target = match whence {
            0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| ResultCode::ARGUMENT_INVALID)?),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(ResultCode::ARGUMENT_INVALID.into()),
        };
        self.with(|open| {
            open.flush()?;
            open.file.seek(target)?;
            open.at_end = false;
            Ok(())
        })
    }

    fn tell(&self) -> Result<u64> {
        self.with(|open| Ok(open.file.stream_position()? + open.collected as u64))
    }

    fn clear(&self) -> Result<()> {
        self.with(|open| {
            (open.at_end, open.failed) = (false, false);
            Ok(())
        })
    }

    fn is_open(&self) -> bool {
        self.locked().is_some()
    }

    fn is_at_end(&self) -> bool {
        self.locked().as_ref().is_some_and(|open| open.at_end)
    }

    fn has_failed(&self) -> bool {
        self.locked().as_ref().is_some_and(|open| open.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_mean_what_they_mean_in_c() {
        for (mode, readable, writable) in [
            ("r", true, false),
            ("rb", true, false),
            ("r+b", true, true),
            ("w", false, true),
            ("wb+", true, true),
            ("ab", false, true),
        ] {
            let (_, reads, writes) = options(mode).unwrap();
            assert_eq!((reads, writes), (readable, writable), "{mode}");
        }
        for mode in ["", "b", "x", "rw", "r++", "+r"] {
            assert!(options(mode).is_err(), "{mode}");
        }
    }
}
