//! Which parts of some pieces of memory are free.

use crate::fence::Fence;
use gxf::Result;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Parts of memory that nobody holds, each with what streams still do with it. Neighbours without such
/// work become one part.
#[derive(Default)]
pub struct Ranges {
    /// The pieces of memory, the first one at the front: addresses and sizes.
    pieces: Vec<(usize, usize)>,
    /// By address.
    free: BTreeMap<usize, Range>,
}

/// A free part.
struct Range {
    size: usize,
    fence: Fence,
}

impl Ranges {
    /// Adds a piece, all of it free.
    pub fn add(&mut self, start: usize, size: usize) {
        self.pieces.push((start, size));
        self.free.insert(start, Range { size, fence: Fence::default() });
    }

    /// Takes bytes from the smallest part that has them. Who would have to wait for work on the memory
    /// (`waits`) gets a part without if there is one.
    pub fn take(&mut self, size: usize, waits: bool) -> Option<(usize, Fence)> {
        let fitting = self.free.iter().filter(|(_, range)| range.size >= size);
        let best = fitting.min_by_key(|(_, range)| (waits && !range.fence.is_none(), range.size));
        let start = best.map(|(start, _)| *start)?;
        let Range { size: whole, fence } = self.free.remove(&start)?;
        if whole > size {
            self.free.insert(start + size, Range { size: whole - size, fence: fence.clone() });
        }
        Some((start, fence))
    }

    /// Gives a part back, free behind the fence.
    pub fn give_back(&mut self, start: usize, size: usize, fence: Fence) {
        let is_idle = fence.is_none();
        self.free.insert(start, Range { size, fence });
        if is_idle {
            self.join(start);
            if let Some((before, _)) = self.free.range(..start).next_back() {
                let before = *before;
                self.join(before);
            }
        }
    }

    /// Joins an idle part with the idle part behind it.
    fn join(&mut self, start: usize) {
        let Some(range) = self.free.get(&start).filter(|range| range.fence.is_none()) else {
            return;
        };
        let end = start + range.size;
        // The parts of two pieces stay apart, even if one begins where the other ends.
        if self.pieces.iter().any(|(piece, _)| *piece == end) {
            return;
        }
        let Entry::Occupied(behind) = self.free.entry(end) else { return };
        if behind.get().fence.is_none() {
            let size = behind.remove().size;
            if let Some(range) = self.free.get_mut(&start) {
                range.size += size;
            }
        }
    }

    /// Joins all neighbours whose work is done; waits for the work first if asked to.
    ///
    /// # Errors
    /// If a device failed.
    pub fn join_all(&mut self, waits: bool) -> Result<()> {
        for range in self.free.values_mut() {
            if waits {
                range.fence.synchronize()?;
            }
            if waits || range.fence.is_done()? {
                range.fence = Fence::default();
            }
        }
        let starts: Vec<usize> = self.free.keys().copied().collect();
        // From the back, so that each part has taken in all behind it.
        starts.into_iter().rev().for_each(|start| self.join(start));
        Ok(())
    }

    /// Removes the free pieces added last that have this many bytes together, or none if all of them
    /// have fewer. `join_all` goes before.
    pub fn remove(&mut self, bytes: usize) -> Vec<usize> {
        let is_free = |(start, size): &(usize, usize)| {
            self.free.get(start).is_some_and(|range| range.size == *size)
        };
        let (mut removed, mut sum) = (Vec::new(), 0);
        for (start, size) in self.pieces.iter().rev().filter(|piece| is_free(piece)) {
            if sum >= bytes {
                break;
            }
            sum += size;
            removed.push(*start);
        }
        if sum < bytes {
            return Vec::new();
        }
        self.pieces.retain(|(start, _)| !removed.contains(start));
        self.free.retain(|start, _| !removed.contains(start));
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;
    use crate::fence::Fence;

    fn start(ranges: &mut Ranges, size: usize) -> Option<usize> {
        ranges.take(size, true).map(|(start, _)| start)
    }

    #[test]
    fn the_smallest_part_that_fits_is_cut_and_joined_again() {
        let mut ranges = Ranges::default();
        ranges.add(1000, 100);
        let taken: Vec<_> = [30, 20, 40].map(|size| start(&mut ranges, size)).into();
        assert_eq!(taken, [Some(1000), Some(1030), Some(1050)]);
        assert_eq!(start(&mut ranges, 11), None);
        ranges.give_back(1000, 30, Fence::default());
        // The ten bytes at the end fit better.
        assert_eq!(start(&mut ranges, 10), Some(1090));
        ranges.give_back(1050, 40, Fence::default());
        ranges.give_back(1030, 20, Fence::default());
        assert_eq!(start(&mut ranges, 90), Some(1000));
    }

    #[test]
    fn pieces_that_touch_stay_two_and_the_last_ones_are_removed() {
        let mut ranges = Ranges::default();
        ranges.add(1000, 100);
        ranges.add(1100, 50);
        assert_eq!(start(&mut ranges, 120), None);
        ranges.add(2000, 50);
        assert_eq!(start(&mut ranges, 50), Some(1100));
        assert_eq!(ranges.remove(151), []);
        assert_eq!(ranges.remove(10), [2000]);
        assert_eq!(ranges.remove(51), [1000]);
    }
}
