//! The example of Holoscan's guide to extensions: a codelet that writes what it receives to a
//! recording.
#![forbid(unsafe_code)]

use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf::serialization::log_time;
use gxf_recording::{RecordingPaths, RecordingWriter};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Receives entities and writes them to disk.
#[derive(Component, Default)]
pub struct MyRecorder {
    /// Receiver channel to log.
    receiver: Parameter<Handle<Receiver>>,
    /// Serializer for serializing entities.
    serializer: Parameter<Handle<EntitySerializer>>,
    /// Out directory path; a relative one starts at the working directory.
    out_directory: Parameter<PathBuf>,
    /// File name without extension.
    basename: Parameter<String>,
    recording: Option<RecordingWriter>,
}

impl Codelet for MyRecorder {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        let paths = RecordingPaths::new(&self.out_directory, &self.basename);
        self.recording = Some(RecordingWriter::create(&paths).map_err(failed)?);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.receiver.receive()?;
        let recording = self.recording.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        if let Err(error) = self.serializer.write_message(&message, recording) {
            // What was written of the frame is taken back; the first error is the one to tell.
            recording.abandon_frame().map_err(failed)?;
            return Err(error.context("the message cannot be recorded"));
        }
        // A message that was replayed says when it was recorded first.
        let time = log_time(&message).map_or_else(now, |time| time as u64);
        recording.finish_frame(time).map_err(failed)?;
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.recording = None;
        Ok(())
    }
}

/// Nanoseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// The error of a recording with what caused it.
fn failed(error: gxf_recording::Error) -> Error {
    match std::error::Error::source(&error) {
        Some(cause) => Error::failure(format!("{error}: {cause}")),
        None => Error::failure(error.to_string()),
    }
}

gxf::gxf_ext_factory! {
    id: 0xf83837e3e19d8cf6, 0x61d0d2cae73a2130;
    name: "MyRecorderExtension";
    version: "1.0.0";
    description: "My recorder extension";
    license: "Apache-2.0";
    display_name: "My Recorder";
    category: "Example";
    brief: "Writes messages to a recording";
    components: [
        MyRecorder: Codelet { id: 0xceed05d5e397aecd, 0x2fc0caf7d391696d; name: "MyRecorder"; },
    ];
}
