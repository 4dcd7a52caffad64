//! `EntityReplayer`.

use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf_message_recording::{Playback, Step, Wanted};
use std::path::Path;

/// Publishes the messages of a recording in order, as fast as the graph takes them. At the end it
/// switches its entity off.
///
/// It finds messages by the offsets in the index, so a damaged one costs no other. (GXF reads the
/// entities file from beginning to end and ignores the offsets.)
#[derive(Component, Default)]
pub struct EntityReplayer {
    /// Transmitter for the messages.
    #[parameter(headline = "Entity transmitter")]
    transmitter: Parameter<Handle<Transmitter>>,
    /// Serializer that reads the recording's entities.
    #[parameter(headline = "Entity serializer")]
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Term of the same entity, switched off at the end of the recording.
    #[parameter(headline = "Boolean scheduling term")]
    boolean_scheduling_term: Parameter<Handle<BooleanSchedulingTerm>>,
    /// Directory of the recording, relative to the working directory.
    #[parameter(headline = "Directory path")]
    directory: Parameter<String>,
    /// Name of the recording, without `.gxf_index` and `.gxf_entities` [default: the name of this
    /// component].
    #[parameter(headline = "Base file name")]
    basename: Parameter<Option<String>>,
    /// Messages per tick.
    #[parameter(headline = "Batch size", default = 1, minimum = 1)]
    batch_size: Parameter<u64>,
    /// Skips damaged messages with a warning instead of failing.
    #[parameter(headline = "Ignore corrupted entities", default = true)]
    ignore_corrupted_entities: Parameter<bool>,
    playback: Option<Playback>,
}

impl Codelet for EntityReplayer {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let own_name = context.name();
        let basename = self.basename.as_deref().unwrap_or(&own_name);
        let wanted = Wanted { ignore_damage: *self.ignore_corrupted_entities, ..Wanted::default() };
        self.playback =
            Some(Playback::open(context, Path::new(self.directory.get()), basename, wanted)?);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let playback = self.playback.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        for _ in 0..*self.batch_size {
            match playback.step(context, &self.entity_serializer)? {
                Step::Frame(message) => self.transmitter.publish_as_is(message)?,
                Step::Later | Step::End => break,
            }
        }
        // Checked here, to avoid one more tick without a message.
        if playback.is_at_end() {
            playback.finish()?;
            self.boolean_scheduling_term.set_tick_enabled(false)?;
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.playback = None;
        Ok(())
    }
}
