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
    /// Receiver of the entities.
    receiver: Parameter<Handle<Receiver>>,
    /// Serializer for serializing entities.
    serializer: Parameter<Handle<EntitySerializer>>,
    /// Output directory, relative to the working directory.
    out_directory: Parameter<Option<PathBuf>>,
    /// Another name of `out_directory`, which the guide uses as well.
    directory: Parameter<Option<PathBuf>>,
    /// File name without extension.
    basename: Parameter<String>,
    recording: Option<MessageRecorder>,
}

impl MyRecorder {
    /// The directory, whichever of its names is set.
    fn folder(&self) -> Result<&PathBuf> {
        match (&*self.out_directory, &*self.directory) {
            (Some(directory), None) | (None, Some(directory)) => Ok(directory),
            (None, None) => Err(Error::new(
                ResultCode::PARAMETER_MANDATORY_NOT_SET,
                "`out_directory` is not set: it says where to write the recording",
            )),
            (Some(_), Some(_)) => Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "`out_directory` and `directory` mean the same; set one of them",
            )),
        }
    }
}

impl Codelet for MyRecorder {
    fn check_parameters(&self) -> Result<()> {
        self.folder().map(|_| ())
    }

    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.recording = Some(MessageRecorder::create(self.folder()?, &self.basename)?);
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
