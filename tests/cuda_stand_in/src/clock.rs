//! Vector clocks: which work is ordered after which.

use std::collections::HashMap;
use std::ops::Range;

/// For each stream, the number of the last piece of work that comes before.
#[derive(Clone, Default, Debug)]
pub struct Clock(HashMap<usize, u64>);

impl Clock {
    /// Everything before `other` comes before this, too.
    pub fn join(&mut self, other: &Self) {
        for (stream, time) in &other.0 {
            let own = self.0.entry(*stream).or_default();
            *own = (*own).max(*time);
        }
    }

    /// The next piece of work of a stream; returns its number.
    pub fn advance(&mut self, stream: usize) -> u64 {
        let own = self.0.entry(stream).or_default();
        *own += 1;
        *own
    }

    fn includes(&self, stream: usize, time: u64) -> bool {
        self.0.get(&stream).is_some_and(|own| *own >= time)
    }
}

/// Work on a piece of memory.
#[derive(Clone, Debug)]
struct Access {
    range: Range<usize>,
    stream: usize,
    time: u64,
    is_write: bool,
    what: &'static str,
}

/// Most accesses that an allocation remembers.
const REMEMBERED: usize = 4096;

/// The accesses of an allocation that later ones must come after.
#[derive(Default, Debug)]
pub struct History(Vec<Access>);

impl History {
    /// Notes an access, or says with which earlier one nothing orders it.
    pub fn access(
        &mut self,
        range: Range<usize>,
        (stream, time): (usize, u64),
        clock: &Clock,
        is_write: bool,
        what: &'static str,
    ) -> Result<(), String> {
        for old in &self.0 {
            let overlaps = old.range.start < range.end && range.start < old.range.end;
            if overlaps && (is_write || old.is_write) && !clock.includes(old.stream, old.time) {
                return Err(format!(
                    "race: {what} on stream {stream:#x} {} {range:x?}, which {} on stream {:#x} {}; \
                     nothing orders them",
                    if is_write { "writes" } else { "reads" },
                    old.what,
                    old.stream,
                    if old.is_write { "writes" } else { "reads" },
                ));
            }
        }
        if is_write {
            let covered =
                |old: &Access| range.start <= old.range.start && old.range.end <= range.end;
            self.0.retain(|old| !covered(old));
        } else {
            let same = |old: &Access| !old.is_write && old.stream == stream && old.range == range;
            self.0.retain(|old| !same(old));
        }
        if self.0.len() >= REMEMBERED {
            self.0.remove(0);
        }
        self.0.push(Access { range, stream, time, is_write, what });
        Ok(())
    }
}
