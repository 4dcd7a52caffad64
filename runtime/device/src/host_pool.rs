//! Pinned host memory in the order of streams.

use crate::fence::Fence;
use crate::ranges::Ranges;
use crate::region::PinnedRegion;
use crate::stream::Stream;
use gxf::{Error, Result, ResultCode};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// The pool hands out multiples of this.
const GRANULE: usize = 256;
/// What the driver is asked for at least, if the limit allows: it takes long to pin memory.
const LEAST_PIECE: usize = 1 << 20;

/// Pinned host memory with a limit. Requests get parts of the pieces that the driver pinned, behind the
/// work that uses them.
pub struct HostPool {
    limit: usize,
    pieces: Mutex<Pieces>,
}

#[derive(Default)]
struct Pieces {
    /// From the driver, by address.
    held: FxHashMap<usize, PinnedRegion>,
    held_bytes: usize,
    free: Ranges,
    /// Sizes of the parts in use, by address.
    used: FxHashMap<usize, usize>,
    used_bytes: usize,
    peak: usize,
    count: u64,
}

impl Pieces {
    /// Asks the driver for memory.
    fn grow(&mut self, size: usize) -> Result<()> {
        let piece = PinnedRegion::new(size)?;
        let start = piece.start().as_ptr().expose_provenance();
        self.free.add(start, size);
        self.held_bytes += size;
        self.held.insert(start, piece);
        Ok(())
    }

    /// Makes room for a request that no free part serves.
    fn make_room(&mut self, size: usize, limit: usize) -> Result<()> {
        let after = self.held_bytes.saturating_add(size);
        if after <= limit {
            let room = limit - self.held_bytes;
            let piece = size.max(LEAST_PIECE.min(room));
            return match self.grow(piece) {
                Err(error) if piece > size && error.code() == ResultCode::OUT_OF_MEMORY => {
                    self.grow(size)
                }
                grown => grown,
            };
        }
        // Parts with work may be neighbours, or whole pieces.
        self.free.join_all(true)?;
        for start in self.free.remove(after - limit) {
            if let Some(piece) = self.held.remove(&start) {
                self.held_bytes -= piece.size();
            }
        }
        if self.held_bytes.saturating_add(size) <= limit {
            return self.grow(size);
        }
        Ok(())
    }
}

fn rounded(size: usize) -> usize {
    size.max(1).checked_next_multiple_of(GRANULE).unwrap_or(usize::MAX)
}

impl HostPool {
    /// A pool that reserves a piece of `initial` bytes, and holds at most `limit`, both in multiples of
    /// 256.
    pub fn new(initial: u64, limit: u64) -> Result<Self> {
        let size = |bytes| rounded(usize::try_from(bytes).unwrap_or(usize::MAX));
        let pool = Self { limit: size(limit), pieces: Mutex::default() };
        pool.pieces.lock().grow(size(initial.min(limit)))?;
        Ok(pool)
    }

    /// Allocates for work on the stream, or, without one, for anybody: then the thread waits for the
    /// work on the memory. 0 bytes count as 1.
    ///
    /// # Errors
    /// `OUT_OF_MEMORY` with the pool's numbers.
    pub fn allocate(&self, stream: Option<&Stream>, size: u64) -> Result<*mut u8> {
        let bytes = rounded(usize::try_from(size).unwrap_or(usize::MAX));
        let mut pieces = self.pieces.lock();
        let waits = stream.is_none();
        let mut taken = pieces.free.take(bytes, waits);
        if taken.is_none() {
            pieces.free.join_all(false)?;
            taken = pieces.free.take(bytes, waits);
        }
        if taken.is_none() {
            pieces.make_room(bytes, self.limit)?;
            taken = pieces.free.take(bytes, waits);
        }
        let (start, fence) = taken.ok_or_else(|| {
            Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!(
                    "{size} bytes do not fit the pool: {} of {} bytes of host memory are in use; \
                     enlarge `host_memory_max_size`",
                    pieces.used_bytes, self.limit
                ),
            )
        })?;
        let waited = match stream {
            Some(stream) => stream.wait(&fence),
            None => fence.synchronize(),
        };
        if let Err(error) = waited {
            pieces.free.give_back(start, bytes, fence);
            return Err(error);
        }
        pieces.used_bytes += bytes;
        pieces.peak = pieces.peak.max(pieces.used_bytes);
        pieces.count += 1;
        pieces.used.insert(start, bytes);
        Ok(std::ptr::with_exposed_provenance_mut(start))
    }

    /// Frees memory after the work up to the fence.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` for memory that is not of this pool.
    pub fn free(&self, pointer: *mut u8, fence: Fence) -> Result<()> {
        let mut pieces = self.pieces.lock();
        let Some(size) = pieces.used.remove(&pointer.addr()) else {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the freed memory does not come from this pool, or is already free",
            ));
        };
        pieces.used_bytes -= size;
        pieces.free.give_back(pointer.addr(), size, fence);
        Ok(())
    }

    /// Whether this is memory of the pool that is in use.
    #[must_use]
    pub fn owns(&self, pointer: *mut u8) -> bool {
        self.pieces.lock().used.contains_key(&pointer.addr())
    }

    /// Bytes in use, the most that were, and number of allocations.
    #[must_use]
    pub fn statistics(&self) -> gxf::AllocatorStatistics {
        let pieces = self.pieces.lock();
        gxf::AllocatorStatistics {
            used_bytes: pieces.used_bytes as u64,
            peak_bytes: pieces.peak as u64,
            allocation_count: pieces.count,
        }
    }

    /// Most bytes that the pool holds.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit as u64
    }

    /// Whether this many bytes are not in use, within the limit.
    #[must_use]
    pub fn has_room(&self, size: u64) -> bool {
        let used = self.pieces.lock().used_bytes;
        let size = rounded(usize::try_from(size).unwrap_or(usize::MAX));
        size.checked_add(used).is_some_and(|after| after <= self.limit)
    }

    /// Bytes that the pool holds, in use or not.
    #[must_use]
    pub fn reserved(&self) -> u64 {
        self.pieces.lock().held_bytes as u64
    }
}
