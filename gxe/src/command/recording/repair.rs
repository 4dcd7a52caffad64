//! `gxe recording repair`.

use super::files::{cannot_read, frames, interval, open, size, unreadable, unwritable};
use super::progress::{Unit, bar};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::usage_error::UsageError;
use anyhow::Context as _;
use clap::Args;
use gxf_recording::repair::{self, write_index};
use gxf_recording::{Recording, RecordingPaths, open_file};
use std::fs::File;
use std::path::PathBuf;

/// A new index.
#[derive(Args, Debug)]
pub struct Repair {
    /// Recording: either file, or the name without extension
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// Frame rate to assume for frames without timestamps
    #[arg(long, value_name = "FPS", default_value_t = 30.0, allow_negative_numbers = true)]
    framerate: f64,

    /// Report what would be done, without writing anything
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    common: CommonArguments,
}

impl Repair {
    /// Writes a new index if the old one does not match.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let interval = interval(self.framerate)?;
        let paths = RecordingPaths::named(&self.recording);
        let failed = || cannot_read(&self.recording);
        let recording = self.open(&paths)?;
        let bar = bar(Some(recording.entities_size()), Unit::Bytes);
        let result =
            repair::repair(&recording, interval as u64, &mut |done| bar.set_position(done))
                .with_context(failed)
                .map_err(unreadable)?;
        drop(bar);
        let mut text = format!(
            "{} kept, {} found, {} dropped; {} of the entities file belong to no frame\n",
            frames(result.kept),
            result.found,
            result.dropped,
            size(result.unused_bytes)
        );
        if !result.changes(&recording) {
            text.push_str("the index is right and stays as it is\n");
        } else if self.dry_run {
            text.push_str("nothing is written, because of --dry-run\n");
        } else {
            drop(recording);
            let old = write_index(&paths, &result.records);
            let old = old.context("cannot write the new index").map_err(unwritable)?;
            text.push_str(&format!("new index: {}\n", paths.index.display()));
            if let Some(old) = old {
                text.push_str(&format!("old index: {}\n", old.display()));
            }
        }
        Console::print(&text)?;
        Ok(ExitStatus::Success)
    }

    /// Opens the recording, even without an index.
    fn open(&self, paths: &RecordingPaths) -> Result<Recording, CommandError> {
        let in_use = || {
            UsageError::new(format!("'{}' is being recorded at the moment", paths.index.display()))
        };
        if paths.index.exists() {
            let index = open_file(&paths.index).ok();
            if index.is_some_and(|file| {
                matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
            }) {
                return Err(in_use().into());
            }
            return open(&self.recording);
        }
        let failed = || cannot_read(&self.recording);
        let entities = open_file(&paths.entities).with_context(failed);
        // An empty file takes the place of the index.
        let index = File::open("/dev/null").with_context(failed).map_err(unreadable)?;
        Recording::new(index, entities.map_err(unreadable)?)
            .with_context(failed)
            .map_err(unreadable)
    }
}
