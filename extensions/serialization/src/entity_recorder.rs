//! `EntityRecorder`.

use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf_message_recording::MessageRecorder;
use std::path::Path;

/// Writes each message to a recording. The log time of a replayed message is its original one;
/// otherwise it is the acquisition time, or else the wall clock's.
#[derive(Component, Default)]
pub struct EntityRecorder {
    /// Receiver of the messages.
    #[parameter(headline = "Entity receiver")]
    receiver: Parameter<Handle<Receiver>>,
    /// Serializer of the recording's entities.
    #[parameter(headline = "Entity serializer")]
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Directory of the recording, relative to the working directory.
    #[parameter(headline = "Directory path")]
    directory: Parameter<String>,
    /// Name of the recording, without `.gxf_index` and `.gxf_entities` [default: the name of the
    /// receiver].
    #[parameter(headline = "Base file name")]
    basename: Parameter<Option<String>>,
    /// Waits after every tick until the message is on disk. Slow.
    #[parameter(headline = "Flush on tick", default = false)]
    flush_on_tick: Parameter<bool>,
    recording: Option<MessageRecorder>,
}

impl Codelet for EntityRecorder {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let receiver_name = context.component_name(self.receiver.cid());
        let basename = self.basename.as_deref().unwrap_or(&receiver_name);
        self.recording = Some(MessageRecorder::create(Path::new(self.directory.get()), basename)?);
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
