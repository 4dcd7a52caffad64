//! `BlockMemoryPool`: blocks of one size, reserved at the start.

use super::slab::Slab;
use super::statistics::Statistics;
use super::streams::{Streams, Taker};
use super::variable::Variable;
use super::{check_kind, check_storage, not_initialized, notify_free, tell_of_host_memory};
use gxf::implement::CudaAllocator as _;
use gxf::prelude::*;
use gxf::{AllocatorStatistics, ContextHandle, MemoryWaiters, RawStream};
use gxf_device::{Fence, label};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use spin::{Once, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Allocates blocks of one size from memory reserved at the start, without a lock. Blocks start at
/// multiples of 64 bytes; the block freed last is allocated first.
///
/// Availability matches what requests can get. For sizes up to `block_size`, one free block must
/// exist; for a multiple of it, that many free blocks, which is how MemoryAvailableSchedulingTerm
/// counts blocks. Any other size is never available (in GXF it can be, although no such request
/// succeeds).
///
/// Blocks on a device, that of the GPUDevice in the entity's group or else the first one, come back in
/// the order of streams: the next stream that gets such a block waits on the device for the work on
/// it, and no thread does.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct BlockMemoryPool {
    /// Kind of memory: 0 host, 1 device, 2 system, 3 managed by CUDA. 1 and 3 need CUDA.
    #[parameter(headline = "Storage type", default = 0)]
    storage_type: Parameter<i32>,
    /// Size of each block. 0 is for a program that sets another size before the graph is activated:
    /// no request fits such blocks.
    #[parameter(headline = "Block size", unit = "bytes")]
    block_size: Parameter<u64>,
    /// Number of blocks.
    #[parameter(headline = "Number of blocks")]
    num_blocks: Parameter<u64>,
    slabs: RwLock<Slabs>,
    /// What streams still do with free blocks, by address.
    returned: Mutex<FxHashMap<usize, Fence>>,
    /// Whether a stream ever used a block, so that others need no lock.
    has_streams: AtomicBool,
    /// Held while all free blocks are looked at.
    looking: Mutex<()>,
    streams: Streams,
    device: AtomicI32,
    statistics: Statistics,
    waiters: MemoryWaiters,
    context: Once<ContextHandle>,
}

#[derive(Default)]
struct Slabs {
    /// The blocks to allocate from; absent before initialize and after deinitialize. Several pools
    /// share what a plan gives them together.
    open: Option<Arc<Slab>>,
    /// Slabs of former runs with blocks that are still in use.
    closed: Vec<Arc<Slab>>,
    /// Whether the blocks to allocate from are those of a plan.
    is_given: bool,
}

impl Slabs {
    /// Allocates from these blocks from now on.
    fn replace(&mut self, slab: Option<Arc<Slab>>, is_given: bool) {
        self.is_given = is_given;
        if let Some(old) = std::mem::replace(&mut self.open, slab)
            && !old.is_whole()
        {
            self.closed.push(old);
        }
    }
}

/// Gives pools that never have a block in use at the same time so many blocks together, in place of
/// what they have. Pools with other memory than the first one, such as that of another device, get
/// as many of their own: a plan may not know their devices. Returns the blocks of each.
///
/// # Errors
/// There is not enough memory.
pub fn give_together(
    pools: &[&BlockMemoryPool],
    block_size: u64,
    count: u64,
) -> Result<Vec<Arc<Slab>>> {
    // Theirs first, so that there are never both.
    pools.iter().for_each(|pool| pool.open_slab(None));
    let mut given: Vec<((StorageType, i32), Arc<Slab>)> = Vec::new();
    for pool in pools {
        let place = pool.place();
        let known = given.iter().find(|(known, _)| *known == place).map(|(_, slab)| slab.clone());
        let slab = match known {
            Some(slab) => slab,
            None => Arc::new(Slab::new(block_size, count, place.0, pool.device())?),
        };
        pool.open_slab(Some(slab.clone()));
        given.push((place, slab));
    }
    Ok(given.into_iter().map(|(_, slab)| slab).collect())
}

impl Lifecycle for BlockMemoryPool {
    fn check_parameters(&self) -> Result<()> {
        check_kind(StorageType(*self.storage_type.get()))
            .map_err(|error| error.context("`storage_type`"))
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.context.call_once(|| context.handle());
        let storage = StorageType(*self.storage_type.get());
        check_storage(storage).map_err(|error| error.context("`storage_type`"))?;
        tell_of_host_memory(storage);
        let (size, count) = (*self.block_size.get(), *self.num_blocks.get());
        let device = context.gpu_device().unwrap_or(0);
        self.device.store(device, Ordering::Relaxed);
        let slab = Slab::new(size, count, storage, device)?;
        self.slabs.write().replace(Some(Arc::new(slab)), false);
        Ok(())
    }

