//! The log of a run: what each worker did, in bounded memory, and a file at the end.

use super::Shared;
use super::hyperepoch::Hyperepoch;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use gxf_stm::log::{Executed, Log, LoggedExecution, LoggedFrame};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The newest entries, and how many there were.
pub struct Ring<T> {
    entries: VecDeque<T>,
    limit: usize,
    dropped: u64,
}

/// One execution.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The runnable.
    pub runnable: u32,
    /// Its epoch.
    pub epoch: u32,
    /// The frame of the epoch.
    pub frame: u64,
    /// Start of the frame.
    pub frame_start: i64,
    /// Start of the execution.
    pub start: i64,
    /// Its end.
    pub end: i64,
    /// What became of it.
    pub state: Executed,
}

/// One frame.
#[derive(Clone, Copy)]
pub struct FrameEntry {
    /// The epoch.
    pub epoch: u32,
    /// The frame.
    pub frame: u64,
    /// When it was to start.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Whether it ended late.
    pub is_late: bool,
    /// Frames that were skipped because of that.
    pub skipped: u64,
}

impl<T> Ring<T> {
    /// Room for so many entries, all of it from the start.
    pub fn new(limit: usize) -> Self {
        Self { entries: VecDeque::with_capacity(limit), limit, dropped: 0 }
    }

    /// Adds an entry in place of the oldest one if there is no room.
    #[inline]
    pub fn push(&mut self, entry: T) {
        if self.entries.len() == self.limit {
            self.entries.pop_front();
            self.dropped += 1;
        }
        self.entries.push_back(entry);
    }
}

/// The log of a run.
pub struct RunLog {
    /// Name of the compute graph.
    graph: String,
    file: Mutex<Option<File>>,
    /// Most executions of each worker, and most frames of each hyperepoch.
    pub limit: usize,
    /// The executions of workers that have left, each with its hyperepoch and lane.
    left: Mutex<Vec<(usize, usize, Ring<Entry>)>>,
}

impl RunLog {
    /// A log that is written to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(graph: &str, path: &Path, limit: usize) -> Result<Self> {
        let file = File::create(path).map_err(|error| cannot_write(path, error))?;
        Ok(Self { graph: word(graph), file: Mutex::new(Some(file)), limit, left: Mutex::default() })
    }

    /// A worker leaves its executions here.
    pub fn worker_left(&self, hyperepoch: usize, lane: usize, ring: Ring<Entry>) {
        self.left.lock().push((hyperepoch, lane, ring));
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, shared: &Shared, path: &Path) -> Result<()> {
        let Some(mut file) = self.file.lock().take() else { return Ok(()) };
        let mut log = Log { graph: self.graph.clone(), ..Log::default() };
        let epoch_name = |hyperepoch: &Hyperepoch, epoch: u32| {
            word(&format!("{}.{}", hyperepoch.name, hyperepoch.epochs[epoch as usize].name))
        };
        for hyperepoch in &shared.hyperepochs {
            let Some(frames) = hyperepoch.take_frames() else { continue };
            log.dropped += frames.dropped;
            log.frames.extend(frames.entries.into_iter().map(|one| LoggedFrame {
                epoch: epoch_name(hyperepoch, one.epoch),
                frame: one.frame,
                start: one.start,
                end: one.end.max(one.start),
                is_late: one.is_late,
                skipped: one.skipped,
            }));
        }
        let mut left = std::mem::take(&mut *self.left.lock());
        left.sort_by_key(|(hyperepoch, lane, _)| (*hyperepoch, *lane));
        for (hyperepoch, lane, ring) in left {
            let hyperepoch = &shared.hyperepochs[hyperepoch];
            log.dropped += ring.dropped;
            log.executions.extend(ring.entries.into_iter().map(|one| LoggedExecution {
                runnable: word(&shared.runnables[one.runnable as usize]),
                epoch: epoch_name(hyperepoch, one.epoch),
                resource: word(&hyperepoch.lanes[lane].engine),
                frame: one.frame,
                frame_start: one.frame_start,
                start: one.start,
                end: one.end.max(one.start),
                state: one.state,
            }));
        }
        write!(file, "{log}").map_err(|error| cannot_write(path, error))
    }
}

/// A name without blanks, which separate the words of a line.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    let text = format!("the log of the static scheduler cannot be written to `{}`", path.display());
    Error::new(ResultCode::FAILURE, text).caused_by(error)
}
