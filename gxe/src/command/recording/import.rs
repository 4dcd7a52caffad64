//! `gxe recording import`: one `uint8` tensor per frame, rows × columns × channels, as NVIDIA's
//! `convert_video_to_gxf_entities.py` writes them.

use super::files::{
    Place, create, frames, interval, keep, not_written, size, unreadable, unwritable,
};
use super::pictures;
use super::progress::{Unit, bar};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::usage_error::UsageError;
use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use gxf_recording::layout::{ComponentHeader, EntityHeader, TensorHeader};
use gxf_recording::{RecordingPaths, RecordingWriter, TypeId, wall_clock};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// Pictures to a recording.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    gxe recording import --basename walk --framerate 25 frames/*.png\n  \
    ffmpeg -i walk.mp4 -f rawvideo -pix_fmt rgb24 - |\n      \
    gxe recording import --width 854 --height 480 --framerate 30 --basename walk")]
pub struct Import {
    /// PNG or JPEG files, one per frame [default: raw frames on standard input]
    #[arg(value_name = "IMAGE")]
    images: Vec<PathBuf>,

    /// Width of raw frames, in pixels
    #[arg(long, value_name = "PIXELS", conflicts_with = "images", required_unless_present = "images", value_parser = clap::value_parser!(i32).range(1..))]
    width: Option<i32>,

    /// Height of raw frames, in pixels
    #[arg(long, value_name = "PIXELS", conflicts_with = "images", required_unless_present = "images", value_parser = clap::value_parser!(i32).range(1..))]
    height: Option<i32>,

    /// Bytes per pixel: 1 for grey, 3 for RGB, 4 for RGBA
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..=4))]
    channels: i32,

    /// Frames per second
    #[arg(long, value_name = "FPS", default_value_t = 30.0, allow_negative_numbers = true)]
    framerate: f64,

    /// Directory of the recording
    #[arg(long, value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Name of the recording
    #[arg(long, value_name = "NAME", default_value = "tensor")]
    basename: String,

    /// Name of the tensors
    #[arg(long, value_name = "NAME", default_value = "")]
    name: String,

    /// Memory to replay the tensors to
    #[arg(long, value_enum, default_value_t = Storage::Host)]
    storage: Storage,

    /// Timestamp of the first frame, in nanoseconds since 1970 [default: now]
    #[arg(long, value_name = "NANOSECONDS")]
    start_time: Option<u64>,

    /// Overwrite the recording if it exists
    #[arg(long, alias = "overwrite")]
    force: bool,

    #[command(flatten)]
    common: CommonArguments,
}

/// The memory that a tensor is read to.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Storage {
    /// Pinned host memory
    Host,
    /// Device memory, as NVIDIA's converter writes
    Device,
    /// Pageable host memory
    System,
}

