//! `EntityRecorder`.

use crate::failure;
use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf::serialization::log_time;
use gxf_recording::{RecordingPaths, RecordingWriter};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

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
    recording: Option<RecordingWriter>,
}

impl Codelet for EntityRecorder {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let receiver_name = context.component_name(self.receiver.cid());
        let basename = self.basename.as_deref().unwrap_or(&receiver_name);
        let paths = RecordingPaths::new(&self.directory, basename);
        self.recording = Some(RecordingWriter::create(&paths).map_err(|error| failure(&error))?);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.receiver.receive()?;
        let recording = self.recording.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        if let Err(error) = self.entity_serializer.write_message(&message, recording) {
            recording.abandon_frame().map_err(|error| failure(&error))?;
            let path = recording.paths().entities.display();
            return Err(error.context(format!("a message cannot be written to '{path}'")));
        }
        let time = log_time(&message).map_or_else(wall_clock, i64::cast_unsigned);
        recording.finish_frame(time).map_err(|error| failure(&error))?;
        if *self.flush_on_tick {
            recording.sync().map_err(|error| failure(&error))?;
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.recording = None;
        Ok(())
    }
}

/// Nanoseconds since 1970.
fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
