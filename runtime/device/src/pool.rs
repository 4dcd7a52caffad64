//! Memory pools of the driver, whose memory is allocated and freed in the order of a stream.

use crate::device::Device;
use crate::error::call;
use crate::stream::Stream;
use cudarc::driver::sys::{
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemLocationType,
    CUmemPool_attribute, CUmemPoolProps, CUmemoryPool,
};
use gxf::{Error, Result, ResultCode};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ptr::null_mut;

/// The driver's pools hand out multiples of this.
const GRANULE: u64 = 256;

/// A pool of device memory with a limit of its own.
pub struct MemoryPool {
    device: Device,
    /// The driver's pool, as a number.
    pool: usize,
    limit: u64,
    blocks: Mutex<Blocks>,
}

#[derive(Default)]
struct Blocks {
    /// By address.
    used: FxHashMap<usize, Used>,
    bytes: u64,
    peak: u64,
    count: u64,
}

/// A piece of memory in use.
struct Used {
    size: u64,
    /// Whether only the stream that it was allocated on may use it at once.
    is_of_stream: bool,
}

impl MemoryPool {
    /// A pool that reserves `initial` bytes, keeps up to `threshold` unused bytes, and hands out at
    /// most `limit`, both in multiples of 256.
    pub fn new(device: Device, initial: u64, limit: u64, threshold: u64) -> Result<Self> {
        let _entered = device.enter()?;
        let mut pool: CUmemoryPool = null_mut();
        let properties = CUmemPoolProps {
            allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: CUmemLocation {
                type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: device.ordinal(),
            },
            win32SecurityAttributes: null_mut(),
            maxSize: 0,
            reserved: [0; 56],
        };
        // The pointers are valid.
        call!(cuMemPoolCreate(&raw mut pool, &raw const properties))?;
        let limit = limit.checked_next_multiple_of(GRANULE).unwrap_or(limit);
        let pool = Self { device, pool: pool.expose_provenance(), limit, blocks: Mutex::default() };
        let mut keep = threshold;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // The attribute has 64 bits.
        call!(cuMemPoolSetAttribute(pool.raw(), attribute, (&raw mut keep).cast()))?;
        if initial > 0 {
            // The driver reserves memory when it is first asked for some.
            let stream = device.new_stream()?;
            let reserved = pool.allocate(&stream, initial.min(limit))?;
            pool.free(&stream, reserved)?;
            pool.blocks.lock().peak = 0;
            pool.blocks.lock().count = 0;
        }
        Ok(pool)
    }

