//! Pinned host memory that waits for its next use.

use crate::fence::Fence;
use crate::region::PinnedRegion;

/// Pieces that nobody holds, the one freed first at the front, each with what streams still do with it.
#[derive(Default)]
pub struct FreeRegions {
    pieces: Vec<(PinnedRegion, Fence)>,
    bytes: usize,
}

impl FreeRegions {
    /// Takes the smallest piece that fits, but not one that wastes most of it.
    pub fn take(&mut self, size: usize) -> Option<(PinnedRegion, Fence)> {
        let fits = |(_, (piece, _)): &(usize, &(PinnedRegion, Fence))| {
            piece.size() >= size && piece.size() / 2 <= size
        };
        let places = self.pieces.iter().enumerate();
        let best = places.filter(fits).min_by_key(|(_, (piece, _))| piece.size());
        let place = best.map(|(place, _)| place)?;
        Some(self.remove(place))
    }

    /// Takes the piece that was freed first.
    pub fn take_oldest(&mut self) -> Option<(PinnedRegion, Fence)> {
        (!self.pieces.is_empty()).then(|| self.remove(0))
    }

    fn remove(&mut self, place: usize) -> (PinnedRegion, Fence) {
        let (piece, fence) = self.pieces.remove(place);
        self.bytes -= piece.size();
        (piece, fence)
    }

    /// Keeps a piece for work after the fence.
    pub fn put(&mut self, piece: PinnedRegion, fence: Fence) {
        self.bytes += piece.size();
        self.pieces.push((piece, fence));
    }

    /// Number of pieces.
    pub fn count(&self) -> usize {
        self.pieces.len()
    }

    /// Bytes of all pieces.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
