//! `MockAllocator`: memory with limits that reports leaks.

use gxf::{StorageType, prelude::*};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of all memory in bytes, for vector instructions and device copies.
const ALIGNMENT: usize = 256;

/// An allocator for tests. It limits allocations and reports leaks at deinitialize. Host and system
/// memory are both ordinary memory; there is no device memory.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MockAllocator {
    /// Accepts leaks instead of failing at deinitialize.
    #[parameter(default = false)]
    ignore_memory_leak: Parameter<bool>,
    /// Fails every attempt to free memory.
    #[parameter(default = false)]
    fail_on_free: Parameter<bool>,
    /// Largest single allocation [default: no limit].
    #[parameter(unit = "bytes")]
    max_block_size: Parameter<Option<u64>>,
    /// Host memory in use at once, at most [default: no limit].
    #[parameter(unit = "bytes")]
    max_host_allocation: Parameter<Option<u64>>,
    /// Device memory in use at once, at most. Kept for applications written for GXF; this allocator
    /// has no device memory.
    #[parameter(unit = "bytes")]
    max_device_allocation: Parameter<Option<u64>>,
    /// System memory in use at once, at most [default: no limit].
    #[parameter(unit = "bytes")]
    max_system_allocation: Parameter<Option<u64>>,
    blocks: Mutex<Blocks>,
}

/// Memory in use.
#[derive(Default)]
struct Blocks {
    /// By the allocated address.
    by_address: HashMap<usize, Block>,
    host_bytes: u64,
    system_bytes: u64,
}

struct Block {
    /// The memory, with room for an aligned start.
    _memory: Vec<u8>,
    size: u64,
    storage: StorageType,
}

impl Blocks {
    fn bytes(&mut self, storage: StorageType) -> &mut u64 {
        if storage == StorageType::HOST { &mut self.host_bytes } else { &mut self.system_bytes }
    }
}

impl MockAllocator {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limit(&self, storage: StorageType) -> Option<u64> {
        if storage == StorageType::HOST {
            *self.max_host_allocation
        } else {
            *self.max_system_allocation
        }
    }
}

impl Lifecycle for MockAllocator {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let left = std::mem::take(&mut *self.blocks());
        if left.by_address.is_empty() || *self.ignore_memory_leak {
            return Ok(());
        }
        Err(Error::failure(format!(
            "{} blocks of {} bytes in total were not given back; \
             set `ignore_memory_leak` if that is fine",
            left.by_address.len(),
            left.host_bytes + left.system_bytes
        )))
    }
}

impl implement::Allocator for MockAllocator {
    fn is_available(&self, size: u64) -> bool {
        let mut blocks = self.blocks();
        let fits = |in_use: u64, limit: Option<u64>| {
            limit.is_none_or(|limit| in_use.saturating_add(size) <= limit)
        };
        self.max_block_size.is_none_or(|limit| size <= limit)
            && fits(*blocks.bytes(StorageType::HOST), *self.max_host_allocation)
            && fits(*blocks.bytes(StorageType::SYSTEM), *self.max_system_allocation)
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        if storage != StorageType::HOST && storage != StorageType::SYSTEM {
            return Err(Error::new(
                ResultCode::MEMORY_INVALID_STORAGE_MODE,
                format!("the mock allocator has no memory of storage type {}", storage.0),
            ));
        }
        if let Some(limit) = self.max_block_size.filter(|limit| size > *limit) {
            return Err(Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!("{size} bytes are more than `max_block_size` allows ({limit})"),
            ));
        }
        let mut blocks = self.blocks();
        let in_use = *blocks.bytes(storage);
        if let Some(limit) =
            self.limit(storage).filter(|limit| in_use.saturating_add(size) > *limit)
        {
            return Err(Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!("{size} bytes do not fit: {in_use} of {limit} are in use"),
            ));
        }
        // At least one byte, so that every block has its own address.
        let length = usize::try_from(size).ok().and_then(|size| size.max(1).checked_add(ALIGNMENT));
        let mut memory = Vec::new();
        if length.is_none_or(|length| memory.try_reserve_exact(length).is_err()) {
            return Err(Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!("the operating system has no {size} bytes left"),
            ));
        }
        memory.resize(memory.capacity(), 0);
        let start: *mut u8 = memory.as_mut_ptr();
        let address = start.wrapping_add(start.align_offset(ALIGNMENT));
        *blocks.bytes(storage) += size;
        blocks.by_address.insert(address.addr(), Block { _memory: memory, size, storage });
        Ok(address)
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        if *self.fail_on_free {
            return Err(Error::failure("the mock allocator fails because `fail_on_free` is set"));
        }
        let mut blocks = self.blocks();
        let block = blocks.by_address.remove(&pointer.addr()).ok_or_else(|| {
            Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the memory given back does not come from this allocator, or was given back twice",
            )
        })?;
        *blocks.bytes(block.storage) -= block.size;
        Ok(())
    }

    fn block_size(&self) -> u64 {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::Allocator as _;

    fn allocator(block: Option<u64>, system: Option<u64>) -> MockAllocator {
        MockAllocator {
            ignore_memory_leak: Parameter::new(false),
            fail_on_free: Parameter::new(false),
            max_block_size: Parameter::new(block),
            max_host_allocation: Parameter::new(None),
            max_device_allocation: Parameter::new(None),
            max_system_allocation: Parameter::new(system),
            ..Default::default()
        }
    }

    #[test]
    fn memory_is_aligned_and_counted() {
        let allocator = allocator(None, Some(300));
        let first = allocator.allocate(200, StorageType::SYSTEM).unwrap();
        assert_eq!(first.addr() % ALIGNMENT, 0);
        assert!(!allocator.is_available(200));
        let error = allocator.allocate(200, StorageType::SYSTEM).unwrap_err();
        assert_eq!(error.code(), ResultCode::OUT_OF_MEMORY);
        allocator.free(first).unwrap();
        assert!(allocator.free(first).is_err(), "a second free is noticed");
        assert!(allocator.is_available(200));
    }

    #[test]
    fn limits_hold_for_single_blocks() {
        let allocator = allocator(Some(10), None);
        assert!(allocator.allocate(11, StorageType::HOST).is_err());
        assert!(allocator.allocate(u64::MAX, StorageType::HOST).is_err());
        assert!(allocator.allocate(10, StorageType::DEVICE).is_err());
        let empty = allocator.allocate(0, StorageType::HOST).unwrap();
        let other = allocator.allocate(0, StorageType::HOST).unwrap();
        assert_ne!(empty, other);
    }
}
