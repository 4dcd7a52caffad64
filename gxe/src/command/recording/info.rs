//! `gxe recording info` and `gxe recording verify`.

use super::files::{cannot_read, frames, open, seconds, size, unreadable, wall_time};
#[cfg(feature = "mcap")]
use super::mcap;
use super::progress::{Unit, bar};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
#[cfg(feature = "mcap")]
use gxe_mcap_format::is_mcap;
use gxf_recording::RecordingPaths;
use gxf_recording::inspect::{Kind, Report, Texts, inspect};
use gxf_runtime::graph::escape::{self, one_line};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What is in a recording.
#[derive(Args, Debug)]
pub struct Info {
    /// Recording: either file, the name without extension, or an MCAP file
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    common: CommonArguments,
}

/// What is wrong with a recording.
#[derive(Args, Debug)]
pub struct Verify {
    /// Recording: either file, the name without extension, or an MCAP file
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Human-readable
    Text,
    /// JSON
    Json,
}

impl Info {
    /// Prints a short description.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        #[cfg(feature = "mcap")]
        if is_mcap(&self.recording) {
            let content = mcap::Content::read(&self.recording)?;
            let text = match self.format {
                Format::Text => content.described(),
                Format::Json => format!("{:#}\n", escape::json(content.document())),
            };
            Console::print(&text)?;
            return Ok(ExitStatus::Success);
        }
        let report = report(&self.recording)?;
        let text = match self.format {
            Format::Text => described(&self.recording, &report),
            Format::Json => {
                format!("{:#}\n", escape::json(document(&self.recording, &report)))
            }
        };
        Console::print(&text)?;
        Ok(ExitStatus::Success)
    }
}

impl Verify {
    /// Prints the problems, and fails if a frame is damaged.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        #[cfg(feature = "mcap")]
        if is_mcap(&self.recording) {
            return mcap::verify(&self.recording);
        }
        let report = report(&self.recording)?;
        let mut text = String::new();
        list(&mut text, "", &report.faults);
        list(&mut text, "remark: ", &report.remarks);
        if report.faults.count == 0 {
            // Writing to a `String` does not fail.
            _ = writeln!(text, "{}: {}, all intact", shown(&self.recording), frames(report.frames));
            Console::print(&text)?;
            return Ok(ExitStatus::Success);
        }
        Console::print(&text)?;
        let name = self.recording.display();
        let error = match report.faults.count {
            1 => anyhow!("the recording '{name}' has 1 fault"),
            count => anyhow!("the recording '{name}' has {count} faults"),
        };
        Err(unreadable(error.context("not intact; `gxe recording repair` makes a new index")))
    }
}

fn report(path: &Path) -> Result<Report, CommandError> {
    let recording = open(path)?;
    let bar = bar(Some(recording.plausible_frames()), Unit::Frames);
    inspect(&recording, &mut |done| bar.set_position(done))
        .with_context(|| cannot_read(path))
        .map_err(unreadable)
}

fn described(path: &Path, report: &Report) -> String {
    let mut text = format!("{}\n", shown(path));
    let mut row = |title: &str, value: String| _ = writeln!(text, "  {title:<10}  {value}");
    row("frames", report.frames.to_string());
    row("size", size(report.bytes));
    if let Some(duration) = report.duration() {
        let rate = report.frame_rate();
        let rate = rate.map_or(String::new(), |rate| format!(", {rate:.2} frames a second"));
        row("duration", seconds(duration) + &rate);
    }
    if let Some(time) = report.first_log_time.and_then(wall_time) {
        row("recorded", time);
    }
    for (index, kind) in report.kinds.iter().enumerate() {
        let title = if index == 0 { "carries" } else { "" };
        let name = if kind.name.is_empty() {
            String::new()
        } else {
            format!(" `{}`", one_line(&kind.name))
        };
        row(title, format!("{} × {}{name}", kind.count, kind.what));
    }
    let integrity = match report.faults.count {
        0 => "intact".to_owned(),
        1 => "1 fault".to_owned(),
        count => format!("{count} faults"),
    };
    row("integrity", integrity);
    list(&mut text, "    ", &report.faults);
    list(&mut text, "    remark: ", &report.remarks);
    text
}

/// The description as JSON. Times are in nanoseconds; unknown values are null.
fn document(path: &Path, report: &Report) -> Value {
    let kind = |kind: &Kind| json!({ "name": kind.name, "type": kind.what, "count": kind.count });
    let texts = |texts: &Texts| json!({ "count": texts.count, "first": texts.first });
    json!({
        "recording": shown(path),
        "frames": report.frames,
        "bytes": report.bytes,
        "first_log_time_ns": report.first_log_time,
        "last_log_time_ns": report.last_log_time,
        "duration_ns": report.duration(),
        "frame_rate_hz": report.frame_rate(),
        "components": report.kinds.iter().map(kind).collect::<Vec<_>>(),
        "intact": report.faults.count == 0,
        "faults": texts(&report.faults),
        "remarks": texts(&report.remarks),
    })
}

/// The name without its ending, quoted.
fn shown(path: &Path) -> String {
    let paths = RecordingPaths::named(path);
    paths.index.with_extension("").display().to_string()
}

fn list(text: &mut String, indent: &str, texts: &Texts) {
    const SHOWN: usize = 10;
    for line in texts.first.iter().take(SHOWN) {
        _ = writeln!(text, "{indent}{}", one_line(line));
    }
    if texts.count > SHOWN as u64 {
        _ = writeln!(text, "{indent}and {} more", texts.count - SHOWN as u64);
    }
}
