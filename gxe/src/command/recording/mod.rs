//! `gxe recording`: what people do with recordings outside a graph.
//!
//! - `info.rs`: `info` and `verify`, what is in a recording and what is wrong with it;
//! - `cut.rs`, `repair.rs`: some of the frames; a new index;
//! - `import.rs`, `export.rs`: pictures and raw video to recordings and back;
//! - `progress.rs`: how far it is, on a terminal.

mod cut;
mod export;
mod import;
mod info;
mod progress;
mod repair;

use super::CommandError;
use crate::arguments::help_flag;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::usage_error::UsageError;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use gxf_recording::{RecordingPaths, RecordingWriter};
use std::ops::Range;
use std::path::Path;

/// The word after `gxe recording`. A recording is named by either of its files, or by both without
/// their endings.
#[derive(Debug, Subcommand)]
#[command(arg = help_flag())]
pub enum Recording {
    /// Show frames, shapes, types, frame rate, duration and whether everything is intact
    Info(info::Info),
    /// Check every frame; exit status 3 when one is damaged
    Verify(info::Verify),
    /// Copy some of the frames to a new recording
    Cut(cut::Cut),
    /// Make the index anew from the entities file, after a crash or when it is lost
    Repair(repair::Repair),
    /// Make a recording of PNG or JPEG files, or of raw pictures on standard input
    Import(import::Import),
    /// Write the pictures of a recording as PNG files, or raw to standard output
    Export(export::Export),
}

impl Recording {
    /// Does what the command says.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        match self {
            Self::Info(command) => command.execute(),
            Self::Verify(command) => command.execute(),
            Self::Cut(command) => command.execute(),
            Self::Repair(command) => command.execute(),
            Self::Import(command) => command.execute(console),
            Self::Export(command) => command.execute(),
        }
    }
}

/// Some of the frames of a recording.
#[derive(Args, Debug)]
struct Selection {
    /// Number of the first frame, counting from 0
    #[arg(long, value_name = "FRAME", default_value_t = 0)]
    start: u64,

    /// How many frames [default: all that follow]
    #[arg(long, value_name = "FRAMES")]
    count: Option<u64>,
}

impl Selection {
    /// The numbers of the frames, all of which are there.
    fn range(&self, there: u64) -> Result<Range<u64>, UsageError> {
        let end = match self.count {
            Some(count) => self.start.saturating_add(count),
            None => self.start.max(there),
        };
        if self.start > there || end > there || (self.start == there && there > 0) {
            let error = UsageError::new(format!(
                "the recording has {}, so there is no frame {}",
                frames(there),
                self.start.max(there)
            ));
            return Err(error.hint("frames are counted from 0"));
        }
        Ok(self.start..end)
    }
}

/// Something that cannot be read or is wrong.
fn unreadable(error: impl Into<anyhow::Error>) -> CommandError {
    Failure::new(ExitStatus::Load, error.into()).into()
}

/// Something that cannot be written.
fn unwritable(error: impl Into<anyhow::Error>) -> CommandError {
    Failure::new(ExitStatus::Run, error.into()).into()
}

/// That a recording cannot be read; of a folder, which ones are in it.
fn cannot_read(path: &Path) -> String {
    const NAMED: usize = 5;
    let failed = format!("cannot read the recording '{}'", path.display());
    let Ok(entries) = std::fs::read_dir(path) else { return failed };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let indices = files.filter(|file| file.extension().is_some_and(|kind| kind == "gxf_index"));
    let mut names: Vec<_> =
        indices.map(|file| format!("'{}'", file.with_extension("").display())).collect();
    names.sort();
    let shown = names[..names.len().min(NAMED)].join(", ");
    match names.len() {
        0 => format!("{failed}: it is a folder, and there is none in it"),
        count if count > NAMED => {
            format!("{failed}: it is a folder with {shown} and {} more", count - NAMED)
        }
        _ => format!("{failed}: it is a folder with {shown}"),
    }
}

fn open(path: &Path) -> Result<gxf_recording::Recording, CommandError> {
    let paths = RecordingPaths::named(path);
    let opened = gxf_recording::Recording::open(&paths);
    let opened = opened.with_context(|| {
        let failed = cannot_read(path);
        if paths.entities.exists() && !paths.index.exists() {
            format!("{failed}; `gxe recording repair` makes its index anew")
        } else {
            failed
        }
    });
    opened.map_err(unreadable)
}

/// Begins a recording in place of none, or of any if `overwrite` says so.
fn create(paths: &RecordingPaths, overwrite: bool) -> Result<RecordingWriter, CommandError> {
    let existing = [&paths.index, &paths.entities].into_iter().find(|path| path.exists());
    if let Some(path) = existing.filter(|_| !overwrite) {
        let error = UsageError::new(format!("there is a file '{}' already", path.display()));
        return Err(error.hint("give another name, or replace it with --overwrite").into());
    }
    RecordingWriter::create(paths).context("cannot write the recording").map_err(unwritable)
}

/// `1 frame`, `7 frames`.
fn frames(count: u64) -> String {
    if count == 1 { "1 frame".to_owned() } else { format!("{count} frames") }
}

/// `854 bytes`, `3.2 MiB`.
fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// `0.767 s`.
fn seconds(nanoseconds: u64) -> String {
    format!("{:.3} s", nanoseconds as f64 / 1e9)
}