impl Import {
    /// Reads pictures until there are no more.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let interval = interval(self.framerate)?;
        if self.images.is_empty() && io::stdin().is_terminal() {
            let error =
                UsageError::new("raw pictures come from standard input, and that is a terminal");
            return Err(error.hint("pipe them in, or name PNG or JPEG files").into());
        }
        let start = self.start_time.unwrap_or_else(wall_clock);
        let paths = RecordingPaths::new(&self.directory, &self.basename);
        keep(&self.images, [&paths.index, &paths.entities], self.force)?;
        // A stream may have no end: what came until it is interrupted is to be there.
        let place = match self.images.is_empty() {
            true => None,
            false => Some(Place::new(&paths)?),
        };
        let paths = place.as_ref().map_or(paths, Place::paths);
        let writer = create(&paths)?;
        let mut output = Output { writer, start, interval, frames: 0, import: &self };
        let read = match self.images.is_empty() {
            true => self.raw(&mut output, console),
            false => self.files(&mut output),
        };
        if read.is_err() && output.frames == 0 && !output.writer.keeps_former() {
            // Removes files without a frame; one that cannot be removed is empty.
            _ = std::fs::remove_file(&paths.index);
            _ = std::fs::remove_file(&paths.entities);
        }
        read?;
        let Output { writer, frames: count, .. } = output;
        let bytes = size(writer.bytes());
        drop(writer);
        place.map_or(Ok(()), Place::finish)?;
        let name = self.directory.join(&self.basename);
        Console::print(&format!("{}, {bytes} in {}\n", frames(count), name.display()))?;
        Ok(ExitStatus::Success)
    }

    fn files(&self, output: &mut Output) -> Result<(), CommandError> {
        let bar = bar(Some(self.images.len() as u64), Unit::Frames);
        let mut shape: Option<(u32, u32)> = None;
        for path in &self.images {
            let (found, bytes) = pictures::read(path, self.channels)
                .with_context(|| format!("cannot read the picture '{}'", path.display()))
                .map_err(unreadable)?;
            let expected = *shape.get_or_insert(found);
            if found != expected {
                return Err(different(path, found, &self.images[0], expected));
            }
            let (width, height) = found;
            output.frame(i32::try_from(height).ok(), i32::try_from(width).ok(), &bytes)?;
            bar.inc(1);
        }
        Ok(())
    }

    fn raw(&self, output: &mut Output, console: Console) -> Result<(), CommandError> {
        let header = TensorHeader::of_bytes(0, &self.shape(self.height, self.width));
        let header = header.context("pictures of this size are not possible");
        let length = header.and_then(|header| Ok(usize::try_from(header.data_size()?)?));
        let length = length.map_err(unreadable)?;
        let bar = bar(None, Unit::Frames);
        let mut input = io::stdin().lock();
        // Grows with the input, whatever size was requested.
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = (&mut input).take(length as u64).read_to_end(&mut bytes);
            read.context("cannot read standard input").map_err(unreadable)?;
            if bytes.len() < length {
                break;
            }
            output.frame(self.height, self.width, &bytes)?;
            bar.inc(1);
        }
        drop(bar);
        if output.frames == 0 {
            let error =
                anyhow!("{} bytes are less than one picture of {length} bytes", bytes.len());
            return Err(unreadable(error.context("standard input has no picture")));
        }
        if !bytes.is_empty() {
            console.note(&format!(
                "the last {} bytes are less than a picture of {length} bytes and are ignored",
                bytes.len()
            ));
        }
        Ok(())
    }

    fn shape(&self, height: Option<i32>, width: Option<i32>) -> [i32; 3] {
        [height.unwrap_or(-1), width.unwrap_or(-1), self.channels]
    }
}

fn different(path: &Path, found: (u32, u32), first: &Path, expected: (u32, u32)) -> CommandError {
    unreadable(anyhow!(
        "all pictures of a recording have one size: '{}' has {} × {} pixels, and '{}' has {} × {}",
        path.display(),
        found.0,
        found.1,
        first.display(),
        expected.0,
        expected.1
    ))
}

/// The recording being written.
struct Output<'a> {
    writer: RecordingWriter,
    start: u64,
    interval: f64,
    frames: u64,
    import: &'a Import,
}

impl Output<'_> {
    fn frame(
        &mut self,
        height: Option<i32>,
        width: Option<i32>,
        bytes: &[u8],
    ) -> Result<(), CommandError> {
        let entity =
            EntityHeader { sequence_number: self.frames, component_count: 1, ..Default::default() };
        let name = self.import.name.as_bytes();
        let name_size = name.len() as u64;
        let component = ComponentHeader { serialized_size: 0, tid: TypeId::TENSOR, name_size };
        let shape = self.import.shape(height, width);
        let tensor = TensorHeader::of_bytes(self.import.storage as i32, &shape);
        let tensor = tensor.context("the picture is too large").map_err(unreadable)?;
        let parts: [&[u8]; 5] =
            [&entity.to_bytes(), &component.to_bytes(), name, &tensor.to_bytes(), bytes];
        for part in parts {
            self.writer.write_all(part).with_context(not_written).map_err(unwritable)?;
        }
        let log_time = self.start.saturating_add((self.frames as f64 * self.interval) as u64);
        self.writer.finish_frame(log_time).with_context(not_written).map_err(unwritable)?;
        self.frames += 1;
        Ok(())
    }
}