    fn deinitialize(&self, context: &ComponentContext) -> Result<()> {
        self.statistics.log(context);
        self.returned.lock().clear();
        self.streams.clear();
        self.slabs.write().replace(None, false);
        Ok(())
    }
}

impl implement::Allocator for BlockMemoryPool {
    fn is_available(&self, size: u64) -> bool {
        let slabs = self.slabs.read();
        let Some(slab) = &slabs.open else { return false };
        let blocks = blocks_for(size, slab.block_size());
        self.waiters.is_available(|| blocks.is_some_and(|n| n <= slab.free_count() as u64))
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        self.take(size, storage, Taker::Anybody)
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        self.give_back(pointer)
    }

    fn block_size(&self) -> u64 {
        *self.block_size.get()
    }

    fn statistics(&self) -> AllocatorStatistics {
        self.waiters.may_wait();
        self.statistics.get()
    }
}

impl implement::CudaAllocator for BlockMemoryPool {
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
        let is_open = self.slabs.read().open.as_ref().is_some_and(|slab| slab.contains(pointer));
        // A slab of a former run waits for the device when it is freed.
        if is_open {
            let fence = self.streams.get(self.device(), stream)?.record_or_wait()?;
            self.returned.lock().insert(pointer.addr(), fence);
            self.has_streams.store(true, Ordering::Release);
        }
        self.give_back(pointer)
    }

    fn pool_size(&self, storage: StorageType) -> u64 {
        if storage.0 != *self.storage_type.get() {
            return 0;
        }
        let slabs = self.slabs.read();
        slabs.open.as_ref().map_or(0, |slab| slab.block_size() * slab.count() as u64)
    }

    fn device(&self) -> i32 {
        self.device.load(Ordering::Relaxed)
    }
}

impl BlockMemoryPool {
    /// Which memory its blocks are. Other memory than that of a device is the same for all devices.
    fn place(&self) -> (StorageType, i32) {
        let storage = StorageType(*self.storage_type.get());
        let device = if storage == StorageType::DEVICE { self.device() } else { 0 };
        (storage, device)
    }

    /// Allocates from blocks of a plan from now on.
    fn open_slab(&self, slab: Option<Arc<Slab>>) {
        // Streams are done with what they returned before the run.
        self.returned.lock().clear();
        self.slabs.write().replace(slab, true);
    }

    /// Gives out the memory of a variable from now on, in place of what it has. `false` if that is
    /// not initialised.
    #[must_use]
    pub fn map(&self, variable: &Variable) -> bool {
        let slab = variable.slab();
        slab.is_some_and(|slab| {
            self.open_slab(Some(slab));
            true
        })
    }

    fn take(&self, size: u64, storage: StorageType, taker: Taker<'_>) -> Result<*mut u8> {
        // The codelet that asks may be one of another entity.
        self.take_block(size, storage, taker).map_err(|error| match self.context.get() {
            Some(context) => error.context(label("BlockMemoryPool", context)),
            None => error,
        })
    }