    fn raw(&self) -> CUmemoryPool {
        std::ptr::with_exposed_provenance_mut(self.pool)
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// Allocates for work that is enqueued on the stream from now on. 0 bytes count as 1.
    ///
    /// # Errors
    /// `OUT_OF_MEMORY` with the pool's numbers.
    pub fn allocate(&self, stream: &Stream, size: u64) -> Result<*mut u8> {
        let rounded = size.max(1).checked_next_multiple_of(GRANULE);
        {
            let mut blocks = self.blocks.lock();
            let after = rounded.and_then(|rounded| rounded.checked_add(blocks.bytes));
            let Some(after) = after.filter(|after| *after <= self.limit) else {
                return Err(Error::new(
                    ResultCode::OUT_OF_MEMORY,
                    format!(
                        "{size} bytes do not fit the pool: {} of {} bytes are in use; enlarge \
                         `device_memory_max_size`",
                        blocks.bytes, self.limit
                    ),
                ));
            };
            blocks.bytes = after;
            blocks.peak = blocks.peak.max(after);
            blocks.count += 1;
        }
        let rounded = rounded.unwrap_or(self.limit);
        let mut address = 0;
        let bytes = usize::try_from(rounded).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let allocated = self.device.enter().and_then(|_entered| {
            // The pointer is valid, pool and stream are alive.
            call!(cuMemAllocFromPoolAsync(&raw mut address, bytes, self.raw(), stream.raw()))
        });
        let mut blocks = self.blocks.lock();
        if let Err(error) = allocated {
            blocks.bytes -= rounded;
            return Err(self.device.with_free_memory(error, bytes));
        }
        let pointer: *mut u8 = std::ptr::with_exposed_provenance_mut(address as usize);
        blocks.used.insert(pointer.addr(), Used { size: rounded, is_of_stream: true });
        Ok(pointer)
    }

    /// Allocates memory that any stream can use at once: the thread waits for the allocation, which is
    /// made on this stream.
    ///
    /// # Errors
    /// As for [`MemoryPool::allocate`].
    pub fn allocate_now(&self, stream: &Stream, size: u64) -> Result<*mut u8> {
        let pointer = self.allocate(stream, size)?;
        if let Err(error) = stream.synchronize() {
            // Nobody has used it.
            _ = self.free(stream, pointer);
            return Err(error);
        }
        if let Some(used) = self.blocks.lock().used.get_mut(&pointer.addr()) {
            used.is_of_stream = false;
        }
        Ok(pointer)
    }

    /// Frees memory that nobody uses any more. The thread waits for the device if the memory was
    /// allocated for a stream, which this one does not know.
    ///
    /// # Errors
    /// As for [`MemoryPool::free`].
    pub fn free_now(&self, stream: &Stream, pointer: *mut u8) -> Result<()> {
        let is_of_stream = {
            let blocks = self.blocks.lock();
            blocks.used.get(&pointer.addr()).is_some_and(|used| used.is_of_stream)
        };
        if is_of_stream {
            self.device.synchronize()?;
        }
        self.free(stream, pointer)
    }

    /// Frees memory after the work that is enqueued on the stream so far.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` for memory that is not of this pool.
    pub fn free(&self, stream: &Stream, pointer: *mut u8) -> Result<()> {
        let mut blocks = self.blocks.lock();
        let Some(Used { size, .. }) = blocks.used.remove(&pointer.addr()) else {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the freed memory does not come from this pool, or is already free",
            ));
        };
        blocks.bytes -= size;
        drop(blocks);
        let _entered = self.device.enter()?;
        // The memory has no users after the work so far.
        call!(cuMemFreeAsync(pointer.addr() as u64, stream.raw()))
    }

    /// Whether this is memory of the pool that is in use.
    #[must_use]
    pub fn owns(&self, pointer: *mut u8) -> bool {
        self.blocks.lock().used.contains_key(&pointer.addr())
    }

    /// Bytes in use, the most that were, and number of allocations.
    #[must_use]
    pub fn statistics(&self) -> gxf::AllocatorStatistics {
        let blocks = self.blocks.lock();
        gxf::AllocatorStatistics {
            used_bytes: blocks.bytes,
            peak_bytes: blocks.peak,
            allocation_count: blocks.count,
        }
    }

    /// Most bytes to hand out.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether this many bytes are free within the limit.
    #[must_use]
    pub fn has_room(&self, size: u64) -> bool {
        let bytes = self.blocks.lock().bytes;
        size.checked_next_multiple_of(GRANULE)
            .and_then(|size| size.checked_add(bytes))
            .is_some_and(|after| after <= self.limit)
    }

    /// Bytes that the pool holds, in use or not.
    pub fn reserved(&self) -> Result<u64> {
        let mut bytes = 0u64;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
        // The attribute has 64 bits.
        call!(cuMemPoolGetAttribute(self.raw(), attribute, (&raw mut bytes).cast()))?;
        Ok(bytes)
    }
}

impl Drop for MemoryPool {
    fn drop(&mut self) {
        // The driver keeps memory that is still in use. An error leaves nothing to do.
        let pool = self.raw();
        _ = self.device.enter().and_then(|_entered| call!(cuMemPoolDestroy(pool)));
    }
}
