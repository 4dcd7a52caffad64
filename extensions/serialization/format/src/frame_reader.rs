//! `FrameReader`: the bytes of one frame after the other.

use crate::error::{Error, FrameError, Result};
use crate::layout::IndexRecord;
use crate::recording::Recording;
use crate::source::Source;
use std::io::{self, Read};

/// Buffers small reads; larger ones go straight to their destination, so that the operating system
/// makes the only copy of a tensor's data.
const BUFFER_SIZE: usize = 4096;

/// Reads frames as streams that end where the frame ends. Only `new` allocates.
pub struct FrameReader<S> {
    recording: Recording<S>,
    buffer: Box<[u8]>,
    /// The unread part of the buffer.
    filled: core::ops::Range<usize>,
    /// The rest of the frame after the buffer, as offsets in the entities file.
    rest: core::ops::Range<u64>,
}

impl<S: Source> FrameReader<S> {
    /// A reader without an open frame.
    #[must_use]
    pub fn new(recording: Recording<S>) -> Self {
        Self { recording, buffer: vec![0; BUFFER_SIZE].into(), filled: 0..0, rest: 0..0 }
    }

    /// The recording.
    #[must_use]
    pub fn recording(&self) -> &Recording<S> {
        &self.recording
    }

    /// Goes to the start of a frame after checking it, so that its reader can rely on the lengths
    /// in it.
    ///
    /// # Errors
    /// There is no such frame, or it is damaged; the reader is then at its end.
    pub fn open_frame(&mut self, number: u64) -> Result<IndexRecord> {
        self.open(number, |recording, record| recording.check(record))
    }

    /// Goes to the start of a frame in an unknown layout. Its reader must not rely on the lengths
    /// in it, but cannot read past its end.
    ///
    /// # Errors
    /// There is no such frame, or it is not within the file; the reader is then at its end.
    pub fn open_unknown_frame(&mut self, number: u64) -> Result<IndexRecord> {
        self.open(number, |recording, record| recording.end(record).map(|_| ()))
    }

    fn open(
        &mut self,
        number: u64,
        check: impl FnOnce(&Recording<S>, &IndexRecord) -> Result<(), FrameError>,
    ) -> Result<IndexRecord> {
        (self.filled, self.rest) = (0..0, 0..0);
        let record = self.recording.raw_record(number)?;
        check(&self.recording, &record).map_err(|error| Error::Frame { number, error })?;
        self.rest = record.data_offset..record.data_offset + record.data_size;
        Ok(record)
    }

    /// Unread bytes of the frame.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        (self.rest.end - self.rest.start) + (self.filled.end - self.filled.start) as u64
    }

    fn read_file(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.recording.entities().read_exact_at(bytes, self.rest.start)
    }

    /// Number of bytes to read from the file next, at most `wanted`.
    fn limited(&self, wanted: usize) -> usize {
        let left = self.rest.end - self.rest.start;
        usize::try_from(left).map_or(wanted, |left| left.min(wanted))
    }
}

impl<S: Source> Read for FrameReader<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.filled.is_empty() {
            if bytes.len() >= BUFFER_SIZE {
                let size = self.limited(bytes.len());
                self.read_file(&mut bytes[..size])?;
                self.rest.start += size as u64;
                return Ok(size);
            }
            let size = self.limited(BUFFER_SIZE);
            let mut buffer = core::mem::take(&mut self.buffer);
            let read = self.read_file(&mut buffer[..size]);
            self.buffer = buffer;
            read?;
            self.rest.start += size as u64;
            self.filled = 0..size;
        }
        let size = self.filled.len().min(bytes.len());
        let start = self.filled.start;
        bytes[..size].copy_from_slice(&self.buffer[start..start + size]);
        self.filled.start += size;
        Ok(size)
    }
}
