//! `UnboundedAllocator`: memory of any size.

use super::region::{Kind, Region};
use super::statistics::Statistics;
use super::streams::{Streams, Taker};
use super::{check_storage, is_on_device, not_initialized, tell_of_host_memory};
use gxf::prelude::*;
use gxf::{AllocatorStatistics, ContextHandle, MemoryWaiters, RawStream};
use gxf_device::{Action, Fence, PinnedRegion, settle, when_done};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use spin::Once;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Allocates memory of any size until the system has none left. Pieces of 4096 bytes or more start
/// at a page, smaller ones at a multiple of 64 bytes. A size of 0 counts as 1.
///
/// Frames of a stream have one size, and new memory is slow to fill, so the allocator keeps a few
/// pieces of 64 KiB or more that were freed for later requests of exactly their size, up to 64 MiB. On a
/// device, where an allocation may wait for all work, it keeps pieces of any size, up to the most that
/// was ever in use there. Device memory is on the device of the GPUDevice in the entity's group, or else
/// the first one.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct UnboundedAllocator {
    /// The pieces in use, by address.
    used: Mutex<FxHashMap<usize, Region>>,
    kept: Mutex<Kept>,
    open: AtomicBool,
    device: AtomicI32,
    streams: Streams,
    statistics: Statistics,
    waiters: MemoryWaiters,
    context: Once<ContextHandle>,
}

/// Pieces of this size or more are kept.
const KEPT_SIZE: usize = 64 * 1024;
/// Most bytes to keep; on a device so many are kept in any case.
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// A piece that was freed, with what streams still do with it.
type Piece = (Region, Fence);

/// Pieces that were freed.
#[derive(Default)]
struct Kept {
    on_host: Pieces,
    on_device: Pieces,
    /// Bytes in use on the device, and the most that were.
    used: usize,
    peak: usize,
}

/// Pieces that were freed, the latest one last.
#[derive(Default)]
struct Pieces {
    pieces: VecDeque<Piece>,
    bytes: usize,
}

impl Kept {
    /// A piece as of [`Pieces::take`]. If there is none on a device, where memory is asked for next, the
    /// pieces that make room for it within the most that was in use.
    fn take(&mut self, size: usize, kind: Kind, taker: Taker<'_>) -> (Option<Piece>, Vec<Piece>) {
        if !matches!(kind, Kind::Device(..)) {
            return (self.on_host.take(size, kind, taker), Vec::new());
        }
        self.used = self.used.saturating_add(size);
        let found = self.on_device.take(size, kind, taker);
        let replaced =
            if found.is_none() { self.on_device.shrink(self.most()) } else { Vec::new() };
        (found, replaced)
    }

    /// Keeps a piece, replacing those freed first, which it returns.
    fn put(&mut self, piece: Region, fence: Fence) -> Vec<Piece> {
        if !matches!(piece.kind(), Kind::Device(..)) {
            return self.on_host.put(piece, fence, KEPT_BYTES);
        }
        // Not what was asked for and could not be had. Pieces of a former run were not counted.
        self.peak = self.peak.max(self.used);
        self.used = self.used.saturating_sub(piece.size());
        let most = self.most();
        self.on_device.put(piece, fence, most)
    }

    /// Most bytes to keep on the device, so that with those in use they are no more than were in use.
    fn most(&self) -> usize {
        self.peak.saturating_sub(self.used).max(KEPT_BYTES)
    }
}

impl Pieces {
    /// A piece of this size and kind, the one freed last; for anybody but a stream, one that no
    /// stream uses.
    fn take(&mut self, size: usize, kind: Kind, taker: Taker<'_>) -> Option<Piece> {
        let fits = |(piece, fence): &Piece| {
            let is_ready = matches!(taker, Taker::Stream(_)) || fence.is_done().unwrap_or(false);
            piece.size() == size && piece.kind() == kind && is_ready
        };
        let place = self.pieces.iter().rposition(fits)?;
        self.bytes -= size;
        self.pieces.remove(place)
    }

    /// Keeps a piece, replacing those freed first, which it returns.
    fn put(&mut self, piece: Region, fence: Fence, most: usize) -> Vec<Piece> {
        self.bytes += piece.size();
        self.pieces.push_back((piece, fence));
        self.shrink(most)
    }

    /// Removes the pieces freed first until no more bytes are left.
    fn shrink(&mut self, most: usize) -> Vec<Piece> {
        let mut replaced = Vec::new();
        while self.bytes > most {
            let Some(oldest) = self.pieces.pop_front() else { break };
            self.bytes -= oldest.0.size();
            replaced.push(oldest);
        }
        replaced
    }
}

impl Lifecycle for UnboundedAllocator {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.device.store(context.gpu_device().unwrap_or(0), Ordering::Relaxed);
        self.open.store(true, Ordering::Relaxed);
        self.context.call_once(|| context.handle());
        Ok(())
    }

    fn deinitialize(&self, context: &ComponentContext) -> Result<()> {
        self.open.store(false, Ordering::Relaxed);
        *self.kept.lock() = Kept::default();
        self.streams.clear();
        settle();
        self.statistics.log(context);
        Ok(())
    }
}

impl implement::Allocator for UnboundedAllocator {
    fn is_available(&self, _size: u64) -> bool {
        true
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        self.take(size, storage, Taker::Anybody)
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        self.give_back(pointer, Fence::default())
    }

    fn block_size(&self) -> u64 {
        1
    }

    fn statistics(&self) -> AllocatorStatistics {
        self.waiters.may_wait();
        self.statistics.get()
    }
}

