//! Entries of the log, in bounded memory.

use gxf_stm::log::Executed;
use std::collections::VecDeque;

/// The newest entries, and how many there were.
pub struct Ring<T> {
    /// The newest entries, oldest first.
    pub entries: VecDeque<T>,
    limit: usize,
    /// Number of older ones.
    pub dropped: u64,
}

/// One execution.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Number of the runnable's name.
    pub runnable: u32,
    /// Number of its epoch's name.
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
    /// Number of the epoch's name.
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
