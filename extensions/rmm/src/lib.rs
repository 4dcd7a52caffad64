//! GXF's RMMExtension: `RMMAllocator`, an allocator of device memory and of pinned host memory in the
//! order of streams. The pools are those of the crate `gxf-cuda`; RAPIDS' RMM is not used.
#![forbid(unsafe_code)]

use gxf::prelude::*;
use gxf::{AllocatorStatistics, ContextHandle, MemoryWaiters, RawStream};
use gxf_device::{
    Device, Fence, HostPool, INITIAL_POOL_SIZE, MemoryPool, Stream, pool_sizes, with_label,
};
use parking_lot::RwLock;
use std::sync::Arc;

/// Allocates device memory and pinned host memory in the order of a stream, each from a pool with a
/// limit. The device is that of the GPUDevice in the entity's group, or else the first one.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct RMMAllocator {
    /// Device memory that is reserved at the start; 16MB, or 8MB on 64-bit Arm.
    #[parameter(default = INITIAL_POOL_SIZE.to_owned())]
    device_memory_initial_size: Parameter<String>,
    /// Most device memory to hand out [default: twice `device_memory_initial_size`].
    device_memory_max_size: Parameter<Option<String>>,
    /// Another name of `device_memory_max_size`.
    device_max_memory_pool_size: Parameter<Option<String>>,
    /// Host memory that is reserved at the start; 16MB, or 8MB on 64-bit Arm.
    #[parameter(default = INITIAL_POOL_SIZE.to_owned())]
    host_memory_initial_size: Parameter<String>,
    /// Most host memory to hold [default: twice `host_memory_initial_size`].
    host_memory_max_size: Parameter<Option<String>>,
    /// Another name of `host_memory_max_size`.
    host_max_memory_pool_size: Parameter<Option<String>>,
    state: RwLock<State>,
    waiters: MemoryWaiters,
}

#[derive(Default)]
struct State {
    /// Absent before initialize and after deinitialize.
    open: Option<Open>,
    /// Of former runs, whose memory is still in use.
    closed: Vec<Pools>,
}

struct Open {
    pools: Pools,
    /// For device memory that no stream asks for.
    stream: Stream,
    context: ContextHandle,
}

#[derive(Clone)]
struct Pools {
    device: Arc<MemoryPool>,
    host: Arc<HostPool>,
}

impl Pools {
    fn is_in_use(&self) -> bool {
        self.device.statistics().used_bytes + self.host.statistics().used_bytes > 0
    }

    /// Frees memory of either pool behind the work on a stream; false if it belongs to neither.
    fn free(&self, pointer: *mut u8, stream: RawStream<'_>) -> Result<bool> {
        let device = self.device.device();
        if self.device.owns(pointer) {
            self.device.free(&Stream::adopt(device, stream), pointer)?;
        } else if self.host.owns(pointer) {
            // Any device uses host memory.
            let fence = Stream::adopt_any(device, stream)?.record_or_wait()?;
            self.host.free(pointer, fence)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The same for memory that nobody uses any more.
    fn free_now(&self, pointer: *mut u8, stream: &Stream) -> Result<bool> {
        if self.device.owns(pointer) {
            self.device.free_now(stream, pointer)?;
        } else if self.host.owns(pointer) {
            self.host.free(pointer, Fence::default())?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

impl RMMAllocator {
    fn device_sizes(&self) -> Result<(u64, u64)> {
        let initial = &self.device_memory_initial_size;
        let limit = self.device_memory_max_size.as_deref();
        pool_sizes("device", initial, limit, self.device_max_memory_pool_size.as_deref())
    }

    fn host_sizes(&self) -> Result<(u64, u64)> {
        let initial = &self.host_memory_initial_size;
        let limit = self.host_memory_max_size.as_deref();
        pool_sizes("host", initial, limit, self.host_max_memory_pool_size.as_deref())
    }

    fn take(
        &self,
        size: u64,
        storage: StorageType,
        stream: Option<RawStream<'_>>,
    ) -> Result<*mut u8> {
        let state = self.state.read();
        let open = state.open.as_ref().ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the allocator hands out memory only between initialize and deinitialize",
            )
        })?;
        let device = open.pools.device.device();
        let stream = stream.map(|stream| Stream::adopt(device, stream));
        let allocated = match (storage, &stream) {
            (StorageType::HOST, stream) => open.pools.host.allocate(stream.as_ref(), size),
            (StorageType::DEVICE, Some(stream)) => open.pools.device.allocate(stream, size),
            (StorageType::DEVICE, None) => open.pools.device.allocate_now(&open.stream, size),
            _ => Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "memory of storage type {} was requested, and an RMMAllocator has only 0, host, \
                     and 1, device memory",
                    storage.0
                ),
            )),
        };
        allocated.map_err(|error| {
            self.waiters.may_wait();
            with_label(error, "RMMAllocator", &open.context)
        })
    }

    fn give_back(&self, pointer: *mut u8, stream: Option<RawStream<'_>>) -> Result<()> {
        let state = self.state.read();
        let all = state.open.iter().map(|open| &open.pools).chain(&state.closed);
        for pools in all {
            let device = pools.device.device();
            let is_done = match (stream, &state.open) {
                (Some(stream), _) => pools.free(pointer, stream)?,
                (None, Some(open)) => pools.free_now(pointer, &open.stream)?,
                (None, None) => pools.free_now(pointer, &device.new_stream()?)?,
            };
            if is_done {
                if let Some(open) = &state.open {
                    self.waiters.notify(&open.context);
                }
                return Ok(());
            }
        }
        Err(Error::new(
            ResultCode::ARGUMENT_INVALID,
            "the freed memory does not come from this allocator, or is already free",
        ))
    }
}

