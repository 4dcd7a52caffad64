//! Small messages back to back, until the other end has them: a burst of them is one piece of
//! memory for the system, and takes no allocation each.

use std::collections::VecDeque;

/// A chunk with so many bytes gets no more messages.
const FULL: usize = 64 << 10;
/// Most chunks that are kept to be used again.
const SPARE: usize = 16;

/// Bytes of messages, in order. Released in the same order.
#[derive(Default)]
pub struct Chunks {
    chunks: VecDeque<Vec<u8>>,
    /// Number of the first chunk.
    first: u64,
    spare: Vec<Vec<u8>>,
}

/// Where the bytes of a message are, or of several neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    chunk: u64,
    start: usize,
    end: usize,
}

impl Place {
    /// Number of bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.end - self.start
    }

    /// All but the first bytes, at most all.
    #[must_use]
    pub fn without(self, bytes: usize) -> Self {
        Self { start: self.end.min(self.start + bytes), ..self }
    }

    /// Both, if the other one follows this one.
    #[must_use]
    pub fn joined(self, other: Self) -> Option<Self> {
        let follows = self.chunk == other.chunk && self.end == other.start;
        follows.then_some(Self { end: other.end, ..self })
    }
}

impl Chunks {
    /// Adds what `write` appends; what it appended before an error is dropped.
    ///
    /// # Errors
    /// Those of `write`, which gets the number of bytes that were there before it.
    pub fn add<E>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>, usize) -> Result<(), E>,
    ) -> Result<Place, E> {
        if self.chunks.back().is_none_or(|chunk| chunk.len() >= FULL) {
            self.chunks.push_back(self.spare.pop().unwrap_or_default());
        }
        let last = self.chunks.len() - 1;
        let chunk = &mut self.chunks[last];
        let start = chunk.len();
        if let Err(error) = write(chunk, start) {
            chunk.truncate(start);
            return Err(error);
        }
        Ok(Place { chunk: self.first + last as u64, start, end: chunk.len() })
    }

    /// The bytes at a place that is not released.
    #[must_use]
    pub fn bytes(&self, place: Place) -> &[u8] {
        let index = place.chunk.checked_sub(self.first).and_then(|index| index.try_into().ok());
        let chunk = index.and_then(|index: usize| self.chunks.get(index));
        chunk.and_then(|chunk| chunk.get(place.start..place.end)).unwrap_or_default()
    }

    /// Nobody needs the bytes of this place, which is the first, any more.
    pub fn release(&mut self, place: Place) {
        while self.first < place.chunk {
            self.drop_first();
        }
        // Nothing follows: the chunk begins anew.
        if self.chunks.front().is_some_and(|chunk| chunk.len() == place.end) {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        self.first += 1;
        if let Some(mut chunk) = self.chunks.pop_front()
            && self.spare.len() < SPARE
            && chunk.capacity() <= 2 * FULL
        {
            chunk.clear();
            self.spare.push(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn add(chunks: &mut Chunks, bytes: &[u8]) -> Place {
        let added = chunks.add(|chunk, _| -> Result<(), ()> {
            chunk.extend_from_slice(bytes);
            Ok(())
        });
        added.unwrap()
    }

    #[test]
    fn neighbours_are_one_piece() {
        let mut chunks = Chunks::default();
        let [one, two, three] = [&b"one"[..], b"two", b"three"].map(|it| add(&mut chunks, it));
        let both = one.without(1).joined(two).unwrap();
        assert_eq!((chunks.bytes(both), both.size()), (&b"netwo"[..], 5));
        assert_eq!(one.joined(three), None);
        assert_eq!(chunks.bytes(one.without(9)), b"");
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let mut chunks = Chunks::default();
        let one = add(&mut chunks, b"one");
        let failed = chunks.add(|chunk, before| {
            chunk.extend_from_slice(b"rest");
            Err(before)
        });
        assert_eq!(failed, Err(3));
        let two = add(&mut chunks, b"two");
        assert_eq!(chunks.bytes(one.joined(two).unwrap()), b"onetwo");
    }

    proptest! {
        /// However messages come and go, each keeps its bytes until it is released, and memory is
        /// bounded by what is not.
        #[test]
        fn every_message_keeps_its_bytes(steps in prop::collection::vec((0_usize..40_000, 0..4), 1..200)) {
            let mut chunks = Chunks::default();
            let mut held = VecDeque::new();
            for (number, (size, released)) in steps.into_iter().enumerate() {
                let byte = number.to_le_bytes()[0];
                held.push_back((add(&mut chunks, &vec![byte; size]), byte, size));
                for _ in 0..released {
                    let Some((place, ..)) = held.pop_front() else { break };
                    chunks.release(place);
                }
                for (place, byte, size) in &held {
                    prop_assert_eq!(place.size(), *size);
                    prop_assert!(chunks.bytes(*place).iter().all(|found| found == byte));
                    prop_assert_eq!(chunks.bytes(*place).len(), *size);
                }
                let bytes: usize = held.iter().map(|(_, _, size)| size).sum();
                // The first and the last chunk may be nearly empty.
                let most = bytes / FULL + 3;
                prop_assert!(chunks.chunks.len() <= most.max(held.len() + 1));
                prop_assert!(chunks.spare.len() <= SPARE);
            }
        }
    }
}
