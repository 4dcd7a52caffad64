//! Device memory by way of the host.

use crate::buffer::DeviceAllocator;
use crate::device::Device;
use crate::fence::Fence;
use crate::region::PinnedRegion;
use crate::stream::Stream;
use gxf::{MemoryBuffer, Result, ResultCode, StorageType};
use parking_lot::Mutex;

/// Pinned host memory.
fn pinned(size: u64) -> Result<MemoryBuffer> {
    let bytes = usize::try_from(size).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
    let region = PinnedRegion::new(bytes)?;
    let start = region.start().as_ptr();
    // SAFETY: the region has this size and is zeroed, and lives until the release.
    Ok(unsafe { MemoryBuffer::wrap(start, size, StorageType::HOST, move |_| drop(region)) })
}

/// A copy of device memory in pinned host memory. The thread waits for the work on the memory and for
/// the copy.
///
/// # Errors
/// `OUT_OF_MEMORY`, or another error of the driver.
pub fn host_copy(memory: &MemoryBuffer) -> Result<MemoryBuffer> {
    let size = memory.size();
    let stream = Device::get(memory.device())?.new_stream()?;
    let mut copy = pinned(size)?;
    stream.enqueue(|work| work.copy(memory, &mut copy, size))?;
    Ok(copy)
}

/// Fills all of device memory by way of pinned host memory, which `fill` gets. The thread waits for the
/// copy.
///
/// # Errors
/// That of `fill`; `OUT_OF_MEMORY`, or another error of the driver.
pub fn fill_from_host(
    memory: &mut MemoryBuffer,
    fill: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let size = memory.size();
    let mut content = pinned(size)?;
    fill(content.bytes_mut()?)?;
    let stream = Device::get(memory.device())?.new_stream()?;
    stream.enqueue(|work| work.copy(&content, memory, size))?;
    Ok(())
}

/// Where device memory comes from whose content arrives on the host.
pub struct Arrivals {
    allocator: DeviceAllocator,
    /// The stream of the copies; from the first one on.
    stream: Mutex<Option<Stream>>,
}

impl Arrivals {
    /// Memory of this allocator.
    #[must_use]
    pub fn new(allocator: DeviceAllocator) -> Self {
        Self { allocator, stream: Mutex::default() }
    }

    /// New memory on the device, and what to fill in place of it.
    ///
    /// # Errors
    /// The allocator's, or the driver's.
    pub fn expect(&self, size: u64, storage: StorageType) -> Result<(MemoryBuffer, Arrival)> {
        let stream = {
            let mut stream = self.stream.lock();
            match &*stream {
                Some(stream) => stream.clone(),
                None => stream.insert(self.allocator.device()?.new_stream()?).clone(),
            }
        };
        let host = pinned(size)?;
        let mut memory = self.allocator.allocate(&stream, size, storage)?;
        let target = memory.share();
        Ok((memory, Arrival { host, target, stream }))
    }
}

/// Host memory to fill in place of device memory.
pub struct Arrival {
    host: MemoryBuffer,
    target: MemoryBuffer,
    stream: Stream,
}

impl Arrival {
    /// The memory to fill.
    ///
    /// # Errors
    /// None: it is host memory with one owner.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        self.host.bytes_mut()
    }

    /// Enqueues the copy to the device; the memory on the device is valid behind the fence.
    ///
    /// # Errors
    /// The driver's.
    pub fn complete(self) -> Result<Fence> {
        let Self { mut host, target, stream } = self;
        // With several owners the work keeps it alive, and no thread has to wait.
        drop(host.share());
        let ((), fence) = stream.enqueue(|work| work.upload(&host, &target))?;
        Ok(fence)
    }
}
