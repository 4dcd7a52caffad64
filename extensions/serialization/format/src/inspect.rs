//! What is in a recording, and what is wrong with it.

use crate::error::{Error, FrameError, Result};
use crate::layout::IndexRecord;
use crate::recording::Recording;
use crate::source::Source;
use crate::walk::entities_in;
use core::ops::Range;

/// Keeps this many faults and remarks; beyond, they are only counted.
const KEPT: usize = 100;
/// Compares the places of this many frames (38 hours at 30 Hz), so that no index fills the memory.
const PLACED: usize = 1 << 22;
/// Distinguishes this many kinds of components.
const KINDS: usize = 64;

/// Components of one name and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Name of the component; often empty.
    pub name: String,
    /// `uint8 [480, 854, 3] in host memory`, or the name of another type.
    pub what: String,
    /// How many there are.
    pub count: u64,
}

/// Counts texts and keeps the first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// The first ones.
    pub first: Vec<String>,
    /// How many there are.
    pub count: u64,
}

impl Texts {
    fn push(&mut self, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(text());
        }
    }
}

/// What a recording consists of. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Frames in the index, damaged ones included.
    pub frames: u64,
    /// Bytes of all frames that are not damaged.
    pub bytes: u64,
    /// Log time of the first frame.
    pub first_log_time: Option<u64>,
    /// Log time of the last frame.
    pub last_log_time: Option<u64>,
    /// What the frames carry, in order of appearance.
    pub kinds: Vec<Kind>,
    /// Problems that make frames unusable.
    pub faults: Texts,
    /// Unusual but harmless findings.
    pub remarks: Texts,
}

impl Report {
    /// Time between the first frame and the last.
    #[must_use]
    pub fn duration(&self) -> Option<u64> {
        self.last_log_time?.checked_sub(self.first_log_time?)
    }

    /// Mean number of frames per second; `None` when there are fewer than two, or no time passed.
    #[must_use]
    pub fn frame_rate(&self) -> Option<f64> {
        let duration = self.duration().filter(|duration| *duration > 0)?;
        let intervals = self.frames.checked_sub(1).filter(|intervals| *intervals > 0)?;
        Some(intervals as f64 / (duration as f64 / 1e9))
    }

    fn add(&mut self, name: String, what: String) {
        let same = |kind: &&mut Kind| kind.name == name && kind.what == what;
        if let Some(kind) = self.kinds.iter_mut().find(same) {
            kind.count += 1;
        } else if self.kinds.len() < KINDS {
            self.kinds.push(Kind { name, what, count: 1 });
        }
    }
}

/// Inspects all frames. Calls `progress` with the number of frames done.
///
/// # Errors
/// The index cannot be read at all. The report lists what is wrong with frames.
pub fn inspect<S: Source>(
    recording: &Recording<S>,
    progress: &mut dyn FnMut(u64),
) -> Result<Report> {
    let mut report = Report { frames: recording.frames(), ..Report::default() };
    let mut before: Option<IndexRecord> = None;
    let mut places = Vec::new();
    let mut unplaced = 0_u64;
    for number in 0..recording.plausible_frames() {
        let record = recording.raw_record(number)?;
        if let Err(error) = frame(recording, &record, &mut report, number) {
            report.faults.push(|| Error::Frame { number, error }.to_string());
        } else {
            report.bytes += record.data_size;
            if places.len() < PLACED {
                places.push((record.data_offset, number, record.data_size));
            } else {
                unplaced += 1;
            }
        }
        if before.is_some_and(|before| record.log_time < before.log_time) {
            report.remarks.push(|| format!("frame {number} is older than the one before it"));
        }
        report.first_log_time.get_or_insert(record.log_time);
        report.last_log_time = Some(record.log_time);
        before = Some(record);
        progress(number + 1);
    }
    let unread = recording.frames() - recording.plausible_frames();
    if unread > 0 {
        report.faults.push(|| {
            format!("{unread} more frames in the index cannot be in an entities file of this size")
        });
    }
    let left = recording.index_remainder();
    if left > 0 {
        report.remarks.push(|| format!("the index ends with {left} bytes of an incomplete record"));
    }
    if unplaced > 0 {
        report.remarks.push(|| format!("the places of {unplaced} more frames are not compared"));
    } else {
        compare_places(recording, places, &mut report);
    }
    Ok(report)
}

/// Frames that share bytes, and bytes that belong to none. A place is where a frame begins, its
/// number, and its size; the index may have them in any order.
fn compare_places<S: Source>(
    recording: &Recording<S>,
    mut places: Vec<(u64, u64, u64)>,
    report: &mut Report,
) {
    places.sort_unstable();
    // Where the frames so far end, and which of them ends last.
    let (mut end, mut last) = (0, 0);
    for (offset, number, size) in places {
        if offset < end {
            report
                .faults
                .push(|| format!("frame {number} begins inside frame {last}, at offset {offset}"));
        } else if offset > end {
            let left = unindexed(recording, end..offset, report);
            if left > 0 {
                report
                    .remarks
                    .push(|| format!("{left} bytes in front of frame {number} belong to no frame"));
            }
        }
        if offset + size > end {
            (end, last) = (offset + size, number);
        }
    }
    if end < recording.entities_size() {
        let left = unindexed(recording, end..recording.entities_size(), report);
        if left > 0 {
            report.remarks.push(|| {
                format!(
                    "{left} bytes behind the last frame belong to no frame, \
                     as a recorder leaves them that was stopped in the middle of one"
                )
            });
        }
    }
}

/// Reports the whole frames at the start of a range that belongs to no frame of the index. Returns
/// the number of bytes behind them.
fn unindexed<S: Source>(recording: &Recording<S>, range: Range<u64>, report: &mut Report) -> u64 {
    let (count, end) = entities_in(recording.entities(), range.clone());
    let start = range.start;
    match count {
        0 => {}
        _ if recording.is_growing() => report.remarks.push(|| {
            format!("the index does not have {} yet: a recorder is writing", whole_frames(count))
        }),
        _ => report
            .faults
            .push(|| format!("the index does not have {} at offset {start}", whole_frames(count))),
    }
    range.end - end
}

/// `1 whole frame`, `2 whole frames`.
#[must_use]
pub fn whole_frames(count: u64) -> String {
    format!("{count} whole frame{}", if count == 1 { "" } else { "s" })
}

fn frame<S: Source>(
    recording: &Recording<S>,
    record: &IndexRecord,
    report: &mut Report,
    number: u64,
) -> Result<(), FrameError> {
    let end = recording.bounds(record)?;
    let mut walk = recording.walk(record)?;
    loop {
        match walk.next_component() {
            Ok(Some(component)) => {
                report.add(walk.name(&component)?, component.payload.to_string());
            }
            Ok(None) => break,
            Err(FrameError::UnknownType { tid, .. }) => {
                report.add(String::new(), format!("unknown type {tid}"));
                report.remarks.push(|| {
                    format!(
                        "frame {number} carries the unknown type {tid} and is not checked behind it"
                    )
                });
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
    match end - walk.position() {
        0 => Ok(()),
        left => Err(FrameError::TooLong { left }),
    }
}