    #[inline]
    fn take_block(&self, size: u64, storage: StorageType, taker: Taker<'_>) -> Result<*mut u8> {
        let slabs = self.slabs.read();
        let slab = slabs.open.as_ref().ok_or_else(not_initialized)?;
        let (kind, block_size) = (*self.storage_type.get(), slab.block_size());
        if storage.0 != kind {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "memory of storage type {} was requested, but the pool has type {kind}; set its \
                     `storage_type`",
                    storage.0
                ),
            ));
        }
        if size > block_size {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "{size} bytes do not fit a block of {block_size} bytes; enlarge `block_size`"
                ),
            ));
        }
        let block = if self.has_streams.load(Ordering::Acquire) {
            self.take_behind(slab, taker)?
        } else {
            self.take_free(slab, taker)?
        };
        let block = block.ok_or_else(|| {
            self.waiters.may_wait();
            let remedy = match slabs.is_given {
                true => {
                    "the plan gives the pool no more, because its codelet says that it publishes \
                         into a register: one payload in a tick, none kept"
                }
                false => {
                    "enlarge `num_blocks`, or let a MemoryAvailableSchedulingTerm wait for a \
                          free one"
                }
            };
            let all = match slab.count() {
                1 => format!("the only block of {block_size} bytes is in use"),
                count => format!("all {count} blocks of {block_size} bytes are in use"),
            };
            Error::new(ResultCode::EXCEEDING_PREALLOCATED_SIZE, format!("{all}; {remedy}"))
        })?;
        self.statistics.taken(block_size);
        Ok(block)
    }

    /// Takes a block that no stream uses. The first stream may give one back meanwhile.
    #[inline]
    fn take_free(&self, slab: &Slab, taker: Taker<'_>) -> Result<Option<*mut u8>> {
        let Some(block) = slab.take() else { return Ok(None) };
        // Taking the block acquires what came before it was given back.
        if self.has_streams.load(Ordering::Relaxed) {
            let fence = self.returned.lock().remove(&block.addr()).unwrap_or_default();
            return Self::behind(slab, block, &fence, taker).map(Some);
        }
        Ok(Some(block))
    }

    /// Sees that the work before a fence comes before whoever takes the block.
    fn behind(slab: &Slab, block: *mut u8, fence: &Fence, taker: Taker<'_>) -> Result<*mut u8> {
        if let Err(error) = taker.after(fence) {
            slab.give_back(block, || ())?;
            return Err(error);
        }
        Ok(block)
    }

    /// Takes a block that streams may still use. A stream waits for them on the device; anybody else
    /// gets a block that they are done with, or, if there is none, waits for the one freed last.
    fn take_behind(&self, slab: &Slab, taker: Taker<'_>) -> Result<Option<*mut u8>> {
        let _looking = self.looking.lock();
        let mut busy = Vec::new();
        let mut found = None;
        while let Some(block) = slab.take() {
            let fence = self.returned.lock().remove(&block.addr());
            match (fence, taker) {
                (Some(fence), Taker::Anybody) if !fence.is_done().unwrap_or(false) => {
                    busy.push((block, fence));
                }
                (Some(fence), Taker::Stream(_)) => {
                    found = Some((block, fence));
                    break;
                }
                // Nothing is left to wait for.
                _ => {
                    found = Some((block, Fence::default()));
                    break;
                }
            }
        }
        let found = found.or_else(|| (!busy.is_empty()).then(|| busy.remove(0)));
        // In this order the one freed last stays the first.
        for (block, fence) in busy.into_iter().rev() {
            self.returned.lock().insert(block.addr(), fence);
            slab.give_back(block, || ())?;
        }
        let Some((block, fence)) = found else { return Ok(None) };
        Self::behind(slab, block, &fence, taker).map(Some)
    }

    fn give_back(&self, pointer: *mut u8) -> Result<()> {
        // Does not touch parameters: blocks may be freed after the graph is gone.
        let slabs = self.slabs.read();
        match &slabs.open {
            Some(slab) if slab.contains(pointer) => {
                slab.give_back(pointer, || self.statistics.returned(slab.block_size()))?;
            }
            _ => {
                drop(slabs);
                return self.free_late(pointer);
            }
        }
        // A plan's engine looks at the blocks itself, which pools share.
        let is_given = slabs.is_given;
        drop(slabs);
        if is_given {
            notify_free(self.context.get());
        } else if let Some(context) = self.context.get() {
            self.waiters.notify(context);
        }
        Ok(())
    }

    /// A block of a former run, or a foreign one.
    #[cold]
    fn free_late(&self, pointer: *mut u8) -> Result<()> {
        let mut slabs = self.slabs.write();
        let place = slabs.closed.iter().position(|slab| slab.contains(pointer));
        let Some(place) = place else {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                "the freed memory does not come from this pool",
            ));
        };
        let slab = &slabs.closed[place];
        slab.give_back(pointer, || self.statistics.returned(slab.block_size()))?;
        if slab.is_whole() {
            slabs.closed.swap_remove(place);
        }
        Ok(())
    }
}

impl Drop for Slabs {
    fn drop(&mut self) {
        // A user that still has a block failed to hold the pool: a leak is better than a dangling
        // pointer.
        let slabs = self.open.take().into_iter().chain(self.closed.drain(..));
        for slab in slabs.filter(|slab| !slab.is_whole()) {
            std::mem::forget(slab);
        }
    }
}

