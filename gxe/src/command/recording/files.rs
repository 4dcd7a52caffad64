//! Functions that the commands for recordings share.

use crate::command::error::CommandError;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::outputs::{Unfinished, keep_apart};
use crate::usage_error::UsageError;
use anyhow::Context as _;
use clap::Args;
use gxf_recording::{RecordingPaths, RecordingWriter};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Some of the frames of a recording, or of the messages of an MCAP file.
#[derive(Args, Debug)]
pub struct Selection {
    /// First frame, counting from 0
    #[arg(long, value_name = "FRAME", default_value_t = 0)]
    start: u64,

    /// Number of frames [default: all that follow]
    #[arg(long, value_name = "FRAMES")]
    count: Option<u64>,
}

impl Selection {
    /// The numbers of the frames, or whatever the unit is, all of which exist.
    pub fn range(&self, there: u64, unit: &str) -> Result<Range<u64>, UsageError> {
        let end = match self.count {
            Some(count) => self.start.saturating_add(count),
            None => self.start.max(there),
        };
        if self.start > there || end > there || (self.start == there && there > 0) {
            let error = UsageError::new(format!(
                "the recording has {}, so there is no {unit} {}",
                counted(there, unit),
                self.start.max(there)
            ));
            return Err(error.hint(format!("{unit}s are counted from 0")));
        }
        Ok(self.start..end)
    }
}

/// Something that cannot be read or is wrong.
pub fn unreadable(error: impl Into<anyhow::Error>) -> CommandError {
    Failure::new(ExitStatus::Load, error.into()).into()
}

/// Something that cannot be written.
pub fn unwritable(error: impl Into<anyhow::Error>) -> CommandError {
    Failure::new(ExitStatus::Run, error.into()).into()
}

/// The text that a recording cannot be read; for a folder, lists its recordings.
pub fn cannot_read(path: &Path) -> String {
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

/// Opens a recording.
pub fn open(path: &Path) -> Result<gxf_recording::Recording, CommandError> {
    #[cfg(not(feature = "mcap"))]
    if path.extension().is_some_and(|kind| kind == "mcap") && path.is_file() {
        let error = anyhow::anyhow!("it is an MCAP file, and {}", crate::usage_error::LEFT_OUT);
        return Err(unreadable(error.context(cannot_read(path))));
    }
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

/// A recording of GXF in the making, which takes its place once it is whole.
pub struct Place {
    index: Unfinished,
    entities: Unfinished,
}

impl Place {
    /// Prepares to write a recording.
    pub fn new(paths: &RecordingPaths) -> Result<Self, CommandError> {
        let new = |path: &Path| {
            let file = Unfinished::new(path)
                .with_context(|| format!("the file '{}' cannot be created", path.display()));
            file.with_context(not_written).map_err(unwritable)
        };
        Ok(Self { index: new(&paths.index)?, entities: new(&paths.entities)? })
    }

    /// Where to write.
    pub fn paths(&self) -> RecordingPaths {
        let paths = [&self.index, &self.entities].map(|file| file.path().to_owned());
        let [index, entities] = paths;
        RecordingPaths { index, entities }
    }

    /// Puts both files in their places.
    pub fn finish(self) -> Result<(), CommandError> {
        let finished = self.entities.finish().and_then(|()| self.index.finish());
        finished.with_context(not_written).map_err(unwritable)
    }
}

/// Creates the files of a recording.
pub fn create(paths: &RecordingPaths) -> Result<RecordingWriter, CommandError> {
    RecordingWriter::create(paths).with_context(not_written).map_err(unwritable)
}

/// The text that a recording cannot be written.
pub fn not_written() -> &'static str {
    "cannot write the recording"
}

/// The two files of a recording of GXF.
pub fn both_files(recording: &Path) -> [PathBuf; 2] {
    let paths = RecordingPaths::named(recording);
    [paths.index, paths.entities]
}

/// Refuses to replace files that are read, and others unless that is wanted.
pub fn keep<const COUNT: usize>(
    read: &[PathBuf],
    written: [&PathBuf; COUNT],
    overwrite: bool,
) -> Result<(), UsageError> {
    keep_apart(read, written)?;
    match written.into_iter().find(|path| !overwrite && path.exists()) {
        Some(path) => {
            let error = UsageError::new(format!("there is a file '{}' already", path.display()));
            Err(error.hint("give another name, or overwrite it with --force"))
        }
        None => Ok(()),
    }
}

/// `1 frame`, `7 frames`.
pub fn frames(count: u64) -> String {
    counted(count, "frame")
}

/// `1 message`, `7 messages`.
pub fn counted(count: u64, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// `854 bytes`, `3.2 MiB`.
pub fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// `0.767 s`.
pub fn seconds(nanoseconds: u64) -> String {
    format!("{:.3} s", nanoseconds as f64 / 1e9)
}

/// Nanoseconds between two frames.
pub fn interval(framerate: f64) -> Result<f64, UsageError> {
    if framerate > 0.0 && framerate.is_finite() {
        Ok(1e9 / framerate)
    } else {
        Err(UsageError::new(format!("a frame rate of {framerate} is not possible")))
    }
}

/// The date, if the time is plausible: clocks of graphs mostly begin at 0.
pub fn wall_time(nanoseconds: u64) -> Option<String> {
    const YEAR_2000: u64 = 946_684_800_000_000_000;
    let time = jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)).ok()?;
    (nanoseconds >= YEAR_2000).then(|| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}
