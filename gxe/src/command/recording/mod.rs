//! `gxe recording`: what people do with recordings outside a graph.
//!
//! - `info.rs`: `info` and `verify`, what is in a recording and what is wrong with it;
//! - `cut.rs`, `repair.rs`: some of the frames; a new index;
//! - `import.rs`, `export.rs`: pictures and raw video to recordings and back;
//! - `files.rs`: what they share: opening, creating, choosing frames;
//! - `progress.rs`: how far it is, on a terminal.

mod cut;
mod export;
mod files;
mod import;
mod info;
mod progress;
mod repair;

use super::error::CommandError;
use crate::arguments::help_flag;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use clap::Subcommand;

/// The word after `gxe recording`. A recording is named by either of its files, or by both without
/// their endings.
#[derive(Debug, Subcommand)]
#[command(arg = help_flag())]
pub enum Recording {
    /// Show frames, shapes, types, frame rate, duration and integrity
    Info(info::Info),
    /// Check every frame; exit with status 3 if any is damaged
    Verify(info::Verify),
    /// Copy a range of frames to a new recording
    Cut(cut::Cut),
    /// Rebuild a lost or damaged index from the entities file
    Repair(repair::Repair),
    /// Create a recording from PNG or JPEG files, or from raw frames on standard input
    Import(import::Import),
    /// Write frames as PNG files, or raw to standard output
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