/// Number of free blocks for a request of `size` bytes; `None` if it can never succeed.
fn blocks_for(size: u64, block_size: u64) -> Option<u64> {
    match size {
        _ if size <= block_size => Some(1),
        _ if size.is_multiple_of(block_size) => Some(size / block_size),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::Allocator as _;

    fn pool(block_size: u64, num_blocks: u64) -> BlockMemoryPool {
        let pool = BlockMemoryPool {
            storage_type: Parameter::new(2),
            block_size: Parameter::new(block_size),
            num_blocks: Parameter::new(num_blocks),
            ..Default::default()
        };
        let slab = Slab::new(block_size, num_blocks, StorageType::SYSTEM, 0).ok();
        pool.slabs.write().open = slab.map(Arc::new);
        pool
    }

    #[test]
    fn requests_fail_with_gxf_codes() {
        let pool = pool(100, 1);
        let code = |size, storage| pool.allocate(size, storage).unwrap_err().code();
        assert_eq!(code(10, StorageType::HOST), ResultCode::ARGUMENT_INVALID);
        assert_eq!(code(101, StorageType::SYSTEM), ResultCode::ARGUMENT_INVALID);
        pool.allocate(100, StorageType::SYSTEM).unwrap();
        assert_eq!(code(1, StorageType::SYSTEM), ResultCode::EXCEEDING_PREALLOCATED_SIZE);
        let foreign = pool.free(std::ptr::dangling_mut()).unwrap_err();
        assert_eq!(foreign.code(), ResultCode::ARGUMENT_OUT_OF_RANGE);
    }

    #[test]
    fn availability_counts_free_blocks() {
        let pool = pool(100, 3);
        pool.allocate(1, StorageType::SYSTEM).unwrap();
        for (size, available) in
            [(0, true), (100, true), (101, false), (150, false), (200, true), (300, false)]
        {
            assert_eq!(pool.is_available(size), available, "{size}");
        }
    }

    #[test]
    fn pools_that_share_a_block_never_have_it_at_the_same_time() {
        let (one, other) = (pool(100, 3), pool(50, 3));
        let slab = &give_together(&[&one, &other], 100, 1).unwrap()[0];
        assert_eq!((slab.block_size(), slab.count()), (100, 1));
        let block = one.allocate(100, StorageType::SYSTEM).unwrap();
        assert_eq!(slab.free_count(), 0);
        let refused = other.allocate(50, StorageType::SYSTEM).unwrap_err();
        assert!(refused.message().contains("publishes into a register"), "{refused}");
        one.free(block).unwrap();
        other.free(other.allocate(50, StorageType::SYSTEM).unwrap()).unwrap();
    }

    #[test]
    fn pools_with_other_memory_than_the_first_have_blocks_of_their_own() {
        let (host, system, other) = (pool(100, 3), pool(100, 3), pool(50, 3));
        let host = BlockMemoryPool { storage_type: Parameter::new(0), ..host };
        let slabs = give_together(&[&system, &host, &other], 100, 1).unwrap();
        let block = system.allocate(100, StorageType::SYSTEM).unwrap();
        other.allocate(50, StorageType::SYSTEM).unwrap_err();
        let apart = host.allocate(100, StorageType::HOST).unwrap();
        assert!(!slabs[0].contains(apart) && slabs[1].contains(apart));
        assert!(Arc::ptr_eq(&slabs[0], &slabs[2]));
        system.free(block).unwrap();
        host.free(apart).unwrap();
    }

    #[test]
    fn only_device_memory_differs_from_device_to_device() {
        let place = |storage, device| {
            let pool = pool(100, 1);
            pool.device.store(device, Ordering::Relaxed);
            BlockMemoryPool { storage_type: Parameter::new(storage), ..pool }.place()
        };
        assert_ne!(place(1, 0), place(1, 1));
        assert_eq!(place(2, 0), place(2, 1));
        assert_ne!(place(1, 0), place(2, 0));
    }

    /// As when the first stream ever gives a block back after the taker saw that there was none.
    #[test]
    fn a_block_of_the_first_stream_is_taken_behind_its_work() {
        let pool = pool(100, 1);
        let block = pool.allocate(1, StorageType::SYSTEM).unwrap();
        pool.returned.lock().insert(block.addr(), Fence::default());
        pool.has_streams.store(true, Ordering::Release);
        pool.give_back(block).unwrap();
        let slab = pool.slabs.read().open.clone().unwrap();
        assert_eq!(pool.take_free(&slab, Taker::Anybody).unwrap(), Some(block));
        assert!(pool.returned.lock().is_empty(), "what the stream does is waited for");
    }

    #[test]
    fn a_block_may_come_back_after_the_end() {
        let pool = pool(100, 2);
        let block = pool.allocate(1, StorageType::SYSTEM).unwrap();
        pool.slabs.write().replace(None, false);
        let late = pool.allocate(1, StorageType::SYSTEM).unwrap_err();
        assert_eq!(late.code(), ResultCode::INVALID_LIFECYCLE_STAGE);
        pool.free(block).unwrap();
        assert!(pool.slabs.read().closed.is_empty());
    }
}
