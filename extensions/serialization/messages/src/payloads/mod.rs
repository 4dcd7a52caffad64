//! Payloads in a stream, for component serializers: [`standard`] has those of GXF's standard
//! extension, [`multimedia`] those of its multimedia extension. `tensor.rs` has the layout of a
//! tensor, `fields.rs` records of numbers.

mod fields;
pub mod multimedia;
pub mod standard;
mod tensor;

use gxf::prelude::*;
use gxf::serialization::allocate_as_recorded;
use gxf::{Endpoint, MemoryBuffer, keep_until_sent, when_filled};
use gxf_device::{Arrivals, Staging, add_fence};

/// Where the memory of a tensor or frame goes.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// Behind its header, as in a recording. Device memory goes by way of this host memory.
    Inline(&'a Staging),
    /// Apart: the endpoint gets only its address, and sends or fills it without a copy. Device memory
    /// goes by way of pinned host memory; what arrives for a device comes from here.
    Apart(&'a Arrivals),
}

/// Whether memory is on a device, or moves there.
fn is_on_device(memory: &MemoryBuffer) -> bool {
    matches!(memory.storage_type(), StorageType::DEVICE | StorageType::CUDA_MANAGED)
}

impl<'a> Place<'a> {
    fn staging(self) -> &'a Staging {
        match self {
            Self::Inline(staging) => staging,
            Self::Apart(arrivals) => arrivals.staging(),
        }
    }

    /// What to state as the storage type of memory.
    fn storage_of(self, memory: &MemoryBuffer) -> StorageType {
        match self {
            _ if is_on_device(memory) => StorageType::DEVICE,
            Self::Inline(_) => memory.recorded_storage_type(),
            Self::Apart(_) => memory.storage_type(),
        }
    }

    /// Writes memory.
    fn write(self, bytes: &[u8], endpoint: &Endpoint) -> Result<()> {
        match self {
            Self::Inline(_) => endpoint.write_all(bytes),
            Self::Apart(_) => {
                endpoint.write_pointer(bytes.as_ptr(), bytes.len(), StorageType::HOST)
            }
        }
    }

    /// Writes the first bytes of memory that may be on a device: then a copy, for which the thread
    /// waits.
    fn write_memory(self, memory: &MemoryBuffer, size: usize, endpoint: &Endpoint) -> Result<()> {
        let short = || {
            let text = format!("{size} bytes are stated, and there are {}", memory.size());
            Error::new(ResultCode::INVALID_DATA_FORMAT, text)
        };
        if !is_on_device(memory) {
            return self.write(memory.bytes()?.get(..size).ok_or_else(short)?, endpoint);
        }
        let copy = self.staging().host_copy(memory)?;
        self.write(copy.bytes()?.get(..size).ok_or_else(short)?, endpoint)?;
        match self {
            Self::Inline(_) => Ok(()),
            Self::Apart(_) => keep_until_sent(copy),
        }
    }

    /// New memory for a payload that lay in memory of type `stated`, with its content. From a
    /// recording it is host memory where there is no device; what comes over a link for a device goes
    /// to one.
    fn read(
        self,
        endpoint: &Endpoint,
        allocator: &Handle<Allocator>,
        size: u64,
        stated: StorageType,
    ) -> Result<MemoryBuffer> {
        let arrivals = match self {
            Self::Apart(arrivals) if stated == StorageType::DEVICE && size > 0 => arrivals,
            _ => {
                let mut memory = allocate_as_recorded(allocator, size, stated)?;
                match self {
                    Self::Inline(staging) if is_on_device(&memory) => {
                        staging.fill_from_host(&mut memory, |bytes| endpoint.read_exact(bytes))?;
                    }
                    Self::Inline(_) => endpoint.read_exact(memory.bytes_mut()?)?,
                    Self::Apart(_) => {
                        let bytes = memory.bytes_mut()?;
                        let (pointer, size) = (bytes.as_mut_ptr(), bytes.len());
                        endpoint.write_pointer(pointer, size, StorageType::HOST)?;
                    }
                }
                return Ok(memory);
            }
        };
        let (memory, mut arrival) = arrivals.expect(size, stated).map_err(|error| {
            let text = format!(
                "it has {size} bytes of device memory, and there is none for them here ({}); give \
                 the component serializer an allocator of device memory, or let a TensorCopier copy \
                 the data to the host before it is sent",
                error.message()
            );
            Error::new(error.code(), text)
        })?;
        let bytes = arrival.bytes_mut()?;
        endpoint.write_pointer(bytes.as_mut_ptr(), bytes.len(), StorageType::HOST)?;
        when_filled(move |message| add_fence(message, arrival.complete()?))?;
        Ok(memory)
    }
}
