//! Memory straight from the driver.

use crate::device::Device;
use crate::error::call;
use cudarc::driver::sys::{CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr, CUmemAttach_flags};
use gxf::{Error, Result, ResultCode, StorageType};
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

/// Memory of a device, or memory that moves between host and device; freed on drop.
pub struct DeviceRegion {
    device: Device,
    address: CUdeviceptr,
    size: usize,
    storage: StorageType,
}

impl DeviceRegion {
    /// Allocates at least one byte: device memory, or managed memory. It is not cleared.
    ///
    /// # Errors
    /// `OUT_OF_MEMORY`, or another error of the driver.
    pub fn new(device: Device, size: usize, storage: StorageType) -> Result<Self> {
        let _entered = device.enter()?;
        let (mut address, size) = (0, size.max(1));
        // The pointer is valid.
        let allocated = if storage == StorageType::CUDA_MANAGED {
            let everywhere = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
            call!(cuMemAllocManaged(&raw mut address, size, everywhere))
        } else {
            call!(cuMemAlloc_v2(&raw mut address, size))
        };
        allocated.map_err(|error| device.with_free_memory(error, size))?;
        Ok(Self { device, address, size, storage })
    }

    /// The first byte; an address of the device.
    #[must_use]
    pub fn start(&self) -> NonNull<u8> {
        let start = std::ptr::with_exposed_provenance_mut(self.address as usize);
        NonNull::new(start).unwrap_or(NonNull::dangling())
    }

    /// Size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Kind of memory.
    #[must_use]
    pub fn storage(&self) -> StorageType {
        self.storage
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }
}

impl Drop for DeviceRegion {
    fn drop(&mut self) {
        // The memory has no users. The driver waits for the device's work on it. After a failure of
        // the device, the memory ends with the process.
        _ = self.device.enter().and_then(|_entered| call!(cuMemFree_v2(self.address)));
    }
}

/// Host memory that devices access directly ("pinned"); freed on drop.
pub struct PinnedRegion {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: the region owns its memory and never accesses it.
unsafe impl Send for PinnedRegion {}
// SAFETY: as above.
unsafe impl Sync for PinnedRegion {}

impl PinnedRegion {
    /// Whether host memory can be pinned here, which does not change: without a driver it cannot, nor if
    /// the first device has no memory left for this process, or another process has it for itself.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check() -> std::result::Result<(), &'static str> {
        static REASON: OnceLock<Option<String>> = OnceLock::new();
        let reason = REASON.get_or_init(|| {
            let entered = Device::get(0).and_then(|device| device.enter().map(drop));
            entered.err().map(|error| error.message().to_owned())
        });
        reason.as_deref().map_or(Ok(()), Err)
    }

    /// Allocates at least one byte, page-aligned and zeroed, so reading unwritten memory is no
    /// mistake.
    ///
    /// # Errors
    /// `OUT_OF_MEMORY`, or another error of the driver.
    pub fn new(size: usize) -> Result<Self> {
        let _entered = Device::get(0)?.enter()?;
        let (mut start, size) = (null_mut(), size.max(1));
        // The pointer is valid.
        let allocated = call!(cuMemHostAlloc(&raw mut start, size, CU_MEMHOSTALLOC_PORTABLE));
        allocated.map_err(|error| match error.code() {
            // What helps is not what helps a device.
            ResultCode::OUT_OF_MEMORY => {
                let (call, _) = error.message().split_once(':').unwrap_or((error.message(), ""));
                let text = format!("{call}: the host cannot pin {size} bytes; use smaller pools");
                Error::new(ResultCode::OUT_OF_MEMORY, text)
            }
            _ => error,
        })?;
        let start = NonNull::new(start.cast::<u8>()).ok_or(ResultCode::OUT_OF_MEMORY)?;
        // SAFETY: the memory has this size and no other users.
        unsafe { start.write_bytes(0, size) };
        Ok(Self { start, size })
    }

    /// The first byte.
    #[must_use]
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Drop for PinnedRegion {
    fn drop(&mut self) {
        // The memory has no users. While a process ends, the driver may refuse; its memory then ends
        // with the process.
        let start = self.start.as_ptr().cast();
        _ = Device::get(0).and_then(Device::enter).and_then(|_entered| call!(cuMemFreeHost(start)));
    }
}