impl Lifecycle for RMMAllocator {
    fn check_parameters(&self) -> Result<()> {
        self.device_sizes()?;
        self.host_sizes().map(drop)
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let device = Device::get(context.gpu_device().unwrap_or(0))?;
        let (initial, limit) = self.device_sizes()?;
        let pool = MemoryPool::new(device, initial, limit, u64::MAX)?;
        let (initial, limit) = self.host_sizes()?;
        let host = HostPool::new(initial, limit)?;
        let pools = Pools { device: Arc::new(pool), host: Arc::new(host) };
        let stream = device.new_stream()?;
        self.state.write().open = Some(Open { pools, stream, context: context.handle() });
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let mut state = self.state.write();
        state.closed.retain(Pools::is_in_use);
        if let Some(open) = state.open.take()
            && open.pools.is_in_use()
        {
            state.closed.push(open.pools);
        }
        Ok(())
    }
}

impl implement::Allocator for RMMAllocator {
    /// Whether each of the two pools has room that can have it at all: nobody says which one is asked.
    fn is_available(&self, size: u64) -> bool {
        let state = self.state.read();
        let Some(Pools { device, host }) = state.open.as_ref().map(|open| &open.pools) else {
            return false;
        };
        self.waiters.is_available(|| {
            let rooms =
                [(device.limit(), device.has_room(size)), (host.limit(), host.has_room(size))];
            let mut able = rooms.into_iter().filter(|(limit, _)| size <= *limit).peekable();
            able.peek().is_some() && able.all(|(_, has_room)| has_room)
        })
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        self.take(size, storage, None)
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        self.give_back(pointer, None)
    }

    fn block_size(&self) -> u64 {
        1
    }

    fn statistics(&self) -> AllocatorStatistics {
        self.waiters.may_wait();
        let state = self.state.read();
        let Some(open) = &state.open else { return AllocatorStatistics::default() };
        let (device, host) = (open.pools.device.statistics(), open.pools.host.statistics());
        AllocatorStatistics {
            used_bytes: device.used_bytes + host.used_bytes,
            peak_bytes: device.peak_bytes + host.peak_bytes,
            allocation_count: device.allocation_count + host.allocation_count,
        }
    }
}

impl implement::CudaAllocator for RMMAllocator {
    fn allocate_async(
        &self,
        size: u64,
        storage: StorageType,
        stream: RawStream<'_>,
    ) -> Result<*mut u8> {
        self.take(size, storage, Some(stream))
    }

    fn free_async(&self, pointer: *mut u8, stream: RawStream<'_>) -> Result<()> {
        self.give_back(pointer, Some(stream))
    }

    fn pool_size(&self, storage: StorageType) -> u64 {
        let state = self.state.read();
        let Some(open) = &state.open else { return 0 };
        match storage {
            StorageType::DEVICE => open.pools.device.reserved().unwrap_or(0),
            StorageType::HOST => open.pools.host.reserved(),
            _ => 0,
        }
    }

    fn device(&self) -> i32 {
        self.state.read().open.as_ref().map_or(0, |open| open.pools.device.device().ordinal())
    }
}

gxf::gxf_ext_factory! {
    id: 0x45fa20021f8311ef, 0xa380ef5f83754f84;
    name: "RMMExtension";
    version: "0.0.1";
    description: "Device and host memory in the order of streams";
    license: "Apache-2.0";
    display_name: "RMM";
    category: "CUDA";
    brief: "Device and host memory in the order of streams";
    components: [
        RMMAllocator: CudaAllocator + Allocator {
            id: 0x5a8ac4c21f8311ef, 0x8859d710d3299dfa;
            name: "nvidia::gxf::RMMAllocator";
        },
    ];
}
