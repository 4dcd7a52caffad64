//! `FrameReader`: the bytes of one frame after the other.

use crate::error::{Error, FrameError, Result};
use crate::layout::IndexRecord;
use crate::recording::Recording;
use crate::source::Source;
use std::io::{self, Read};

/// Small reads are served from a buffer of this size; what is larger goes straight to its
/// destination, so that the data of a tensor is copied once: by the operating system.
const BUFFER_SIZE: usize = 4096;

/// Reads frames as streams that end where the frame ends. Allocates nothing once it is made.
pub struct FrameReader<S> {
    recording: Recording<S>,
    buffer: Box<[u8]>,
    /// The part of the buffer that is filled and not read yet.
    filled: core::ops::Range<usize>,
    /// What comes after the buffer, as offsets in the entities file.
    rest: core::ops::Range<u64>,
}

impl<S: Source> FrameReader<S> {
    /// A reader that stands nowhere yet.
    #[must_use]
    pub fn new(recording: Recording<S>) -> Self {
        Self { recording, buffer: vec![0; BUFFER_SIZE].into(), filled: 0..0, rest: 0..0 }
    }

    /// The recording.
    #[must_use]
    pub fn recording(&self) -> &Recording<S> {
        &self.recording
    }

    /// Goes to the begin of a frame that has been checked, so that whoever reads it can rely on
    /// the lengths in it.
    ///
    /// # Errors
    /// There is no such frame, or it is damaged; the reader then stands at an end.
    pub fn open_frame(&mut self, number: u64) -> Result<IndexRecord> {
        self.open(number, |recording, record| recording.check(record))
    }

    /// Goes to the begin of a frame in a layout nobody here knows. Its reader must not rely on the
    /// lengths in it, but meets its end at its end.
    ///
    /// # Errors
    /// There is no such frame, or it is not within the file; the reader then stands at an end.
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

    /// Bytes of the frame that were not read yet.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        (self.rest.end - self.rest.start) + (self.filled.end - self.filled.start) as u64
    }

    fn read_file(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.recording.entities().read_exact_at(bytes, self.rest.start)
    }

    /// How many bytes of the file may be read next, at most `wanted`.
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
