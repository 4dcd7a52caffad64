//! `MessageRecorder`.

use crate::failure;
use gxf::serialization::log_time;
use gxf::{EntitySerializer, Message, Result};
use gxf_recording::{RecordingPaths, RecordingWriter, wall_clock};
use std::path::Path;

/// Writes messages to a recording. A message that was recorded stays, also when the program is
/// killed a moment later. Its log time is the one it was recorded at first if it was replayed, else
/// its acquisition time, else that of the wall clock.
pub struct MessageRecorder {
    writer: RecordingWriter,
    frames: u64,
}

impl MessageRecorder {
    /// Begins a recording; one that was there before is replaced. `basename` is the name of both
    /// files without their endings.
    ///
    /// # Errors
    /// A file cannot be created, or somebody reads or writes the recording.
    pub fn create(directory: &Path, basename: &str) -> Result<Self> {
        let paths = RecordingPaths::new(directory, basename);
        let writer = RecordingWriter::create(&paths).map_err(failure)?;
        Ok(Self { writer, frames: 0 })
    }

    /// Appends a message.
    ///
    /// # Errors
    /// It cannot be serialized or written; nothing of it stays in the recording.
    pub fn record(&mut self, message: &Message, serializer: &EntitySerializer) -> Result<()> {
        if let Err(error) = serializer.write_message(message, &mut self.writer) {
            self.writer.abandon_frame().map_err(failure)?;
            let path = self.writer.paths().entities.display();
            return Err(error.context(format!("a message cannot be written to '{path}'")));
        }
        let time = log_time(message).map_or_else(wall_clock, i64::cast_unsigned);
        self.writer.finish_frame(time).map_err(failure)?;
        self.frames += 1;
        Ok(())
    }

    /// Waits until everything is on the disk, so that not even a power failure takes it away. Slow.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        self.writer.sync().map_err(failure)
    }

    /// Says what was recorded.
    pub fn log_summary(&self) {
        gxf::info!(
            "{} frames, {} bytes were recorded to '{}'",
            self.frames,
            self.writer.bytes(),
            self.writer.paths().index.display()
        );
    }
}
