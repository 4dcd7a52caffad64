//! The position of a replayer in its recording.

use crate::failure;
use crate::foreign::foreign_types;
use gxf::prelude::*;
use gxf::serialization::with_log_time;
use gxf::{EntitySerializer, Tid};
use gxf_recording::inspect::whole_frames;
use gxf_recording::walk::entities_in;
use gxf_recording::{FrameReader, Recording, RecordingPaths};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Warns of this many damaged frames; the others are only counted.
const TOLD: u64 = 5;
/// Skips at most this many damaged frames per tick, so that a run can stop in between.
const PASSED_OVER: u64 = 1000;

/// Serializers whose layout allows checking a frame before reading it: `StdEntitySerializer` and
/// `VideoStreamSerializer`.
const KNOWN_LAYOUT: [Tid; 2] = [
    Tid::new(0xbe82_d2fa_52f5_3687, 0x84d3_e499_9125_a09b),
    Tid::new(0xeab7_05bc_7969_f2e9, 0xd00c_e646_46ff_da9c),
];

/// Which frames to replay.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    /// Total number of frames; `None` for all.
    pub count: Option<u64>,
    /// Whether to start again at the end.
    pub repeat: bool,
    /// Whether to skip damaged frames.
    pub ignore_damage: bool,
}

/// A replay of a recording.
pub struct Playback {
    reader: FrameReader<File>,
    /// Name of the entities file, for messages.
    entities: PathBuf,
    /// Number of index records to read.
    frames_in_file: u64,
    wanted: Wanted,
    /// Whether the layout allows checking frames; known with the first frame.
    has_known_layout: Option<bool>,
    /// Number of the next frame in the index.
    position: u64,
    /// Frames read so far, and their bytes.
    frames: u64,
    bytes: u64,
    /// Damaged frames skipped so far, and what was wrong with the first.
    damaged: u64,
    first_damage: Option<Error>,
    /// Where the frames of the index end in the entities file; `None` once compared with the length
    /// of the file.
    end: Option<u64>,
    /// Offset of log times, so that they keep rising when the recording repeats.
    time_offset: u64,
}

/// Result of a step.
pub enum Step {
    /// A frame.
    Frame(Message),
    /// Nothing yet; ask again in the next tick.
    Later,
    /// There are no more.
    End,
}

impl Playback {
    /// Opens a recording. `basename` is the name of both files without their endings.
    ///
    /// # Errors
    /// A file cannot be opened, or the index has records for far more than the entities file, and
    /// damage is not ignored.
    pub fn open(
        context: &ComponentContext,
        directory: &Path,
        basename: &str,
        wanted: Wanted,
    ) -> Result<Self> {
        let paths = RecordingPaths::new(directory, basename);
        let recording = Recording::open(&paths).map_err(failure)?;
        let recording = recording.with_foreign(foreign_types(context)?);
        let left_out = recording.frames() - recording.plausible_frames();
        if left_out > 0 {
            let problem = format!(
                "the last {left_out} of {} records in '{}' cannot belong to frames in an entities \
                 file of {} bytes",
                recording.frames(),
                paths.index.display(),
                recording.entities_size()
            );
            if !wanted.ignore_damage {
                return Err(Error::new(ResultCode::INVALID_DATA_FORMAT, problem));
            }
            gxf::warning!("{problem}; they are skipped");
        }
        Ok(Self {
            frames_in_file: recording.plausible_frames(),
            entities: paths.entities,
            reader: FrameReader::new(recording),
            wanted,
            has_known_layout: None,
            position: 0,
            frames: 0,
            bytes: 0,
            damaged: 0,
            first_damage: None,
            end: Some(0),
            time_offset: 0,
        })
    }

