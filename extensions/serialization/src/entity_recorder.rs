//! `EntityRecorder`.

use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf_message_recording::MessageRecorder;
use std::path::PathBuf;

/// Writes each message to a recording. Its log time is the one it was recorded at first if it was
/// replayed, else its acquisition time, else that of the wall clock.
#[derive(Component, Default)]
pub struct EntityRecorder {
    /// Where messages come from.
    #[parameter(headline = "Entity receiver")]
    receiver: Parameter<Handle<Receiver>>,
    /// Writes the entities of the recording.
    #[parameter(headline = "Entity serializer")]
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Directory of the recording; a relative one starts at the working directory.
    #[parameter(headline = "Directory path")]
    directory: Parameter<PathBuf>,
    /// Name of the recording, without `.gxf_index` and `.gxf_entities`. Without it, the name of
    /// the receiver.
    #[parameter(headline = "Base file name")]
    basename: Parameter<Option<String>>,
    /// Waits after every tick until the message is on the disk. Slow.
    #[parameter(headline = "Flush on tick", default = false)]
    flush_on_tick: Parameter<bool>,
    recording: Option<MessageRecorder>,
}

impl Codelet for EntityRecorder {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let receiver_name = context.component_name(self.receiver.cid());
        let basename = self.basename.as_deref().unwrap_or(&receiver_name);
        self.recording = Some(MessageRecorder::create(&self.directory, basename)?);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.receiver.receive()?;
        let recording = self.recording.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        recording.record(&message, &self.entity_serializer)?;
        if *self.flush_on_tick { recording.sync() } else { Ok(()) }
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.recording = None;
        Ok(())
    }
}
