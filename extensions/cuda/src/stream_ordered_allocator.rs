//! `StreamOrderedAllocator`.

use gxf::prelude::*;
use gxf::{AllocatorStatistics, ContextHandle, MemoryWaiters, RawStream};
use gxf_device::{
    Device, INITIAL_POOL_SIZE, MemoryPool, Stream, pool_sizes, size_or_zero_parameter, with_label,
};
use parking_lot::RwLock;
use std::sync::Arc;

/// The component in errors.
const NAME: &str = "StreamOrderedAllocator";

/// Allocates and frees device memory in the order of a stream, from a pool of the driver with a limit.
/// The device is that of the GPUDevice in the entity's group, or else the first one.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct StreamOrderedAllocator {
    /// Unused memory beyond this size goes back to the device when a stream is waited for; with `0B` all
    /// of it.
    #[parameter(default = "4MB")]
    release_threshold: Parameter<String>,
    /// Memory that the pool reserves at the start; 16MB, or 8MB on 64-bit Arm.
    #[parameter(default = INITIAL_POOL_SIZE.to_owned())]
    device_memory_initial_size: Parameter<String>,
    /// Most memory to hand out [default: twice `device_memory_initial_size`].
    device_memory_max_size: Parameter<Option<String>>,
    /// Another name of `device_memory_max_size`.
    device_max_memory_pool_size: Parameter<Option<String>>,
    state: RwLock<State>,
    waiters: MemoryWaiters,
}

#[derive(Default)]
struct State {
    /// Absent before initialize and after deinitialize.
    open: Option<Open>,
    /// Of former runs, whose memory is still in use.
    closed: Vec<Arc<MemoryPool>>,
}

struct Open {
    pool: Arc<MemoryPool>,
    /// For memory that no stream asks for.
    stream: Stream,
    context: ContextHandle,
}

/// The sizes of a pool.
struct Sizes {
    threshold: u64,
    initial: u64,
    limit: u64,
}

impl StreamOrderedAllocator {
    fn sizes(&self) -> Result<Sizes> {
        let initial = &self.device_memory_initial_size;
        let limit = self.device_memory_max_size.as_deref();
        let other = self.device_max_memory_pool_size.as_deref();
        let (initial, limit) = pool_sizes("device", initial, limit, other)?;
        let threshold = size_or_zero_parameter("release_threshold", &self.release_threshold)?;
        Ok(Sizes { threshold, initial, limit })
    }

    /// What an allocation came to, for whoever asked for it.
    fn ended(&self, open: &Open, allocated: Result<*mut u8>) -> Result<*mut u8> {
        allocated.map_err(|error| {
            self.waiters.may_wait();
            with_label(error, NAME, &open.context)
        })
    }

    /// Does something with the pool that memory belongs to.
    fn free_with(
        &self,
        pointer: *mut u8,
        free: impl Fn(&MemoryPool, Option<&Stream>) -> Result<()>,
    ) -> Result<()> {
        let state = self.state.read();
        if let Some(open) = &state.open
            && open.pool.owns(pointer)
        {
            free(&open.pool, Some(&open.stream))?;
            self.waiters.notify(&open.context);
            return Ok(());
        }
        match state.closed.iter().find(|pool| pool.owns(pointer)) {
            Some(pool) => free(pool, None),
            None => Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the freed memory does not come from this allocator, or is already free",
            )),
        }
    }
}

fn require_device(storage: StorageType) -> Result<()> {
    if storage == StorageType::DEVICE {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::ARGUMENT_INVALID,
        format!(
            "memory of storage type {} was requested, and a StreamOrderedAllocator has only 1, \
             device memory",
            storage.0
        ),
    ))
}

fn not_initialized() -> Error {
    Error::new(
        ResultCode::INVALID_LIFECYCLE_STAGE,
        "the allocator hands out memory only between initialize and deinitialize",
    )
}

impl Lifecycle for StreamOrderedAllocator {
    fn check_parameters(&self) -> Result<()> {
        self.sizes().map(drop)
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let Sizes { threshold, initial, limit } = self.sizes()?;
        let device = Device::get(context.gpu_device().unwrap_or(0))?;
        let pool = Arc::new(MemoryPool::new(device, initial, limit, threshold)?);
        let open = Open { pool, stream: device.new_stream()?, context: context.handle() };
        self.state.write().open = Some(open);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let mut state = self.state.write();
        state.closed.retain(|pool| pool.statistics().used_bytes > 0);
        if let Some(open) = state.open.take()
            && open.pool.statistics().used_bytes > 0
        {
            state.closed.push(open.pool);
        }
        Ok(())
    }
}

impl implement::Allocator for StreamOrderedAllocator {
    fn is_available(&self, size: u64) -> bool {
        let state = self.state.read();
        let open = state.open.as_ref();
        open.is_some_and(|open| self.waiters.is_available(|| open.pool.has_room(size)))
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        require_device(storage)?;
        let state = self.state.read();
        let open = state.open.as_ref().ok_or_else(not_initialized)?;
        self.ended(open, open.pool.allocate_now(&open.stream, size))
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        self.free_with(pointer, |pool, stream| match stream {
            Some(stream) => pool.free_now(stream, pointer),
            None => pool.free_now(&pool.device().new_stream()?, pointer),
        })
    }

    fn block_size(&self) -> u64 {
        1
    }

    fn statistics(&self) -> AllocatorStatistics {
        self.waiters.may_wait();
        let state = self.state.read();
        state.open.as_ref().map(|open| open.pool.statistics()).unwrap_or_default()
    }
}

impl implement::CudaAllocator for StreamOrderedAllocator {
    fn allocate_async(
        &self,
        size: u64,
        storage: StorageType,
        stream: RawStream<'_>,
    ) -> Result<*mut u8> {
        require_device(storage)?;
        let state = self.state.read();
        let open = state.open.as_ref().ok_or_else(not_initialized)?;
        let stream = Stream::adopt(open.pool.device(), stream);
        self.ended(open, open.pool.allocate(&stream, size))
    }

    fn free_async(&self, pointer: *mut u8, stream: RawStream<'_>) -> Result<()> {
        self.free_with(pointer, |pool, _| pool.free(&Stream::adopt(pool.device(), stream), pointer))
    }

    fn pool_size(&self, storage: StorageType) -> u64 {
        let state = self.state.read();
        let open = state.open.as_ref().filter(|_| storage == StorageType::DEVICE);
        open.and_then(|open| open.pool.reserved().ok()).unwrap_or(0)
    }

    fn device(&self) -> i32 {
        self.state.read().open.as_ref().map_or(0, |open| open.pool.device().ordinal())
    }
}
