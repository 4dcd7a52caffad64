//! Pinned host memory that waits for its next use.

use crate::region::PinnedRegion;

/// Pieces that nobody holds, the one freed first at the front.
#[derive(Default)]
pub struct FreeRegions {
    pieces: Vec<PinnedRegion>,
    bytes: usize,
}

impl FreeRegions {
    /// Takes the smallest piece that fits, but not one that wastes most of it.
    pub fn take(&mut self, size: usize) -> Option<PinnedRegion> {
        let fits =
            |(_, piece): &(usize, &PinnedRegion)| piece.size() >= size && piece.size() / 2 <= size;
        let places = self.pieces.iter().enumerate();
        let best = places.filter(fits).min_by_key(|(_, piece)| piece.size());
        let place = best.map(|(place, _)| place)?;
        Some(self.remove(place))
    }

    /// Takes the piece that was freed first.
    pub fn take_oldest(&mut self) -> Option<PinnedRegion> {
        (!self.pieces.is_empty()).then(|| self.remove(0))
    }

    fn remove(&mut self, place: usize) -> PinnedRegion {
        let piece = self.pieces.remove(place);
        self.bytes -= piece.size();
        piece
    }

    /// Keeps a piece.
    pub fn put(&mut self, piece: PinnedRegion) {
        self.bytes += piece.size();
        self.pieces.push(piece);
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