impl implement::CudaAllocator for UnboundedAllocator {
    fn allocate_async(
        &self,
        size: u64,
        storage: StorageType,
        stream: RawStream<'_>,
    ) -> Result<*mut u8> {
        let stream = self.streams.get(self.device(), stream)?;
        self.take(size, storage, Taker::Stream(&stream))
    }

    fn free_async(&self, pointer: *mut u8, stream: RawStream<'_>) -> Result<()> {
        let fence = self.streams.get(self.device(), stream)?.record_or_wait()?;
        self.give_back(pointer, fence)
    }

    fn pool_size(&self, storage: StorageType) -> u64 {
        let is_it = |region: &Region| match region.kind() {
            Kind::System => storage == StorageType::SYSTEM,
            Kind::Pinned => storage == StorageType::HOST,
            Kind::Device(_, own) => storage == own,
        };
        let used = self.used.lock();
        used.values().filter(|region| is_it(region)).map(|region| region.size() as u64).sum()
    }

    fn device(&self) -> i32 {
        self.device.load(Ordering::Relaxed)
    }
}

impl UnboundedAllocator {
    fn take(&self, size: u64, storage: StorageType, taker: Taker<'_>) -> Result<*mut u8> {
        if !self.open.load(Ordering::Relaxed) {
            return Err(not_initialized());
        }
        check_storage(storage)?;
        tell_of_host_memory(storage);
        let device = implement::CudaAllocator::device(self);
        let bytes = usize::try_from(size).map_err(|_| {
            let text = format!("the operating system has no {size} bytes left");
            Error::new(ResultCode::OUT_OF_MEMORY, text)
        })?;
        let kind = match storage {
            _ if is_on_device(storage) => Some(Kind::Device(device, storage)),
            _ if bytes < KEPT_SIZE => None,
            StorageType::HOST if PinnedRegion::check().is_ok() => Some(Kind::Pinned),
            _ => Some(Kind::System),
        };
        let size = bytes.max(1);
        let (kept, replaced) =
            kind.map_or_else(Default::default, |kind| self.kept.lock().take(size, kind, taker));
        for (region, fence) in replaced {
            drop_behind(region, &fence)?;
        }
        let region = match kept {
            Some((region, fence)) => {
                // Anybody else only gets what no stream uses.
                if let Taker::Stream(stream) = taker {
                    stream.wait(&fence)?;
                }
                region
            }
            None => self.new_region(bytes, storage, device)?,
        };
        let start = region.start().as_ptr();
        self.statistics.taken(region.size() as u64);
        self.used.lock().insert(start.addr(), region);
        Ok(start)
    }

    /// New memory. What is kept on a full device goes first.
    fn new_region(&self, size: usize, storage: StorageType, device: i32) -> Result<Region> {
        let mut made = Region::new(size, storage, device);
        if !is_on_device(storage) {
            return made;
        }
        if made.as_ref().is_err_and(|error| error.code() == ResultCode::OUT_OF_MEMORY) {
            let kept = std::mem::take(&mut self.kept.lock().on_device).pieces;
            // A device that failed says so next.
            kept.iter().for_each(|(_, fence)| _ = fence.synchronize());
            if !kept.is_empty() {
                drop(kept);
                made = Region::new(size, storage, device);
            }
        }
        if made.is_err() {
            let mut now = self.kept.lock();
            now.used = now.used.saturating_sub(size.max(1));
        }
        made
    }

    /// Takes memory back that streams use up to the fence.
    fn give_back(&self, pointer: *mut u8, fence: Fence) -> Result<()> {
        let region = self.used.lock().remove(&pointer.addr()).ok_or_else(|| {
            Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the freed memory does not come from this allocator, or is already free",
            )
        })?;
        self.statistics.returned(region.size() as u64);
        let is_on_device = matches!(region.kind(), Kind::Device(..));
        if (is_on_device || region.size() >= KEPT_SIZE) && self.open.load(Ordering::Relaxed) {
            let replaced = self.kept.lock().put(region, fence);
            for (region, fence) in replaced {
                drop_behind(region, &fence)?;
            }
        } else {
            drop_behind(region, &fence)?;
        }
        if let Some(context) = self.context.get() {
            self.waiters.notify(context);
        }
        Ok(())
    }
}

/// Frees memory behind the work up to a fence. At once, it would be too early, or block until the
/// device has done its work.
fn drop_behind(region: Region, fence: &Fence) -> Result<()> {
    if fence.is_none() {
        return Ok(());
    }
    when_done(fence.point(), Action::Run(Box::new(move || drop(region))))
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
        let [first, second] = [KEPT_SIZE, KEPT_SIZE].map(allocate);
        assert_eq!((first.addr() % PAGE, first == second), (0, false));
        allocator.free(first).unwrap();
        let other = allocate(KEPT_SIZE + 1);
        assert_eq!(allocate(KEPT_SIZE), first);
        for piece in [first, second, other] {
            allocator.free(piece).unwrap();
        }
        assert_eq!(allocator.free(first).unwrap_err().code(), ResultCode::ARGUMENT_INVALID);
        assert_eq!(allocator.kept.lock().on_host.bytes, 3 * KEPT_SIZE + 1);
        let large = allocate(KEPT_BYTES - KEPT_SIZE);
        allocator.free(large).unwrap();
        let kept = allocator.kept.lock();
        let sizes: Vec<_> = kept.on_host.pieces.iter().map(|(piece, _)| piece.size()).collect();
        assert_eq!(
            (kept.on_host.bytes, &*sizes),
            (KEPT_BYTES - KEPT_SIZE, &[KEPT_BYTES - KEPT_SIZE][..])
        );
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
