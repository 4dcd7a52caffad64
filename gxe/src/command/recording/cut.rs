//! `gxe recording cut`.

use super::progress::{Unit, bar};
use super::{CommandError, create, frames, open, size, unreadable};
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::usage_error::UsageError;
use anyhow::Context as _;
use clap::Args;
use gxf_recording::RecordingPaths;
use gxf_recording::cut::cut;
use std::path::PathBuf;

/// Some of the frames.
#[derive(Args, Debug)]
pub struct Cut {
    /// The recording: one of its files, or both without their endings
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// The new recording
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,

    /// Number of the first frame, counting from 0
    #[arg(long, value_name = "FRAME", default_value_t = 0)]
    start: u64,

    /// How many frames [default: all that follow]
    #[arg(long, value_name = "FRAMES")]
    count: Option<u64>,

    /// Replace OUTPUT if it is there
    #[arg(long)]
    overwrite: bool,

    #[command(flatten)]
    common: CommonArguments,
}

impl Cut {
    /// Copies frames.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let recording = open(&self.recording)?;
        let there = recording.frames();
        let left = there.saturating_sub(self.start);
        let count = self.count.unwrap_or(left);
        if count == 0 || count > left {
            let error = UsageError::new(format!(
                "there are not {} from frame {} on: the recording has {}",
                frames(count.max(1)),
                self.start,
                frames(there)
            ));
            return Err(error.hint("frames are counted from 0").into());
        }
        let mut writer = create(&RecordingPaths::named(&self.output), self.overwrite)?;
        let bar = bar(Some(count), Unit::Frames);
        let wanted = self.start..self.start + count;
        cut(&recording, wanted, &mut writer, &mut |done| bar.set_position(done))
            .with_context(|| format!("cannot cut the recording '{}'", self.recording.display()))
            .map_err(unreadable)?;
        drop(bar);
        let bytes = size(writer.bytes());
        Console::print(&format!("{}, {bytes} in {}\n", frames(count), self.output.display()))?;
        Ok(ExitStatus::Success)
    }
}
