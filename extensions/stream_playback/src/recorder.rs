//! `VideoStreamRecorder`.

use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf_message_recording::MessageRecorder;
use std::path::PathBuf;

/// Writes messages to a recording. A complete frame survives even if the program is killed a moment
/// later. The log time of a frame is the acquisition time of its message, or the wall clock's time
/// when it has none.
#[derive(Component, Default)]
pub struct VideoStreamRecorder {
    /// Receiver of the messages.
    receiver: Parameter<Handle<Receiver>>,
    /// Serializer of the recording's entities.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Directory of the recording, relative to the working directory.
    directory: Parameter<Option<PathBuf>>,
    /// The name of `directory` in Holoscan's early applications.
    out_directory: Parameter<Option<PathBuf>>,
    /// Name of the recording, without `.gxf_index` and `.gxf_entities` [default: the name of the
    /// receiver].
    basename: Parameter<Option<String>>,
    /// Waits after every tick until the frame is on disk, so that it survives a power failure.
    /// Slow.
    #[parameter(default = false)]
    flush_on_tick: Parameter<bool>,
    recording: Option<MessageRecorder>,
}

impl VideoStreamRecorder {
    /// The directory, whichever of its names is set.
    fn folder(&self) -> Result<&PathBuf> {
        match (&*self.directory, &*self.out_directory) {
            (Some(directory), None) | (None, Some(directory)) => Ok(directory),
            (None, None) => Err(Error::new(
                ResultCode::PARAMETER_MANDATORY_NOT_SET,
                "`directory` is not set: it says where the recording is written to",
            )),
            (Some(_), Some(_)) => Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "`directory` and `out_directory` mean the same; set one of them",
            )),
        }
    }
}

impl Codelet for VideoStreamRecorder {
    fn check_parameters(&self) -> Result<()> {
        self.folder().map(|_| ())
    }

    fn start(&mut self, context: &TickContext) -> Result<()> {
        let receiver_name = context.component_name(self.receiver.cid());
        let basename = self.basename.as_deref().unwrap_or(&receiver_name);
        self.recording = Some(MessageRecorder::create(self.folder()?, basename)?);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.receiver.receive()?;
        let recording = self.recording.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        recording.record(&message, &self.entity_serializer)?;
        if *self.flush_on_tick { recording.sync() } else { Ok(()) }
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        if let Some(recording) = self.recording.take() {
            recording.log_summary();
        }
        Ok(())
    }
}