    /// Frames read so far.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Bytes of all frames read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Total number of frames, damaged ones included; `None` when it never ends.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        let frames = self.frames_in_file;
        match self.wanted.count {
            Some(count) if self.wanted.repeat => Some(count),
            Some(count) => Some(count.min(frames)),
            None => (!self.wanted.repeat).then_some(frames),
        }
    }

    /// Log time of the next frame in the index; `None` at the end, or when reading the index fails.
    pub fn next_log_time(&mut self) -> Option<u64> {
        if self.is_at_end() {
            return None;
        }
        let record = self.reader.recording().raw_record(self.position).ok()?;
        Some(record.log_time.wrapping_add(self.time_offset))
    }

    /// Reads the next intact frame.
    ///
    /// # Errors
    /// It is damaged, and damage is not ignored; or there is no memory for it.
    pub fn step(
        &mut self,
        context: &ComponentContext,
        serializer: &Handle<EntitySerializer>,
    ) -> Result<Step> {
        for _ in 0..PASSED_OVER {
            if self.is_at_end() {
                return Ok(Step::End);
            }
            let number = self.position;
            self.position += 1;
            match self.frame(number, context, serializer) {
                Ok(message) => {
                    self.frames += 1;
                    return Ok(Step::Frame(message));
                }
                Err(error) if self.wanted.ignore_damage && is_damage(&error) => {
                    self.pass_over(number, error);
                }
                Err(error) => {
                    let file = self.entities.display();
                    return Err(error.context(format!("frame {number} of '{file}' cannot be read")));
                }
            }
        }
        Ok(Step::Later)
    }

    fn frame(
        &mut self,
        number: u64,
        context: &ComponentContext,
        serializer: &Handle<EntitySerializer>,
    ) -> Result<Message> {
        let damaged = |problem: String| Error::new(ResultCode::INVALID_DATA_FORMAT, problem);
        let known = match self.has_known_layout {
            Some(known) => known,
            None => KNOWN_LAYOUT.contains(&context.type_of(serializer.cid())?),
        };
        self.has_known_layout = Some(known);
        let opened = match known {
            true => self.reader.open_frame(number),
            false => self.reader.open_unknown_frame(number),
        };
        let record = opened.map_err(|error| match error {
            gxf_recording::Error::Frame { error, .. } => damaged(error.to_string()),
            other => failure(other),
        })?;
        self.end = self.end.max(self.end.and(record.end()));
        let mut message = context.new_message()?;
        serializer.read_message(&mut message, &mut self.reader)?;
        let left = self.reader.remaining();
        if left > 0 {
            return Err(damaged(format!("it has {left} bytes more than the serializer reads")));
        }
        self.bytes += record.data_size;
        with_log_time(message, record.log_time.wrapping_add(self.time_offset).cast_signed())
    }

    /// Whether there is no next frame; returns to the start if the recording repeats.
    pub fn is_at_end(&mut self) -> bool {
        if self.wanted.count.is_some_and(|count| self.frames >= count) {
            return true;
        }
        let frames = self.frames_in_file;
        if self.position < frames {
            return false;
        }
        self.warn_of_unindexed_frames();
        // Repeating a recording without any intact frame would never end.
        if !self.wanted.repeat || self.frames == 0 {
            return true;
        }
        self.time_offset = self.time_offset.wrapping_add(self.length(frames));
        self.position = 0;
        false
    }

    /// After the last frame of the index, warns of whole frames that follow in the entities file.
    fn warn_of_unindexed_frames(&mut self) {
        let Some(end) = self.end.take() else { return };
        let recording = self.reader.recording();
        // A recorder that is still writing has not indexed its latest frame yet.
        if recording.is_growing() || end >= recording.entities_size() {
            return;
        }
        let (count, _) = entities_in(recording.entities(), end..recording.entities_size());
        if count > 0 {
            gxf::warning!(
                "the index does not have {} at offset {end} of '{}'; \
                 `gxe recording repair` makes a new index",
                whole_frames(count),
                self.entities.display()
            );
        }
    }

    /// Duration of one pass: from the first frame to the last, plus one mean pause.
    fn length(&self, frames: u64) -> u64 {
        let time =
            |number| self.reader.recording().raw_record(number).map(|record| record.log_time);
        let (Ok(first), Ok(last)) = (time(0), time(frames - 1)) else { return 0 };
        let span = last.saturating_sub(first);
        span + span / (frames - 1).max(1)
    }

    #[cold]
    fn pass_over(&mut self, number: u64, error: Error) {
        self.damaged += 1;
        if self.damaged <= TOLD {
            gxf::warning!("frame {number} of '{}' is skipped: {error}", self.entities.display());
        }
        self.first_damage.get_or_insert_with(|| error.context(format!("frame {number}")));
    }

    /// Call it at the end: logs how many frames were skipped, and fails if that was all of them.
    ///
    /// # Errors
    /// There were frames, and none could be read.
    pub fn finish(&mut self) -> Result<()> {
        if self.damaged > TOLD {
            gxf::warning!("{} frames were skipped in total", self.damaged);
        }
        match self.first_damage.take() {
            Some(error) if self.frames == 0 => {
                let (count, file) = (self.damaged, self.entities.display());
                Err(error.context(format!("none of {count} frames of '{file}' can be replayed")))
            }
            _ => Ok(()),
        }
    }
}

/// Whether the recording is at fault. Lack of memory must not skip an intact frame.
fn is_damage(error: &Error) -> bool {
    !matches!(
        error.code(),
        ResultCode::OUT_OF_MEMORY
            | ResultCode::EXCEEDING_PREALLOCATED_SIZE
            | ResultCode::MEMORY_INVALID_STORAGE_MODE
    )
}
