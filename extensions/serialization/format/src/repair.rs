//! Makes a new index.
//!
//! Walks the entities file from its start and makes each entity a frame. From the old index it
//! keeps the log time of a frame and, where an entity has a component of unknown type, its length.
//! It never changes the entities file.

use crate::error::{Error, Result};
use crate::layout::IndexRecord;
use crate::paths::RecordingPaths;
use crate::recording::Recording;
use crate::source::Source;
use crate::walk::entity_at;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// An index that fits the entities file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// The records of the new index.
    pub records: Vec<IndexRecord>,
    /// Frames kept from the old index.
    pub kept: u64,
    /// Frames that the old index lacked or had wrong. Their log times are interpolated.
    pub found: u64,
    /// Records of the old index without a frame.
    pub dropped: u64,
    /// Bytes of the entities file that belong to no frame.
    pub unused_bytes: u64,
}

impl Repair {
    /// Whether the new index differs from the old one.
    #[must_use]
    pub fn changes<S: Source>(&self, recording: &Recording<S>) -> bool {
        self.found > 0 || self.dropped > 0 || recording.index_remainder() > 0
    }
}

/// Makes the index. Frames without a known time are `interval` nanoseconds apart. Calls `progress`
/// with the number of bytes of the entities file done.
///
/// # Errors
/// A file cannot be read.
pub fn repair<S: Source>(
    recording: &Recording<S>,
    interval: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<Repair> {
    // Only plausible records: a file of zeros must not fill the memory.
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
        // Records that start inside a frame are wrong.
        while old.next_if(|record| record.data_offset < position).is_some() {}
        let known = old.next_if(|record| record.data_offset == position);
        let size = match known {
            Some(record) => Some(record.data_size),
            None => {
                let end = old.peek().map_or(end, |next| next.data_offset);
                entity_at(recording.entities(), position, end)
            }
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
            // No entity here: go on where the old index knows a frame.
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

/// Replaces the index file. Keeps the old one and returns its path.
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
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::File { path, action: "written", source }
    };
    let write = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(&new)?);
        for record in records {
            file.write_all(&record.to_bytes())?;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    };
    let existed = paths.index.exists();
    let replaced = write().map_err(failed(&new)).and_then(|()| {
        if existed {
            std::fs::rename(&paths.index, &backup).map_err(failed(&backup))?;
        }
        std::fs::rename(&new, &paths.index).map_err(failed(&paths.index))
    });
    if replaced.is_err() {
        // Nothing is left of it, as far as that is possible.
        _ = std::fs::remove_file(&new);
        if existed && !paths.index.exists() {
            _ = std::fs::rename(&backup, &paths.index);
        }
    }
    replaced.map(|()| existed.then_some(backup))
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
