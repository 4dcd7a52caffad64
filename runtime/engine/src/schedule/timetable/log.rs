//! The log of a run: what each worker did, and a file at the end.

use super::Shared;
use super::entries::{Entry, Ring};
use super::hyperepoch::Hyperepoch;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use gxf_stm::log::{Log, LoggedExecution, LoggedFrame};
use parking_lot::Mutex;
use std::fs::File;
use std::io::Write;
use std::path::Path;

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
