//! `VideoStreamRecorder`.

use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf_message_recording::MessageRecorder;
use std::path::PathBuf;

/// Writes messages to a recording. A frame that was written stays, also when the program is killed
/// a moment later. The log time of a frame is the acquisition time of its message, or that of the
/// wall clock when it has none.
#[derive(Component, Default)]
pub struct VideoStreamRecorder {
    /// Where messages come from.
    receiver: Parameter<Handle<Receiver>>,
    /// Writes the entities of the recording.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Directory of the recording; a relative one starts at the working directory.
    directory: Parameter<Option<PathBuf>>,
    /// The same, as Holoscan's early applications call it.
    out_directory: Parameter<Option<PathBuf>>,
    /// Name of the recording, without `.gxf_index` and `.gxf_entities`. Without it, the name of
    /// the receiver.
    basename: Parameter<Option<String>>,
    /// Waits after every tick until the frame is on the disk, so that not even a power failure
    /// takes it away. Slow.
    #[parameter(default = false)]
    flush_on_tick: Parameter<bool>,
    recording: Option<MessageRecorder>,
}

impl VideoStreamRecorder {
    /// The directory, by whichever name it was given.
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
