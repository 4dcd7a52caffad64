//! Bytes with random access.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A file, or its bytes in memory.
pub trait Source {
    /// Number of bytes.
    ///
    /// # Errors
    /// The operating system reports an error.
    fn size(&self) -> io::Result<u64>;

    /// Fills `bytes` from `offset`.
    ///
    /// # Errors
    /// `UnexpectedEof` past the end, or an error of the operating system.
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
}

impl Source for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, bytes, offset).map_err(|error| match error.kind() {
            // No caller reads past the size at opening.
            ErrorKind::UnexpectedEof => {
                io::Error::new(error.kind(), "the file has become shorter since it was opened")
            }
            _ => error,
        })
    }
}

impl Source for &[u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let found = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        let found = found.and_then(|rest| rest.get(..bytes.len()));
        bytes.copy_from_slice(found.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Refuses anything but a file before opening it: opening a pipe waits for its other end, opening a
/// folder succeeds, and a device takes frames and keeps none.
pub fn only_files(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_dir() { "a folder" } else { "a pipe or a device" };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a file")))
}
