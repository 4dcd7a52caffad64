//! The file of a recording, which gets whole messages only: what a killed process leaves behind can
//! be read up to its last complete message.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// A file, and what is not written yet.
pub struct Frames {
    file: File,
    waiting: Vec<u8>,
}

impl Frames {
    /// Creates a file, replacing an existing one.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::create(path)?, waiting: Vec::new() })
    }
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
