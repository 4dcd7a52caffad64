//! The log of a run: what each worker did, and a file at the end.

use super::entries::{Entry, FrameEntry, Ring};
use super::hyperepoch::Hyperepoch;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use gxf_stm::log::{Log, LoggedExecution, LoggedFrame, word};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The log of a run.
pub struct RunLog {
    /// Name of the first schedule's compute graph.
    graph: String,
    file: Mutex<Option<File>>,
    /// Most executions of each worker, and most frames of each hyperepoch.
    pub limit: usize,
    names: Mutex<Names>,
    /// The executions of workers that have left, each with its engine.
    left: Mutex<Vec<(String, Ring<Entry>)>>,
    /// Frames by hyperepoch that does not run.
    frames: Mutex<FxHashMap<String, Ring<FrameEntry>>>,
}

/// The names that entries refer to by number. Schedules that follow each other share them.
#[derive(Default)]
struct Names {
    numbers: FxHashMap<String, u32>,
    all: Vec<String>,
}

impl RunLog {
    /// A log that is written to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(graph: &str, path: &Path, limit: usize) -> Result<Self> {
        let file = File::create(path).map_err(|error| cannot_write(path, error))?;
        Ok(Self {
            graph: word(graph),
            file: Mutex::new(Some(file)),
            limit,
            names: Mutex::default(),
            left: Mutex::default(),
            frames: Mutex::default(),
        })
    }

    /// The number of a runnable's or an epoch's name.
    pub fn number(&self, name: &str) -> u32 {
        let mut names = self.names.lock();
        let next = u32::try_from(names.all.len()).unwrap_or(u32::MAX);
        if let Some(number) = names.numbers.get(name) {
            return *number;
        }
        names.numbers.insert(name.to_owned(), next);
        names.all.push(word(name));
        next
    }

    /// The frames of a hyperepoch so far, which begins to run.
    pub fn frames(&self, hyperepoch: &str) -> Ring<FrameEntry> {
        let kept = self.frames.lock().remove(hyperepoch);
        kept.unwrap_or_else(|| Ring::new(self.limit))
    }

    /// A hyperepoch ends.
    pub fn hyperepoch_over(&self, hyperepoch: &Hyperepoch) {
        if let Some(frames) = hyperepoch.take_frames() {
            self.frames.lock().insert(hyperepoch.name.clone(), frames);
        }
    }

    /// A worker leaves its executions here.
    pub fn worker_left(&self, engine: &str, ring: Ring<Entry>) {
        self.left.lock().push((word(engine), ring));
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let Some(mut file) = self.file.lock().take() else { return Ok(()) };
        let mut log = Log { graph: self.graph.clone(), ..Log::default() };
        let names = self.names.lock();
        let name = |number: u32| names.all[number as usize].clone();
        let mut frames: Vec<_> = std::mem::take(&mut *self.frames.lock()).into_iter().collect();
        frames.sort_by(|one, other| one.0.cmp(&other.0));
        for (_, frames) in frames {
            log.dropped += frames.dropped;
            log.frames.extend(frames.entries.into_iter().map(|one| LoggedFrame {
                epoch: name(one.epoch),
                frame: one.frame,
                start: one.start,
                end: one.end.max(one.start),
                is_late: one.is_late,
                skipped: one.skipped,
            }));
        }
        let mut left = std::mem::take(&mut *self.left.lock());
        left.sort_by(|one, other| one.0.cmp(&other.0));
        for (resource, ring) in left {
            log.dropped += ring.dropped;
            log.executions.extend(ring.entries.into_iter().map(|one| LoggedExecution {
                runnable: name(one.runnable),
                epoch: name(one.epoch),
                resource: resource.clone(),
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

fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    let text = format!("the log of the static scheduler cannot be written to `{}`", path.display());
    Error::new(ResultCode::FAILURE, text).caused_by(error)
}
