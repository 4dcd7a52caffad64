//! Pinned host memory in the order of streams.

use crate::fence::Fence;
use crate::free_regions::FreeRegions;
use crate::region::PinnedRegion;
use crate::stream::Stream;
use gxf::{Error, Result, ResultCode};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Pinned host memory with a limit. Pieces that were freed serve later requests that fit them, behind
/// the work that uses them.
pub struct HostPool {
    limit: usize,
    pieces: Mutex<Pieces>,
}

#[derive(Default)]
struct Pieces {
    /// By address.
    used: FxHashMap<usize, PinnedRegion>,
    free: FreeRegions,
    used_bytes: usize,
    peak: usize,
    count: u64,
}

impl HostPool {
    /// A pool that reserves a piece of `initial` bytes, and holds at most `limit`.
    pub fn new(initial: u64, limit: u64) -> Result<Self> {
        let size = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        let pool = Self { limit: size(limit), pieces: Mutex::default() };
        let first = PinnedRegion::new(size(initial.min(limit)))?;
        pool.pieces.lock().free.put(first, Fence::default());
        Ok(pool)
    }

    /// Allocates for work on the stream, or, without one, for anybody: then the thread waits for the
    /// work on the piece. 0 bytes count as 1.
    ///
    /// # Errors
    /// `OUT_OF_MEMORY` with the pool's numbers.
    pub fn allocate(&self, stream: Option<&Stream>, size: u64) -> Result<*mut u8> {
        let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
        let mut pieces = self.pieces.lock();
        let (piece, fence) = match pieces.free.take(size) {
            Some(free) => free,
            None => {
                while (pieces.used_bytes + pieces.free.bytes()).saturating_add(size) > self.limit {
                    let Some((_unused, fence)) = pieces.free.take_oldest() else {
                        return Err(Error::new(
                            ResultCode::OUT_OF_MEMORY,
                            format!(
                                "{size} bytes do not fit the pool: {} of {} bytes of host memory are \
                                 in use; enlarge `host_memory_max_size`",
                                pieces.used_bytes, self.limit
                            ),
                        ));
                    };
                    fence.synchronize()?;
                }
                (PinnedRegion::new(size)?, Fence::default())
            }
        };
        match stream {
            Some(stream) => stream.wait(&fence)?,
            None => fence.synchronize()?,
        }
        let start = piece.start().as_ptr();
        pieces.used_bytes += piece.size();
        pieces.peak = pieces.peak.max(pieces.used_bytes);
        pieces.count += 1;
        pieces.used.insert(start.addr(), piece);
        Ok(start)
    }

    /// Frees memory after the work up to the fence.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` for memory that is not of this pool.
    pub fn free(&self, pointer: *mut u8, fence: Fence) -> Result<()> {
        let mut pieces = self.pieces.lock();
        let Some(piece) = pieces.used.remove(&pointer.addr()) else {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the freed memory does not come from this pool, or is already free",
            ));
        };
        pieces.used_bytes -= piece.size();
        pieces.free.put(piece, fence);
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

    /// Bytes that the pool holds, in use or not.
    #[must_use]
    pub fn reserved(&self) -> u64 {
        let pieces = self.pieces.lock();
        (pieces.used_bytes + pieces.free.bytes()) as u64
    }
}
