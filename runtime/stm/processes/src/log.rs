//! The log of a run: workers write their executions to shared memory, the master notes frames and
//! writes all of it to a file at the end.

use crate::execution::{Outcome, pack, unpack};
use crate::layout::Layout;
use crate::lock;
use crate::segment::{Entry, Segment};
use gxf_stm::log::{Executed, Log, LoggedExecution, LoggedFrame, ScheduleLog};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Mutex;

/// The bits of an entry's second word that say what became of the execution.
const STATE_BITS: u32 = 2;

/// The file of a log, and the frames so far.
pub struct RunLog {
    file: File,
    limit: usize,
    /// By schedule and name of the hyperepoch.
    frames: Mutex<BTreeMap<(usize, String), Frames>>,
}

/// The newest frames of a hyperepoch, and how many older ones there were.
#[derive(Default)]
struct Frames {
    newest: VecDeque<LoggedFrame>,
    dropped: u64,
}

/// One execution as an entry: the indices of its schedule, hyperepoch and epoch, its runnable, and
/// when its frame started, it started, and it ended.
pub fn entry(
    indices: [usize; 3],
    runnable: u32,
    outcome: Outcome,
    frame: u64,
    times: [i64; 3],
) -> Entry {
    let state = match outcome {
        Outcome::Done | Outcome::Submitted => 0,
        Outcome::PassedOver => 1,
        Outcome::Missing => 2,
    };
    let [frame_start, start, end] = times.map(i64::cast_unsigned);
    [pack(indices), u64::from(runnable) << STATE_BITS | state, frame, frame_start, start, end]
}

/// The execution of an entry, and the place of its schedule. `None` if a client has written nonsense.
fn execution(layout: &Layout, resource: &str, entry: Entry) -> Option<(usize, LoggedExecution)> {
    let [indices, runnable, frame, times @ ..] = entry;
    let [place, hyperepoch, epoch] = unpack(indices);
    let schedule = layout.schedules.get(place)?;
    let plan = &schedule.hyperepochs.get(hyperepoch)?.plan;
    let epoch = plan.epochs.get(epoch)?;
    let [frame_start, start, end] = times.map(u64::cast_signed);
    let state = match runnable & ((1 << STATE_BITS) - 1) {
        0 => Executed::Ran,
        1 => Executed::PassedOver,
        _ => Executed::Missing,
    };
    let runnable = schedule.runnables.get(usize::try_from(runnable >> STATE_BITS).ok()?)?;
    let execution = LoggedExecution {
        runnable: runnable.name.clone(),
        epoch: format!("{}.{}", plan.name, epoch.name),
        resource: resource.to_owned(),
        frame,
        frame_start,
        start,
        end: end.max(start),
        state,
    };
    Some((place, execution))
}

impl RunLog {
    /// A log that is written to a file, with at most so many executions of each worker, and frames
    /// of each hyperepoch.
    #[must_use]
    pub fn new(file: File, limit: usize) -> Self {
        Self { file, limit, frames: Mutex::default() }
    }

    /// A frame is over.
    pub fn frame(&self, schedule: usize, hyperepoch: &str, mut frame: LoggedFrame) {
        frame.epoch = format!("{hyperepoch}.{}", frame.epoch);
        let mut frames = lock(&self.frames);
        let Frames { newest, dropped } =
            frames.entry((schedule, hyperepoch.to_owned())).or_default();
        if newest.len() == self.limit {
            newest.pop_front();
            *dropped += 1;
        }
        newest.push_back(frame);
    }

    /// Frames of an epoch are skipped behind the one that ended last.
    pub fn skipped(&self, schedule: usize, hyperepoch: &str, epoch: &str, skipped: u64) {
        let epoch = format!("{hyperepoch}.{epoch}");
        let mut frames = lock(&self.frames);
        let logged = frames.get_mut(&(schedule, hyperepoch.to_owned()));
        let mut logged = logged.into_iter().flat_map(|frames| frames.newest.iter_mut().rev());
        if let Some(last) = logged.find(|frame| frame.epoch == epoch) {
            last.skipped += skipped;
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, layout: &Layout, segment: &Segment) -> io::Result<()> {
        let schedules = layout.schedules.iter();
        let schedules =
            schedules.map(|one| ScheduleLog::of(&one.graph, one.identifier, one.fingerprint));
        let mut log = Log { dropped: 0, schedules: schedules.collect() };
        for ((schedule, _), frames) in std::mem::take(&mut *lock(&self.frames)) {
            log.dropped += frames.dropped;
            log.schedules[schedule].frames.extend(frames.newest);
        }
        let mut engines: Vec<_> = layout.engines.iter().collect();
        engines.sort_by(|one, other| one.name.cmp(&other.name));
        for engine in engines {
            let mut executions = Vec::new();
            for client in &engine.clients {
                let (entries, dropped) = segment.logged(engine.log[*client]);
                log.dropped += dropped;
                let found = entries.into_iter();
                executions.extend(found.filter_map(|entry| execution(layout, &engine.name, entry)));
            }
            executions.sort_by_key(|(_, one)| one.start);
            for (schedule, one) in executions {
                log.schedules[schedule].executions.push(one);
            }
        }
        let mut file = BufWriter::new(&self.file);
        write!(file, "{log}")?;
        file.flush()
    }
}
