//! Blocks of one size in one piece of memory.

use super::region::Region;
use gxf::{Error, Result, ResultCode, StorageType};
use gxf_sync::event_queue::EventQueue;
use gxf_sync::free_list::{FreeList, NONE};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// Alignment of blocks, so that no two share a cache line.
const BLOCK_ALIGNMENT: usize = 64;
/// Alignment of blocks on devices, as that of the driver's own allocations.
const DEVICE_ALIGNMENT: usize = 256;

/// A fixed number of blocks; the block freed last is allocated first, while it is warm.
pub struct Slab {
    region: Region,
    block_size: u64,
    stride: usize,
    free: FreeList,
    free_count: AtomicUsize,
    blocks: Box<[Block]>,
    /// The entities that fill registers with these blocks, in the run of this queue.
    takers: Mutex<Vec<(Arc<EventQueue>, u32)>>,
    has_takers: AtomicBool,
}

struct Block {
    next_free: AtomicU32,
    used: AtomicBool,
}

impl Slab {
    /// Reserves the memory.
    pub(super) fn new(
        block_size: u64,
        count: u64,
        storage: StorageType,
        device: i32,
    ) -> Result<Self> {
        let alignment = if storage == StorageType::SYSTEM || storage == StorageType::HOST {
            BLOCK_ALIGNMENT
        } else {
            DEVICE_ALIGNMENT
        };
        let sizes = || {
            let count = usize::try_from(count).ok().filter(|count| *count < NONE as usize)?;
            let stride = usize::try_from(block_size).ok()?.max(1);
            let stride = stride.checked_next_multiple_of(alignment)?;
            Some((count, stride, stride.checked_mul(count)?))
        };
        let no_room = || {
            let text = format!("not enough memory for {count} blocks of {block_size} bytes");
            Error::new(ResultCode::OUT_OF_MEMORY, text)
        };
        let (count, stride, bytes) = sizes().ok_or_else(no_room)?;
        let region = Region::new(bytes, storage, device).map_err(|error| match storage {
            StorageType::SYSTEM => no_room(),
            _ => error.context(no_room()),
        })?;
        Self::divided(region, block_size, count, stride).ok_or_else(no_room)
    }

    /// A single block of memory that exists.
    pub(super) fn of_one(region: Region) -> Option<Self> {
        let size = region.size();
        Self::divided(region, size as u64, 1, size.max(1))
    }

