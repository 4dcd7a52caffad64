//! Outputs that are not read, closed, or full: a run ends on request.

use super::process::{Process, text};
use super::{Round, Storm};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Signal;
use std::fs::File;
use std::io::{PipeReader, Write, pipe};
use std::process::Stdio;
use std::time::Duration;

/// See the head of this file.
pub const STORM: Storm = Storm { name: "outputs", rounds: 18, round };

#[derive(Clone, Copy, Debug, PartialEq)]
enum Output {
    /// A file.
    File,
    /// A full pipe without a reader.
    Unread,
    /// A pipe with room, but without a reader.
    Filling,
    /// A pipe whose reader is gone.
    Abandoned,
    /// A device that is always full.
    Full,
    /// No descriptor at all.
    Closed,
}

const OUTPUTS: [Output; 6] = [
    Output::File,
    Output::Unread,
    Output::Filling,
    Output::Abandoned,
    Output::Full,
    Output::Closed,
];

impl Output {
    /// The process's end, and what must stay open.
    fn open(self) -> Result<(Option<Stdio>, Option<PipeReader>), String> {
        Ok(match self {
            // A shell closes it.
            Self::File | Self::Closed => (None, None),
            Self::Full => {
                let file = File::options().write(true).open("/dev/full").map_err(text)?;
                (Some(file.into()), None)
            }
            Self::Abandoned => (Some(pipe().map_err(text)?.1.into()), None),
            Self::Filling | Self::Unread => {
                let (reader, mut writer) = pipe().map_err(text)?;
                if self == Self::Unread {
                    let flags = fcntl_getfl(&writer).map_err(text)?;
                    fcntl_setfl(&writer, flags | OFlags::NONBLOCK).map_err(text)?;
                    while writer.write(&[b'.'; 4096]).is_ok() {}
                    while writer.write(b".").is_ok() {}
                    fcntl_setfl(&writer, flags).map_err(text)?;
                }
                (Some(writer.into()), Some(reader))
            }
        })
    }
}

fn round(round: &mut Round) -> Result<(), String> {
    // All pairs, one after the other.
    let pair = round.number as usize % (OUTPUTS.len() * OUTPUTS.len());
    let [out, error] = [OUTPUTS[pair % OUTPUTS.len()], OUTPUTS[pair / OUTPUTS.len()]];
    let close = |output, number| if output == Output::Closed { number } else { "" };
    let limits = format!("exec {} {};", close(out, "1>&-"), close(error, "2>&-"));
    let mut process = Process::new("GreedyScheduler", None, &limits)?;
    process.args(round.any(&["", "--statistics", "--severity verbose", "--severity none"]));
    let [(stdout, _out), (stderr, _error)] = [out.open()?, error.open()?];
    let mut running = process.start(stdout, stderr)?;
    running.wait(Duration::from_millis(200 + round.below(600)))?;
    running.signal(Signal::TERM)?;
    let ended = running.end().map_err(|problem| format!("{out:?}, {error:?}: {problem}"))?;
    // As long as gxe does not run, the signal is the end.
    if ended.status.is_none() && ended.signal == Some(Signal::TERM.as_raw()) {
        return Ok(());
    }
    let abandoned: &[i32] = if out == Output::Abandoned { &[141] } else { &[] };
    let full: &[i32] = if out == Output::Full { &[5] } else { &[] };
    let statuses = [&[143], abandoned, full].concat();
    ended.check(&statuses).map_err(|problem| format!("{out:?}, {error:?}: {problem}"))
}
