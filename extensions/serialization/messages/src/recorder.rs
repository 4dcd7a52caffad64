//! `MessageRecorder`.

use crate::failure;
use gxf::serialization::log_time;
use gxf::{EntitySerializer, Message, Result};
use gxf_recording::{RecordingPaths, RecordingWriter, wall_clock};
use std::path::Path;

/// Writes messages to a recording. A recorded message survives even if the program is killed a
/// moment later. The log time of a replayed message is its original one; otherwise it is the
/// acquisition time, or else the wall clock's.
pub struct MessageRecorder {
    writer: RecordingWriter,
    frames: u64,
}

impl MessageRecorder {
    /// Creates a recording, which replaces an existing one once there is a message. `basename` is the
    /// name of both files without the extensions.
    ///
    /// # Errors
    /// A file cannot be created, or the recording is in use.
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

    /// Waits until everything is on disk, so that it survives a power failure. Slow.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        self.writer.sync().map_err(failure)
    }

    /// Logs what was recorded.
    pub fn log_summary(&self) {
        gxf::info!(
            "{} frames, {} bytes were recorded to '{}'",
            self.frames,
            self.writer.bytes(),
            self.writer.paths().index.display()
        );
    }
}

impl Drop for MessageRecorder {
    fn drop(&mut self) {
        if self.writer.keeps_former() {
            gxf::warning!(
                "no message was recorded; '{}' is what was there before",
                self.writer.paths().index.display()
            );
        }
    }
}
