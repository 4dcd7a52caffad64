//! `UnboundedAllocator`: memory of any size.

use super::pinned::driver_for;
use super::region::{LARGE, Region};
use super::statistics::Statistics;
use super::{check_storage, not_initialized, notify_free, tell_of_host_memory};
use gxf::prelude::*;
use gxf::{AllocatorStatistics, ContextHandle};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use spin::Once;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

/// Allocates memory of any size until the system has none left. Pieces of 4096 bytes or more start
/// at a page, smaller ones at a multiple of 64 bytes. A size of 0 counts as 1.
///
/// Frames of a stream have one size, and new memory is slow to fill, so the allocator keeps a few
/// large pieces that were freed for later requests of exactly their size.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct UnboundedAllocator {
    /// The pieces in use, by address.
    used: Mutex<FxHashMap<usize, Region>>,
    kept: Mutex<Kept>,
    open: AtomicBool,
    statistics: Statistics,
    context: Once<ContextHandle>,
}

/// Most bytes to keep.
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// Large pieces that were freed, the latest one last.
#[derive(Default)]
struct Kept {
    pieces: VecDeque<Region>,
    bytes: usize,
}

impl Kept {
    /// A piece of this size and kind, the one freed last.
    fn take(&mut self, size: usize, is_pinned: bool) -> Option<Region> {
        let fits = |piece: &Region| piece.size() == size && piece.is_pinned() == is_pinned;
        let place = self.pieces.iter().rposition(fits)?;
        self.bytes -= size;
        self.pieces.remove(place)
    }

    /// Keeps a piece, replacing those freed first.
    fn put(&mut self, piece: Region) {
        self.bytes += piece.size();
        self.pieces.push_back(piece);
        while self.bytes > KEPT_BYTES {
            let Some(oldest) = self.pieces.pop_front() else { break };
            self.bytes -= oldest.size();
        }
    }
}

impl Lifecycle for UnboundedAllocator {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.open.store(true, Ordering::Relaxed);
        self.context.call_once(|| context.handle());
        Ok(())
    }

    fn deinitialize(&self, context: &ComponentContext) -> Result<()> {
        self.open.store(false, Ordering::Relaxed);
        *self.kept.lock() = Kept::default();
        self.statistics.log(context);
        Ok(())
    }
}

impl implement::Allocator for UnboundedAllocator {
    fn is_available(&self, _size: u64) -> bool {
        true
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        if !self.open.load(Ordering::Relaxed) {
            return Err(not_initialized());
        }
        check_storage(storage)?;
        tell_of_host_memory(storage);
        let region = usize::try_from(size).ok().and_then(|size| {
            let is_pinned = driver_for(storage).is_some();
            let kept = if size < LARGE { None } else { self.kept.lock().take(size, is_pinned) };
            kept.or_else(|| Region::new(size, storage))
        });
        let region = region.ok_or_else(|| {
            Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!("the operating system has no {size} bytes left"),
            )
        })?;
        let start = region.start().as_ptr();
        self.statistics.taken(region.size() as u64);
        self.used.lock().insert(start.addr(), region);
        Ok(start)
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        let region = self.used.lock().remove(&pointer.addr()).ok_or_else(|| {
            Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the freed memory does not come from this allocator, or is already free",
            )
        })?;
        self.statistics.returned(region.size() as u64);
        if region.size() >= LARGE && self.open.load(Ordering::Relaxed) {
            self.kept.lock().put(region);
        }
        notify_free(self.context.get());
        Ok(())
    }

    fn block_size(&self) -> u64 {
        1
    }

    fn statistics(&self) -> AllocatorStatistics {
        self.statistics.get()
    }
}

impl Drop for UnboundedAllocator {
    fn drop(&mut self) {
        // A user that still has such memory failed to hold the allocator: a leak is better than a
        // dangling pointer.
        for (_, region) in self.used.get_mut().drain() {
            std::mem::forget(region);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard::memory::region::PAGE;
    use gxf::implement::Allocator as _;

    fn open() -> UnboundedAllocator {
        let allocator = UnboundedAllocator::default();
        allocator.open.store(true, Ordering::Relaxed);
        allocator
    }

    #[test]
    fn memory_is_aligned_and_comes_back_once() {
        let allocator = open();
        let large = allocator.allocate(3 * PAGE as u64, StorageType::HOST).unwrap();
        assert_eq!(large.addr() % PAGE, 0);
        let empty = allocator.allocate(0, StorageType::SYSTEM).unwrap();
        assert_eq!(empty.addr() % 64, 0);
        allocator.free(large).unwrap();
        assert_eq!(allocator.free(large).unwrap_err().code(), ResultCode::ARGUMENT_INVALID);
        // Freed after the end, as by messages that are still on their way.
        allocator.open.store(false, Ordering::Relaxed);
        allocator.free(empty).unwrap();
        assert!(allocator.used.lock().is_empty());
    }

    #[test]
    fn a_few_large_pieces_are_kept_for_requests_of_their_size() {
        let allocator = open();
        let allocate = |size: usize| allocator.allocate(size as u64, StorageType::SYSTEM).unwrap();
        let [first, second] = [LARGE, LARGE].map(allocate);
        assert_eq!((first.addr() % PAGE, first == second), (0, false));
        allocator.free(first).unwrap();
        let other = allocate(LARGE + 1);
        assert_eq!(allocate(LARGE), first);
        for piece in [first, second, other] {
            allocator.free(piece).unwrap();
        }
        assert_eq!(allocator.free(first).unwrap_err().code(), ResultCode::ARGUMENT_INVALID);
        assert_eq!(allocator.kept.lock().bytes, 3 * LARGE + 1);
        let large = allocate(KEPT_BYTES - LARGE);
        allocator.free(large).unwrap();
        let kept = allocator.kept.lock();
        let sizes: Vec<_> = kept.pieces.iter().map(Region::size).collect();
        assert_eq!((kept.bytes, &*sizes), (KEPT_BYTES - LARGE, &[KEPT_BYTES - LARGE][..]));
    }

    #[test]
    fn errors_have_gxf_codes() {
        let code = |size, storage| open().allocate(size, storage).unwrap_err().code();
        assert_eq!(code(u64::MAX, StorageType::SYSTEM), ResultCode::OUT_OF_MEMORY);
        assert_eq!(code(1, StorageType::DEVICE), ResultCode::MEMORY_INVALID_STORAGE_MODE);
        assert_eq!(code(1, StorageType(7)), ResultCode::PARAMETER_OUT_OF_RANGE);
        let closed = UnboundedAllocator::default().allocate(1, StorageType::SYSTEM);
        assert_eq!(closed.unwrap_err().code(), ResultCode::INVALID_LIFECYCLE_STAGE);
    }
}