    /// Blocks in memory that has room for them. `None` if there is no memory for their list.
    fn divided(region: Region, block_size: u64, count: usize, stride: usize) -> Option<Self> {
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).ok()?;
        blocks.resize_with(count, || Block {
            next_free: AtomicU32::new(NONE),
            used: AtomicBool::new(false),
        });
        let slab = Self {
            region,
            block_size,
            stride,
            free: FreeList::new(),
            free_count: AtomicUsize::new(count),
            blocks: blocks.into(),
            takers: Mutex::default(),
            has_takers: AtomicBool::new(false),
        };
        // From the end, so that the first block is allocated first.
        for index in (0..count).rev() {
            slab.push(index);
        }
        Some(slab)
    }

    #[expect(clippy::cast_possible_truncation, reason = "`new` checks that numbers fit")]
    fn push(&self, index: usize) {
        let next_free = &self.blocks[index].next_free;
        self.free.push(index as u32, |next| next_free.store(next, Ordering::Relaxed));
    }

    /// Size of a block in bytes.
    #[must_use]
    pub fn block_size(&self) -> u64 {
        self.block_size
    }

    /// Number of blocks.
    #[must_use]
    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Approximate number of free blocks.
    #[must_use]
    pub fn free_count(&self) -> usize {
        self.free_count.load(Ordering::Relaxed)
    }

    /// Tells the run of an entity, from now on, when a block becomes free: it may wait for one.
    pub fn add_taker(&self, event_queue: &Arc<EventQueue>, entity: u32) {
        self.takers.lock().push((event_queue.clone(), entity));
        self.has_takers.store(true, Ordering::Release);
    }

    /// The run of the entities is over.
    pub fn forget_takers(&self) {
        self.has_takers.store(false, Ordering::Relaxed);
        self.takers.lock().clear();
    }

    /// Whether no block is in use.
    pub(super) fn is_whole(&self) -> bool {
        self.free_count() == self.count()
    }

    /// Takes a block.
    pub(super) fn take(&self) -> Option<*mut u8> {
        let next_of = |number: u32| self.blocks[number as usize].next_free.load(Ordering::Relaxed);
        let index = self.free.pop(next_of)? as usize;
        self.free_count.fetch_sub(1, Ordering::Relaxed);
        self.blocks[index].used.store(true, Ordering::Relaxed);
        Some(self.region.start().as_ptr().wrapping_add(index * self.stride))
    }

    /// Copies the first bytes of memory that the CPU can read. The caller has all blocks.
    pub(super) fn copy_first(&self, buffer: &mut [u8]) {
        self.region.copy_first(buffer);
    }

    /// Whether an address lies in the slab.
    pub(super) fn contains(&self, pointer: *mut u8) -> bool {
        let start = self.region.start().as_ptr().addr();
        pointer.addr().checked_sub(start).is_some_and(|offset| offset < self.region.size())
            && !self.blocks.is_empty()
    }

    /// Frees a block for which [`Slab::contains`] is true. Calls `before` if the block was in use,
    /// before another thread can take it.
    pub(super) fn give_back(&self, pointer: *mut u8, before: impl FnOnce()) -> Result<()> {
        let offset = pointer.addr() - self.region.start().as_ptr().addr();
        let index = offset / self.stride;
        if !offset.is_multiple_of(self.stride) {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "the freed address is {} bytes after the start of its block",
                    offset % self.stride
                ),
            ));
        }
        if !self.blocks[index].used.swap(false, Ordering::Relaxed) {
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, "the block is already free"));
        }
        before();
        self.push(index);
        self.free_count.fetch_add(1, Ordering::Relaxed);
        if self.has_takers.load(Ordering::Acquire) {
            for (event_queue, entity) in &*self.takers.lock() {
                event_queue.post(*entity);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "tests write to the blocks they get")]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_given_back_is_the_first_taken() {
        let slab = Slab::new(10, 2, StorageType::SYSTEM, 0).unwrap();
        let (one, two) = (slab.take().unwrap(), slab.take().unwrap());
        assert_eq!(two.addr() - one.addr(), BLOCK_ALIGNMENT);
        assert!(slab.take().is_none());
        slab.give_back(one, || ()).unwrap();
        slab.give_back(two, || ()).unwrap();
        assert_eq!(slab.take(), Some(two));
        assert_eq!(slab.free_count(), 1);
    }

    #[test]
    fn only_blocks_in_use_come_back() {
        let slab = Slab::new(64, 2, StorageType::SYSTEM, 0).unwrap();
        let block = slab.take().unwrap();
        assert!(slab.contains(block) && !slab.contains(block.wrapping_sub(1)));
        assert!(!slab.contains(block.wrapping_add(128)));
        assert!(slab.give_back(block.wrapping_add(1), || ()).is_err());
        slab.give_back(block, || ()).unwrap();
        let twice = slab.give_back(block, || ()).unwrap_err();
        assert_eq!(twice.code(), ResultCode::ARGUMENT_INVALID);
        assert!(slab.is_whole());
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(Slab::new(u64::MAX, 1, StorageType::SYSTEM, 0).is_err());
        assert!(Slab::new(1 << 40, 1 << 31, StorageType::SYSTEM, 0).is_err());
        assert!(Slab::new(1, u64::from(u32::MAX), StorageType::SYSTEM, 0).is_err());
    }

    #[test]
    fn threads_never_share_a_block() {
        let slab = Slab::new(64, 4, StorageType::SYSTEM, 0).unwrap();
        let turns = if cfg!(miri) { 50 } else { 2000 };
        std::thread::scope(|scope| {
            for number in 0..4u8 {
                let slab = &slab;
                scope.spawn(move || {
                    for _ in 0..turns {
                        let block = slab.take().expect("one for each thread");
                        // SAFETY: this thread is the block's only user.
                        unsafe { block.write(number) };
                        std::hint::spin_loop();
                        // SAFETY: this thread is the block's only user.
                        assert_eq!(unsafe { block.read() }, number);
                        slab.give_back(block, || ()).unwrap();
                    }
                });
            }
        });
        assert!(slab.is_whole());
    }
}
