//! Where a replayer stands in its recording.

use crate::failure;
use gxf::EntitySerializer;
use gxf::prelude::*;
use gxf::serialization::with_log_time;
use gxf_recording::{FrameReader, Recording, RecordingPaths};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::IsTerminal;

/// Damaged frames that are told one by one; the others are only counted.
const TOLD: u64 = 5;
/// Damaged frames that are passed over in one tick, so that a stop is noticed in between.
const PASSED_OVER: u64 = 1000;

/// What of a recording is wanted.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// How many frames altogether; `None` for all.
    pub count: Option<u64>,
    /// Whether it begins anew at its end.
    pub repeat: bool,
    /// Whether damaged frames are left out.
    pub ignore_damage: bool,
}

/// A recording that is being replayed.
pub struct Playback {
    reader: FrameReader<File>,
    wanted: Wanted,
    /// Number of the next frame in the index.
    position: u64,
    /// Frames published so far.
    pub published: u64,
    /// Bytes of all frames read so far.
    bytes: u64,
    /// Damaged frames left out so far, and what was wrong with the first.
    damaged: u64,
    first_damage: Option<Error>,
    /// What is added to log times, so that they go on rising when the recording is repeated.
    time_offset: u64,
    bar: Option<ProgressBar>,
}

/// What the next step brought.
pub enum Step {
    /// A frame.
    Frame(Message),
    /// Nothing yet; ask again in the next tick.
    Later,
    /// There are no more.
    End,
}

impl Playback {
    /// Opens the recording.
    pub fn open(paths: &RecordingPaths, wanted: Wanted) -> Result<Self> {
        let recording = Recording::open(paths).map_err(|error| failure(&error))?;
        let frames = recording.frames();
        let total = match wanted.count {
            Some(count) if wanted.repeat => Some(count),
            Some(count) => Some(count.min(frames)),
            None => (!wanted.repeat).then_some(frames),
        };
        Ok(Self {
            reader: FrameReader::new(recording),
            wanted,
            position: 0,
            published: 0,
            bytes: 0,
            damaged: 0,
            first_damage: None,
            time_offset: 0,
            bar: std::io::stderr().is_terminal().then(|| bar(total)),
        })
    }

    /// Log time of the next frame in the index; `None` at the end, or when the index cannot be
    /// read there.
    pub fn next_log_time(&mut self) -> Option<u64> {
        if self.is_at_end() {
            return None;
        }
        let record = self.reader.recording().raw_record(self.position).ok()?;
        Some(record.log_time.wrapping_add(self.time_offset))
    }

    /// Reads the next frame that can be read.
    pub fn step(
        &mut self,
        context: &ComponentContext,
        serializer: &EntitySerializer,
    ) -> Result<Step> {
        for _ in 0..PASSED_OVER {
            if self.is_at_end() {
                return Ok(Step::End);
            }
            let number = self.position;
            self.position += 1;
            match self.frame(number, context, serializer) {
                Ok(message) => {
                    self.published += 1;
                    if let Some(bar) = &self.bar {
                        bar.inc(1);
                    }
                    return Ok(Step::Frame(message));
                }
                Err(error) if self.wanted.ignore_damage => self.pass_over(number, error),
                Err(error) => return Err(error),
            }
        }
        Ok(Step::Later)
    }

    fn frame(
        &mut self,
        number: u64,
        context: &ComponentContext,
        serializer: &EntitySerializer,
    ) -> Result<Message> {
        let record = self.reader.open_frame(number).map_err(|error| failure(&error))?;
        let mut message = context.new_message()?;
        let read = serializer.read_message(&mut message, &mut self.reader);
        read.map_err(|error| error.context(format!("frame {number} cannot be read")))?;
        let left = self.reader.remaining();
        if left > 0 {
            return Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                format!("frame {number} has {left} bytes more than the serializer reads"),
            ));
        }
        self.bytes += record.data_size;
        if let Some(bar) = &self.bar {
            bar.set_message(speed(bar, self.bytes));
        }
        with_log_time(message, record.log_time.wrapping_add(self.time_offset) as i64)
    }

    /// Whether there is no next frame; goes back to the begin if the recording is to be repeated.
    pub fn is_at_end(&mut self) -> bool {
        if self.wanted.count.is_some_and(|count| self.published >= count) {
            return true;
        }
        let frames = self.reader.recording().frames();
        if self.position < frames {
            return false;
        }
        // A recording without a single good frame must not be repeated for ever.
        if !self.wanted.repeat || self.published == 0 {
            return true;
        }
        self.time_offset = self.time_offset.wrapping_add(self.length(frames));
        self.position = 0;
        false
    }

    /// How long one pass takes: from the first frame to the last, and one mean pause.
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
            gxf::warning!("frame {number} is left out: {error}");
        }
        self.first_damage.get_or_insert(error);
    }

    /// At the end: says what was left out, and fails if that was everything.
    pub fn finish(&mut self) -> Result<()> {
        if self.damaged > TOLD {
            gxf::warning!("{} frames were left out altogether", self.damaged);
        }
        match self.first_damage.take() {
            Some(error) if self.published == 0 => {
                Err(error.context(format!("none of {} frames can be replayed", self.damaged)))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Playback {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{wide_bar} {human_pos}/{human_len} frames, {msg}, {eta} left",
        ),
        None => (ProgressBar::no_length(), "{spinner} {human_pos} frames, {msg}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// `12.3 MB/s`, from the begin.
fn speed(bar: &ProgressBar, bytes: u64) -> String {
    format!("{:.1} MB/s", bytes as f64 / 1e6 / bar.elapsed().as_secs_f64().max(1e-3))
}
