//! The example of Holoscan's guide to extensions: a codelet that writes what it receives to a
//! recording.
#![forbid(unsafe_code)]

use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf_message_recording::MessageRecorder;
use std::path::PathBuf;

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
    recording: Option<MessageRecorder>,
}

impl Codelet for MyRecorder {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.recording = Some(MessageRecorder::create(&self.out_directory, &self.basename)?);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.receiver.receive()?;
        let recording = self.recording.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        recording.record(&message, &self.serializer)
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.recording = None;
        Ok(())
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
