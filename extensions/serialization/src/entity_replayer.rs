//! `EntityReplayer`.

use crate::failure;
use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf::serialization::with_log_time;
use gxf_recording::{FrameReader, Recording, RecordingPaths};
use std::fs::File;
use std::path::PathBuf;

/// Publishes the messages of a recording, in its order and as fast as the graph takes them. At the
/// end it switches its entity off.
///
/// Messages are found by the offsets in the index, so one that is damaged does not take those
/// behind it away. (GXF reads the entities file from begin to end and never looks at the offsets.)
#[derive(Component, Default)]
pub struct EntityReplayer {
    /// Where messages go.
    #[parameter(headline = "Entity transmitter")]
    transmitter: Parameter<Handle<Transmitter>>,
    /// Reads the entities of the recording.
    #[parameter(headline = "Entity serializer")]
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Term of the own entity, switched off at the end of the recording.
    #[parameter(headline = "Boolean scheduling term")]
    boolean_scheduling_term: Parameter<Handle<BooleanSchedulingTerm>>,
    /// Directory of the recording; a relative one starts at the working directory.
    #[parameter(headline = "Directory path")]
    directory: Parameter<PathBuf>,
    /// Name of the recording, without `.gxf_index` and `.gxf_entities`. Without it, the name of
    /// this component.
    #[parameter(headline = "Base file name")]
    basename: Parameter<Option<String>>,
    /// Messages published on every tick.
    #[parameter(headline = "Batch size", default = 1, minimum = 1)]
    batch_size: Parameter<u64>,
    /// Leaves damaged messages out, with a warning, instead of failing.
    #[parameter(headline = "Ignore corrupted entities", default = true)]
    ignore_corrupted_entities: Parameter<bool>,
    reader: Option<FrameReader<File>>,
    /// Number of the next message.
    next: u64,
}

impl EntityReplayer {
    /// Reads a message of the recording.
    fn message(&mut self, number: u64, context: &TickContext) -> Result<Message> {
        let reader = self.reader.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let record = reader.open_frame(number).map_err(|error| failure(&error))?;
        let mut message = context.new_message()?;
        let read = self.entity_serializer.read_message(&mut message, reader);
        read.map_err(|error| error.context(format!("entity {number} cannot be read")))?;
        match reader.remaining() {
            0 => with_log_time(message, record.log_time.cast_signed()),
            left => Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                format!("entity {number} has {left} bytes more than the serializer reads"),
            )),
        }
    }

    fn count(&self) -> u64 {
        self.reader.as_ref().map_or(0, |reader| reader.recording().frames())
    }
}

impl Codelet for EntityReplayer {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let own_name = context.name();
        let basename = self.basename.as_deref().unwrap_or(&own_name);
        let paths = RecordingPaths::new(&self.directory, basename);
        let recording = Recording::open(&paths).map_err(|error| failure(&error))?;
        self.reader = Some(FrameReader::new(recording));
        self.next = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        for _ in 0..*self.batch_size {
            let number = self.next;
            if number >= self.count() {
                break;
            }
            self.next += 1;
            match self.message(number, context) {
                Ok(message) => self.transmitter.publish_as_is(message)?,
                Err(error) if *self.ignore_corrupted_entities => {
                    gxf::warning!("entity {number} is left out: {error}");
                }
                Err(error) => return Err(error),
            }
        }
        // Found out now rather than in another tick without a message.
        if self.next >= self.count() {
            self.boolean_scheduling_term.set_tick_enabled(false)?;
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.reader = None;
        Ok(())
    }
}
