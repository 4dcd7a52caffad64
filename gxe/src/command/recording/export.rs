//! `gxe recording export`.

use super::files::{Selection, both_files, frames, open, unreadable, unwritable};
use super::pictures;
use super::progress::{Unit, bar};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::outputs;
use crate::usage_error::UsageError;
use anyhow::{Context as _, anyhow, ensure};
use clap::Args;
use gxf_recording::layout::{ELEMENT_UINT8, IndexRecord, TENSOR_HEADER_SIZE, TensorHeader};
use gxf_recording::walk::Payload;
use gxf_recording::{Recording, RecordingPaths, Source};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Pictures of a recording.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    gxe recording export walk --directory pictures\n  \
    gxe recording export walk --raw | ffplay -f rawvideo -pixel_format rgb24 -video_size 854x480 -")]
pub struct Export {
    /// Recording: either file, or the name without extension
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// Directory for PNG files; created if missing
    #[arg(long, value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Write the raw bytes of all frames to standard output
    #[arg(long, conflicts_with = "directory")]
    raw: bool,

    /// Tensor to export if frames carry several [default: the first]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Overwrite existing PNG files
    #[arg(long, conflicts_with = "raw")]
    force: bool,

    #[command(flatten)]
    selection: Selection,

    #[command(flatten)]
    common: CommonArguments,
}

impl Export {
    /// Writes one picture a frame.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let recording = open(&self.recording)?;
        let wanted = self.selection.range(recording.frames(), "frame")?;
        let count = wanted.end - wanted.start;
        if !self.raw {
            self.keep_files(wanted.clone())?;
            outputs::create_folder(&self.directory)?;
        }
        let bar = bar(Some(count), Unit::Frames);
        let mut bytes = Vec::new();
        for number in wanted {
            let tensor = self.tensor(&recording, number, &mut bytes);
            let tensor = tensor.with_context(|| format!("cannot export frame {number}"));
            let tensor = tensor.map_err(unreadable)?;
            if self.raw {
                io::stdout().lock().write_all(&bytes)?;
            } else {
                self.png(number, &tensor, &bytes)?;
            }
            bar.inc(1);
        }
        drop(bar);
        if !self.raw {
            let folder = self.directory.display();
            Console::print(&format!("{} in {folder}\n", frames(count)))?;
        }
        Ok(ExitStatus::Success)
    }

    /// Refuses to overwrite files, before the first one is written.
    fn keep_files(&self, frames: Range<u64>) -> Result<(), UsageError> {
        let read = both_files(&self.recording);
        let files = || frames.clone().map(|number| self.file(number));
        files().try_for_each(|file| outputs::keep_apart(&read, [file]))?;
        match files().find(|file| !self.force && file.symlink_metadata().is_ok()) {
            Some(file) => {
                let error = UsageError::new(format!("'{}' exists already", file.display()));
                Err(error.hint("give another directory, or overwrite files with --force"))
            }
            None => Ok(()),
        }
    }

    fn file(&self, number: u64) -> PathBuf {
        let paths = RecordingPaths::named(&self.recording);
        let stem = paths.index.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.directory.join(format!("{stem}_{number:06}.png"))
    }

    /// Reads the tensor of a frame.
    fn tensor<S: Source>(
        &self,
        recording: &Recording<S>,
        number: u64,
        bytes: &mut Vec<u8>,
    ) -> anyhow::Result<TensorHeader> {
        let record: IndexRecord = recording.record(number)?;
        let mut walk = recording.walk(&record)?;
        let mut others = Vec::new();
        while let Some(component) = walk.next_component()? {
            let name = walk.name(&component)?;
            let Payload::Tensor(header) = component.payload else { continue };
            if self.name.as_ref().is_some_and(|wanted| *wanted != name) {
                others.push(format!("`{name}`"));
                continue;
            }
            let data = component.bytes.start + TENSOR_HEADER_SIZE;
            // The walk made sure that the file has this many.
            bytes.resize(usize::try_from(component.bytes.end - data)?, 0);
            recording.entities().read_exact_at(bytes, data)?;
            sort(&header, bytes)?;
            return Ok(header);
        }
        match &self.name {
            Some(name) if !others.is_empty() => {
                Err(anyhow!("it has no tensor `{name}`, but {}", others.join(", ")))
            }
            _ => Err(anyhow!("it has no tensor")),
        }
    }

    fn png(&self, number: u64, tensor: &TensorHeader, bytes: &[u8]) -> Result<(), CommandError> {
        let shape = picture(tensor)
            .with_context(|| format!("frame {number} is not an image; --raw exports any data"))
            .map_err(unreadable)?;
        let path = self.file(number);
        let saved = pictures::write_png(&path, bytes, shape);
        let failed = |path: &Path| format!("cannot write the file '{}'", path.display());
        saved.with_context(|| failed(&path)).map_err(unwritable)
    }
}

/// Puts elements next to each other, row by row, that lie elsewhere by their strides.
fn sort(tensor: &TensorHeader, bytes: &mut Vec<u8>) -> anyhow::Result<()> {
    let shape = tensor.shape()?;
    let mut plain = tensor.bytes_per_element;
    let mut dimensions = shape.iter().zip(&tensor.strides).rev();
    let is_sorted = dimensions.all(|(dimension, stride)| {
        let fits = *stride == plain || *dimension == 1;
        plain = plain.saturating_mul(u64::from(dimension.unsigned_abs()));
        fits
    });
    if is_sorted {
        return Ok(());
    }
    ensure!(tensor.bytes_per_element > 0, "its elements have no bytes");
    let mut sorted = Vec::with_capacity(bytes.len());
    let mut place = vec![0; shape.len()];
    while sorted.len() < bytes.len() {
        let parts = place.iter().zip(&tensor.strides);
        let begin = { parts }.try_fold(0_u64, |sum, (index, stride)| {
            sum.checked_add(u64::from(*index).checked_mul(*stride)?)
        });
        let range = begin.and_then(|begin| {
            let end = begin.checked_add(tensor.bytes_per_element)?;
            Some(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)
        });
        let element = range.and_then(|range| bytes.get(range));
        sorted.extend_from_slice(element.context("the strides lead beyond the tensor")?);
        for (index, dimension) in place.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < dimension.unsigned_abs() {
                break;
            }
            *index = 0;
        }
    }
    *bytes = sorted;
    Ok(())
}

/// Width, height and channels of a tensor that is a picture.
fn picture(tensor: &TensorHeader) -> anyhow::Result<(u32, u32, i32)> {
    ensure!(tensor.element_type == ELEMENT_UINT8, "it is a {tensor}, not of uint8");
    let (height, width, channels) = match *tensor.shape()? {
        [height, width] => (height, width, 1),
        [height, width, channels] => (height, width, channels),
        _ => return Err(anyhow!("it is a {tensor}, not of 2 or 3 dimensions")),
    };
    ensure!(matches!(channels, 1..=4), "it has {channels} channels, and a picture has 1 to 4");
    ensure!(width > 0 && height > 0, "it has no pixels");
    Ok((u32::try_from(width)?, u32::try_from(height)?, channels))
}
