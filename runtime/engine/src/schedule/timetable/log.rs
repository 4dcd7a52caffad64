//! The log of a run: what each worker did, and a file at the end.

use super::entries::{Entry, FrameEntry, Ring};
use super::hyperepoch::Hyperepoch;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use gxf_stm::log::{Log, LoggedExecution, LoggedFrame, ScheduleLog};
use gxf_stm::plan::Plan;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The log of a run.
pub struct RunLog {
    file: Mutex<Option<File>>,
    /// Most executions of each worker, and most frames of each hyperepoch.
    pub limit: usize,
    names: Mutex<Names>,
    /// The executions of workers that have left, each with its engine.
    left: Mutex<Vec<(String, Ring<Entry>)>>,
    /// Frames by hyperepoch that does not run: the place of its schedule, and its name.
    frames: Mutex<BTreeMap<(usize, String), Ring<FrameEntry>>>,
}

/// The schedules of the run, and the names that entries refer to by number, each with the place of
/// its schedule.
#[derive(Default)]
struct Names {
    schedules: Vec<ScheduleLog>,
    numbers: FxHashMap<(usize, String), u32>,
    all: Vec<(usize, String)>,
}

impl RunLog {
    /// A log that is written to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(path: &Path, limit: usize) -> Result<Self> {
        let file = File::create(path).map_err(|error| cannot_write(path, error))?;
        Ok(Self {
            file: Mutex::new(Some(file)),
            limit,
            names: Mutex::default(),
            left: Mutex::default(),
            frames: Mutex::default(),
        })
    }

    /// The place of a schedule among those of the run.
    pub fn schedule(&self, plan: &Plan) -> usize {
        let schedules = &mut self.names.lock().schedules;
        let new = ScheduleLog::of(&plan.graph, plan.identifier, plan.fingerprint);
        schedules.iter().position(|known| *known == new).unwrap_or_else(|| {
            schedules.push(new);
            schedules.len() - 1
        })
    }

    /// The number of the name of a runnable or an epoch of a schedule.
    pub fn number(&self, schedule: usize, name: &str) -> u32 {
        let Names { numbers, all, .. } = &mut *self.names.lock();
        *numbers.entry((schedule, name.to_owned())).or_insert_with(|| {
            all.push((schedule, name.to_owned()));
            u32::try_from(all.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The frames of a hyperepoch so far, which begins to run.
    pub fn frames(&self, hyperepoch: &Hyperepoch) -> Ring<FrameEntry> {
        let kept = self.frames.lock().remove(&self.key(hyperepoch));
        kept.unwrap_or_else(|| Ring::new(self.limit))
    }

    /// A hyperepoch ends.
    pub fn hyperepoch_over(&self, hyperepoch: &Hyperepoch) {
        if let Some(frames) = hyperepoch.take_frames() {
            self.frames.lock().insert(self.key(hyperepoch), frames);
        }
    }

    /// In a roll-over, hyperepochs of one name may run beside each other.
    fn key(&self, hyperepoch: &Hyperepoch) -> (usize, String) {
        let names = self.names.lock();
        let epoch =
            hyperepoch.epochs.first().and_then(|epoch| names.all.get(epoch.logged as usize));
        (epoch.map_or(0, |(schedule, _)| *schedule), hyperepoch.name.clone())
    }

    /// A worker leaves its executions here.
    pub fn worker_left(&self, engine: &str, ring: Ring<Entry>) {
        self.left.lock().push((engine.to_owned(), ring));
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let Some(file) = self.file.lock().take() else { return Ok(()) };
        let names = self.names.lock();
        let mut log = Log { dropped: 0, schedules: names.schedules.clone() };
        let name = |number: u32| names.all[number as usize].1.clone();
        let schedule = |number: u32| names.all[number as usize].0;
        for frames in std::mem::take(&mut *self.frames.lock()).into_values() {
            log.dropped += frames.dropped;
            for one in frames.entries {
                log.schedules[schedule(one.epoch)].frames.push(LoggedFrame {
                    epoch: name(one.epoch),
                    frame: one.frame,
                    start: one.start,
                    end: one.end.max(one.start),
                    is_late: one.is_late,
                    skipped: one.skipped,
                });
            }
        }
        let mut left = std::mem::take(&mut *self.left.lock());
        left.sort_by(|one, other| one.0.cmp(&other.0));
        for (resource, ring) in left {
            log.dropped += ring.dropped;
            for one in ring.entries {
                log.schedules[schedule(one.epoch)].executions.push(LoggedExecution {
                    runnable: name(one.runnable),
                    epoch: name(one.epoch),
                    resource: resource.clone(),
                    frame: one.frame,
                    frame_start: one.frame_start,
                    start: one.start,
                    end: one.end.max(one.start),
                    state: one.state,
                });
            }
        }
        let mut file = BufWriter::new(file);
        write!(file, "{log}").and_then(|()| file.flush()).map_err(|error| cannot_write(path, error))
    }
}

fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    let text = format!("the log of the static scheduler cannot be written to `{}`", path.display());
    Error::new(ResultCode::FAILURE, text).caused_by(error)
}
