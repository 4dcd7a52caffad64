//! An index anew.
//!
//! The entities file is walked from its begin. Each entity found there becomes a frame. What the
//! old index says about it is kept: its log time, and, where an entity carries a type nobody knows,
//! its length. The entities file itself is never changed.

use crate::error::{Error, Result};
use crate::layout::{ENTITY_HEADER_SIZE, IndexRecord};
use crate::paths::RecordingPaths;
use crate::recording::Recording;
use crate::source::Source;
use crate::walk::EntityWalk;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// An index that fits the entities file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// The records of the new index.
    pub records: Vec<IndexRecord>,
    /// Frames taken over from the old index.
    pub kept: u64,
    /// Frames that the old index did not have, or not rightly. Their log times are made up from
    /// those of their neighbours.
    pub found: u64,
    /// Records of the old index that lead to no frame.
    pub dropped: u64,
    /// Bytes of the entities file that belong to no frame.
    pub unused_bytes: u64,
}

impl Repair {
    /// Whether the new index is another one than the old one.
    #[must_use]
    pub fn changes<S: Source>(&self, recording: &Recording<S>) -> bool {
        self.found > 0 || self.dropped > 0 || recording.index_remainder() > 0
    }
}

/// Works out the index. `interval` nanoseconds lie between frames whose times nobody knows.
/// `progress` is told the number of bytes of the entities file done.
///
/// # Errors
/// A file cannot be read.
pub fn repair<S: Source>(
    recording: &Recording<S>,
    interval: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<Repair> {
    // Only records that some frame may belong to: a file of zeros must not fill the memory.
    let mut old = Vec::new();
    for number in 0..recording.plausible_frames() {
        let record = recording.raw_record(number)?;
        if recording.bounds(&record).is_ok() && recording.check(&record).is_ok() {
            old.push(record);
        }
    }
    old.sort_by_key(|record| record.data_offset);
    let mut old = old.into_iter().peekable();

    let mut repair = Repair::default();
    let mut times = Vec::new();
    let end = recording.entities_size();
    let mut position = 0;
    while position < end {
        // Records that begin inside a frame are wrong.
        while old.next_if(|record| record.data_offset < position).is_some() {}
        let known = old.next_if(|record| record.data_offset == position);
        let size = match known {
            Some(record) => Some(record.data_size),
            None => entity_at(recording, position, old.peek().map_or(end, |next| next.data_offset)),
        };
        match size {
            Some(data_size) => {
                let log_time = known.map(|record| record.log_time);
                times.push(log_time);
                repair.kept += u64::from(log_time.is_some());
                repair.found += u64::from(log_time.is_none());
                repair.records.push(IndexRecord { log_time: 0, data_size, data_offset: position });
                position += data_size;
            }
            // Nothing can be read here: on to where the old index knows a frame.
            None => {
                let next = old.peek().map_or(end, |next| next.data_offset);
                repair.unused_bytes += next - position;
                position = next;
            }
        }
        progress(position);
    }
    repair.dropped = recording.frames().saturating_sub(repair.kept);
    fill_in(&mut repair.records, &times, interval);
    Ok(repair)
}

/// Replaces the index file. The old one is kept; the result says where.
///
/// # Errors
/// A file cannot be written.
pub fn write_index(paths: &RecordingPaths, records: &[IndexRecord]) -> Result<Option<PathBuf>> {
    let beside = |ending: &str| {
        let mut path = paths.index.clone().into_os_string();
        path.push(ending);
        PathBuf::from(path)
    };
    let (new, backup) = (beside(".new"), beside(".old"));
    let failed = |path: &PathBuf| {
        let path = path.clone();
        move |source| Error::File { path, action: "written", source }
    };
    let mut file = BufWriter::new(File::create(&new).map_err(failed(&new))?);
    for record in records {
        file.write_all(&record.to_bytes()).map_err(failed(&new))?;
    }
    let file = file.into_inner().map_err(|error| failed(&new)(error.into_error()))?;
    file.sync_all().map_err(failed(&new))?;
    let existed = paths.index.exists();
    if existed {
        std::fs::rename(&paths.index, &backup).map_err(failed(&backup))?;
    }
    std::fs::rename(&new, &paths.index).map_err(failed(&paths.index))?;
    Ok(existed.then_some(backup))
}

/// Length of the entity that begins at `start` and reaches up to `end` at most, if there is one.
fn entity_at<S: Source>(recording: &Recording<S>, start: u64, end: u64) -> Option<u64> {
    let walk = EntityWalk::begin(recording.entities(), start, end).ok()?;
    // Zeros look like an entity without components.
    if walk.header().component_count == 0 {
        return None;
    }
    let size = walk.finish().ok()? - start;
    debug_assert!(size > ENTITY_HEADER_SIZE, "a component has a header");
    Some(size)
}

/// Gives each frame a time: its own, one between its neighbours', or an interval after the last.
fn fill_in(records: &mut [IndexRecord], times: &[Option<u64>], interval: u64) {
    let mut index = 0;
    let mut before: Option<u64> = None;
    while index < times.len() {
        if let Some(time) = times[index] {
            records[index].log_time = time;
            before = Some(time);
            index += 1;
            continue;
        }
        let gap = times[index..].iter().take_while(|time| time.is_none()).count();
        let after = times.get(index + gap).copied().flatten();
        let steps = gap as u64 + 1;
        for step in 1..steps {
            records[index].log_time = match (before, after) {
                (Some(before), Some(after)) => {
                    let share = u128::from(after.saturating_sub(before)) * u128::from(step);
                    before + u64::try_from(share / u128::from(steps)).unwrap_or(0)
                }
                (Some(before), None) => before.saturating_add(interval.saturating_mul(step)),
                (None, Some(after)) => after.saturating_sub(interval.saturating_mul(steps - step)),
                (None, None) => interval.saturating_mul(step - 1),
            };
            index += 1;
        }
    }
}
