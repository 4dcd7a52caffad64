//! Copies of device memory on the host.

use crate::device::Device;
use crate::region::PinnedRegion;
use gxf::{MemoryBuffer, Result, ResultCode, StorageType};

/// A copy of device memory in pinned host memory. The thread waits for the work on the memory and for
/// the copy.
///
/// # Errors
/// `OUT_OF_MEMORY`, or another error of the driver.
pub fn host_copy(memory: &MemoryBuffer) -> Result<MemoryBuffer> {
    let size = memory.size();
    let bytes = usize::try_from(size).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
    let stream = Device::get(memory.device())?.new_stream()?;
    let region = PinnedRegion::new(bytes)?;
    let start = region.start().as_ptr();
    // SAFETY: the region has this size and is zeroed, and lives until the release.
    let mut copy =
        unsafe { MemoryBuffer::wrap(start, size, StorageType::HOST, move |_| drop(region)) };
    stream.enqueue(|work| work.copy(memory, &mut copy, size))?;
    Ok(copy)
}
