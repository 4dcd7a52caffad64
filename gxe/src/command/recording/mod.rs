//! `gxe recording`: works with recordings outside a graph.
//!
//! - `info.rs`: `info` and `verify`, the content of a recording and its problems;
//! - `cut.rs`, `repair.rs`: some of the frames; a new index;
//! - `mcap.rs`: the same for MCAP files; `convert.rs`: between the two forms;
//!   `without_mcap.rs` stands for both in a build without MCAP;
//! - `import.rs`, `export.rs`: pictures and raw video to recordings and back;
//! - `files.rs`: shared functions to open, create, and choose frames;
//! - `progress.rs`: a progress bar, on a terminal.

#[cfg(feature = "mcap")]
mod convert;
#[cfg(not(feature = "mcap"))]
#[path = "without_mcap.rs"]
mod convert;
mod cut;
mod export;
mod files;
mod import;
mod info;
#[cfg(feature = "mcap")]
mod mcap;
mod pictures;
mod progress;
mod repair;

use super::error::CommandError;
use crate::arguments::help_flag;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use clap::Subcommand;

/// The word after `gxe recording`. Either of GXF's two files names a recording, as does the name
/// without extension; info, verify and cut also take an MCAP file.
#[derive(Debug, Subcommand)]
#[command(arg = help_flag())]
pub enum Recording {
    /// Show frames, shapes, types, frame rate, duration and integrity
    Info(info::Info),
    /// Check every frame; exit with status 3 if any is damaged
    Verify(info::Verify),
    /// Copy a range of frames to a new recording
    Cut(cut::Cut),
    /// Turn a recording of GXF into an MCAP file, or back
    #[cfg_attr(not(feature = "mcap"), command(hide = true))]
    Convert(convert::Convert),
    /// Rebuild a lost or damaged index from the entities file
    Repair(repair::Repair),
    /// Create a recording from PNG or JPEG files, or from raw frames on standard input
    Import(import::Import),
    /// Write frames as PNG files, or raw to standard output
    Export(export::Export),
}

impl Recording {
    /// Executes the command.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        match self {
            Self::Info(command) => command.execute(),
            Self::Verify(command) => command.execute(),
            Self::Cut(command) => command.execute(),
            Self::Convert(command) => command.execute(console),
            Self::Repair(command) => command.execute(),
            Self::Import(command) => command.execute(console),
            Self::Export(command) => command.execute(),
        }
    }
}
