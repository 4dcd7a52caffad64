//! Device memory by way of the host.

use crate::buffer::DeviceAllocator;
use crate::device::Device;
use crate::fence::Fence;
use crate::free_regions::FreeRegions;
use crate::region::PinnedRegion;
use crate::stream::Stream;
use gxf::{MemoryBuffer, Result, ResultCode, StorageType};
use parking_lot::Mutex;
use std::sync::Arc;

/// Most pieces of pinned memory to keep, and most bytes of all of them. To allocate and to free such
/// memory costs more than most copies, and makes the device wait; too much of it slows the host.
const KEPT_PIECES: usize = 16;
const KEPT_BYTES: usize = 256 << 20;

/// Pinned host memory and streams for copies between device and host, kept for the next copies. They
/// go back to the driver with the last owner of this value and of its memory.
#[derive(Clone, Default)]
pub struct Staging(Arc<Kept>);

#[derive(Default)]
struct Kept {
    free: Mutex<FreeRegions>,
    /// Streams that no copy uses.
    streams: Mutex<Vec<Stream>>,
}

impl Staging {
    /// Host memory that comes back here when its last owner is dropped. It has any content.
    fn pinned(&self, size: u64) -> Result<MemoryBuffer> {
        let bytes = usize::try_from(size).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let kept = self.0.free.lock().take(bytes);
        let region = match kept {
            // No work is left on it: see below.
            Some(region) => region,
            None => PinnedRegion::new(bytes)?,
        };
        let start = region.start().as_ptr();
        let staging = self.clone();
        // Owners drop it after the work on it.
        let release = move |_| staging.take_back(region);
        // SAFETY: the region has at least this size and is initialised, and lives until the release.
        Ok(unsafe { MemoryBuffer::wrap(start, size, StorageType::HOST, release) })
    }

    fn take_back(&self, region: PinnedRegion) {
        let mut free = self.0.free.lock();
        free.put(region);
        while free.count() > KEPT_PIECES || free.bytes() > KEPT_BYTES {
            let oldest = free.take_oldest();
            // The driver may take its time.
            drop(free);
            drop(oldest);
            free = self.0.free.lock();
        }
    }

    /// Gives back what no copy uses now.
    pub fn clear(&self) {
        drop(std::mem::take(&mut *self.0.free.lock()));
        drop(std::mem::take(&mut *self.0.streams.lock()));
    }

    /// Calls a function with a stream of the device that no other copy uses.
    fn on_stream<T>(&self, device: i32, copy: impl FnOnce(&Stream) -> Result<T>) -> Result<T> {
        let kept = {
            let mut streams = self.0.streams.lock();
            let place = streams.iter().position(|kept| kept.device().ordinal() == device);
            place.map(|place| streams.swap_remove(place))
        };
        let stream = match kept {
            Some(stream) => stream,
            None => Device::get(device)?.new_stream()?,
        };
        let copied = copy(&stream)?;
        self.0.streams.lock().push(stream);
        Ok(copied)
    }

    /// A copy of device memory in pinned host memory. The thread waits for the work on the memory and
    /// for the copy.
    ///
    /// # Errors
    /// `OUT_OF_MEMORY`, or another error of the driver.
    pub fn host_copy(&self, memory: &MemoryBuffer) -> Result<MemoryBuffer> {
        let size = memory.size();
        let mut copy = self.pinned(size)?;
        self.on_stream(memory.device(), |stream| {
            stream.enqueue(|work| work.copy(memory, &mut copy, size))
        })?;
        Ok(copy)
    }

    /// Fills all of device memory by way of pinned host memory, which `fill` gets. The thread waits
    /// for the copy.
    ///
    /// # Errors
    /// That of `fill`; `OUT_OF_MEMORY`, or another error of the driver.
    pub fn fill_from_host(
        &self,
        memory: &mut MemoryBuffer,
        fill: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<()> {
        let size = memory.size();
        let mut content = self.pinned(size)?;
        fill(content.bytes_mut()?)?;
        self.on_stream(memory.device(), |stream| {
            stream.enqueue(|work| work.copy(&content, memory, size))
        })?;
        Ok(())
    }
}

/// Where device memory comes from whose content arrives on the host.
pub struct Arrivals {
    allocator: DeviceAllocator,
    staging: Staging,
    /// The stream of the copies; from the first one on.
    stream: Mutex<Option<Stream>>,
}

impl Arrivals {
    /// Memory of this allocator.
    #[must_use]
    pub fn new(allocator: DeviceAllocator) -> Self {
        Self { allocator, staging: Staging::default(), stream: Mutex::default() }
    }

    /// The host memory of the copies, for copies in the other direction, too.
    #[must_use]
    pub fn staging(&self) -> &Staging {
        &self.staging
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
        let host = self.staging.pinned(size)?;
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
