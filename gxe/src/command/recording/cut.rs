//! `gxe recording cut`.

use super::files::{Place, Selection, both_files, create, frames, keep, open, size, unreadable};
#[cfg(feature = "mcap")]
use super::mcap;
use super::progress::{Unit, bar};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use anyhow::Context as _;
use clap::Args;
#[cfg(feature = "mcap")]
use gxe_mcap_format::is_mcap;
use gxf_recording::RecordingPaths;
use gxf_recording::cut::cut;
use std::path::PathBuf;

/// Some of the frames.
#[derive(Args, Debug)]
pub struct Cut {
    /// Recording: either file, the name without extension, or an MCAP file
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// Recording to create
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,

    #[command(flatten)]
    selection: Selection,

    /// Overwrite OUTPUT if it exists
    #[arg(long, alias = "overwrite")]
    force: bool,

    #[command(flatten)]
    common: CommonArguments,
}

impl Cut {
    /// Copies frames.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        #[cfg(feature = "mcap")]
        if is_mcap(&self.recording) {
            return mcap::cut(&self.recording, &self.output, &self.selection, self.force);
        }
        let recording = open(&self.recording)?;
        let wanted = self.selection.range(recording.frames(), "frame")?;
        let count = wanted.end - wanted.start;
        let output = RecordingPaths::named(&self.output);
        keep(&both_files(&self.recording), [&output.index, &output.entities], self.force)?;
        let place = Place::new(&output)?;
        let mut writer = create(&place.paths())?;
        let bar = bar(Some(count), Unit::Frames);
        cut(&recording, wanted, &mut writer, &mut |done| bar.set_position(done))
            .with_context(|| format!("cannot cut the recording '{}'", self.recording.display()))
            .map_err(unreadable)?;
        drop(bar);
        let bytes = size(writer.bytes());
        drop(writer);
        place.finish()?;
        Console::print(&format!("{}, {bytes} in {}\n", frames(count), self.output.display()))?;
        Ok(ExitStatus::Success)
    }
}
