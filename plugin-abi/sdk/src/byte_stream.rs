//! Endpoints without raw pointers.

use crate::implement::{Endpoint, Lifecycle};
use crate::{Result, ResultCode, StorageType};

/// An endpoint that works on slices. In [`crate::gxf_ext_factory!`] it is an `Endpoint`.
pub trait ByteStream: Lifecycle + Sync {
    /// Whether writing is possible.
    fn is_writable(&self) -> bool;

    /// Whether reading is possible.
    fn is_readable(&self) -> bool;

    /// Writes some of the bytes and returns their number.
    fn write_bytes(&self, bytes: &[u8]) -> Result<usize>;

    /// Reads some bytes and returns their number, 0 at the end.
    fn read_bytes(&self, bytes: &mut [u8]) -> Result<usize>;
}

#[expect(clippy::not_unsafe_ptr_arg_deref, reason = "the ABI says what the pointers are")]
impl<S: ByteStream> Endpoint for S {
    fn is_write_available(&self) -> bool {
        self.is_writable()
    }

    fn is_read_available(&self) -> bool {
        self.is_readable()
    }

    fn write(&self, data: *const u8, size: usize) -> Result<usize> {
        if size == 0 {
            return Ok(0);
        }
        if data.is_null() {
            return Err(ResultCode::ARGUMENT_NULL.into());
        }
        // SAFETY: callers of the vtable pass `size` readable bytes.
        self.write_bytes(unsafe { core::slice::from_raw_parts(data, size) })
    }

    fn read(&self, data: *mut u8, size: usize) -> Result<usize> {
        if size == 0 {
            return Ok(0);
        }
        if data.is_null() {
            return Err(ResultCode::ARGUMENT_NULL.into());
        }
        // SAFETY: callers of the vtable pass `size` writable bytes.
        self.read_bytes(unsafe { core::slice::from_raw_parts_mut(data, size) })
    }

    fn write_pointer(&self, data: *const u8, size: usize, storage: StorageType) -> Result<()> {
        if storage == StorageType::DEVICE {
            return Err(ResultCode::MEMORY_INVALID_STORAGE_MODE.into());
        }
        let mut rest = 0;
        while rest < size {
            match self.write(data.wrapping_add(rest), size - rest)? {
                0 => return Err(crate::Error::failure("the endpoint takes no more bytes")),
                written => rest += written.min(size - rest),
            }
        }
        Ok(())
    }
}
