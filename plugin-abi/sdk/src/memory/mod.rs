//! Memory of tensors and frames; `owners.rs` has the ways to release it, `vec_pool.rs` vectors that
//! are used again, `waiters.rs` whether anybody waits for memory of an allocator.

mod owners;
mod vec_pool;
mod waiters;

pub use vec_pool::VecPool;
pub use waiters::MemoryWaiters;

use crate::host::check;
use crate::{Allocator, Error, Handle, Message, Result, ResultCode, StorageType, abi};
use core::ptr::null_mut;
use owners::Ownership;
use std::sync::atomic::{Ordering, fence};

/// A piece of memory. Dropping it releases the memory, on any thread.
///
/// New memory is not cleared. Memory from an allocator keeps its allocator alive and needs no heap
/// allocation of its own.
#[repr(transparent)]
pub struct MemoryBuffer {
    raw: abi::MemoryBuffer,
}

// SAFETY: owners must accept a release from any thread, and the functions below return `&mut` to
// the bytes only for a sole owner.
unsafe impl Send for MemoryBuffer {}
// SAFETY: as above.
unsafe impl Sync for MemoryBuffer {}

impl Default for MemoryBuffer {
    fn default() -> Self {
        Self {
            raw: abi::MemoryBuffer {
                pointer: null_mut(),
                size: 0,
                storage_type: StorageType::HOST,
                flags: 0,
                owner: core::ptr::null(),
                words: [null_mut(); 3],
            },
        }
    }
}

impl MemoryBuffer {
    /// Takes ownership of memory in its ABI form.
    ///
    /// # Safety
    /// `raw` must be valid as [`abi::MemoryBuffer`] describes, and must not be used again.
    #[must_use]
    pub unsafe fn from_raw(raw: abi::MemoryBuffer) -> Self {
        Self { raw }
    }

    /// Transfers the ownership to the caller.
    #[must_use]
    pub fn into_raw(self) -> abi::MemoryBuffer {
        let this = core::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is neither used again nor dropped.
        unsafe { core::ptr::read(&raw const this.raw) }
    }

    /// The ABI form, which this value goes on to own.
    #[must_use]
    pub fn as_raw(&self) -> &abi::MemoryBuffer {
        &self.raw
    }

    /// Number of the device that device memory is on.
    #[must_use]
    pub fn device(&self) -> i32 {
        (self.raw.flags >> abi::MEMORY_DEVICE_SHIFT).cast_signed()
    }

    /// Says which device device memory is on.
    pub fn set_device(&mut self, device: u8) {
        let others = self.raw.flags & ((1 << abi::MEMORY_DEVICE_SHIFT) - 1);
        self.raw.flags = others | u32::from(device) << abi::MEMORY_DEVICE_SHIFT;
    }

    /// Allocates memory, which keeps its allocator alive.
    pub fn allocate(
        allocator: &Handle<Allocator>,
        size: u64,
        storage: StorageType,
    ) -> Result<Self> {
        let pointer = allocator.allocate(size, storage)?;
        if pointer.is_null() {
            return Err(Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!("the allocator has no {size} bytes"),
            ));
        }
        Ok(Self::owned(pointer, size, storage, Ownership::of_allocator(allocator)))
    }

    /// Takes ownership of a vector's memory.
    #[must_use]
    pub fn from_vec<T: crate::Element>(values: Vec<T>) -> Self {
        let mut values = core::mem::ManuallyDrop::new(values);
        let size = size_of_val(values.as_slice()) as u64;
        let owner = Ownership::of_vec(&mut values);
        Self::owned(values.as_mut_ptr().cast(), size, StorageType::SYSTEM, owner)
    }

    /// Wraps foreign memory. `release` is called once, on any thread, when the memory has no users
    /// left.
    ///
    /// # Safety
    /// `pointer` must point to `size` initialised bytes of storage type `storage`, with no other
    /// users until `release` is called. Host and system memory must be readable and writable.
    pub unsafe fn wrap<R: FnOnce(*mut u8) + Send + 'static>(
        pointer: *mut u8,
        size: u64,
        storage: StorageType,
        release: R,
    ) -> Self {
        Self::owned(pointer, size, storage, Ownership::of_function(release))
    }

    /// Memory inside a payload of a message, read only. It keeps the message alive.
    pub(crate) fn of_message(message: &Message, part: &Self) -> Self {
        let abi::MemoryBuffer { pointer, size, storage_type, flags, .. } = part.raw;
        let mut memory = Self::owned(pointer, size, storage_type, Ownership::of_message(message));
        memory.raw.flags = flags | abi::MEMORY_READ_ONLY;
        memory
    }

    fn owned(pointer: *mut u8, size: u64, storage_type: StorageType, owner: Ownership) -> Self {
        let Ownership { table: owner, words } = owner;
        Self { raw: abi::MemoryBuffer { pointer, size, storage_type, flags: 0, owner, words } }
    }

    /// First byte; null if there is no memory. May be a device address, see `storage_type`.
    #[must_use]
    pub fn pointer(&self) -> *mut u8 {
        self.raw.pointer
    }

    /// Size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.raw.size
    }

    /// Kind of memory.
    #[must_use]
    pub fn storage_type(&self) -> StorageType {
        self.raw.storage_type
    }

    /// Whether the memory is read only.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.raw.flags & abi::MEMORY_READ_ONLY != 0
    }

    /// Makes the memory read only for users of this value.
    pub fn set_read_only(&mut self) {
        self.raw.flags |= abi::MEMORY_READ_ONLY;
    }

    /// Storage type to write into a recording: the type in the recording that the memory was read
    /// from, if it was; otherwise its own.
    #[must_use]
    pub fn recorded_storage_type(&self) -> StorageType {
        match self.raw.flags & abi::MEMORY_RECORDED_ON_DEVICE {
            0 => self.storage_type(),
            _ => StorageType::DEVICE,
        }
    }

    /// Notes that this memory replaces device memory.
    pub(crate) fn set_recorded_on_device(&mut self) {
        self.raw.flags |= abi::MEMORY_RECORDED_ON_DEVICE;
    }

    /// Whether the memory has other owners.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let Some(owner) = self.owner() else { return false };
        match (owner.retain, owner.owner_count) {
            (None, _) => false,
            // An owner that shares but does not count may be shared.
            (Some(_), None) => true,
            (Some(_), Some(owner_count)) => {
                // SAFETY: the words belong to this owner.
                let shared = unsafe { owner_count(self.raw.words.as_ptr()) } != 1;
                // Pairs with the Release of former owners, so that their reads are over.
                fence(Ordering::Acquire);
                shared
            }
        }
    }

    /// The bytes of host or system memory.
    pub fn bytes(&self) -> Result<&[u8]> {
        let size = self.reachable_size()?;
        if size == 0 {
            return Ok(&[]);
        }
        // SAFETY: this value owns `size` bytes there, which are not written while it is borrowed.
        Ok(unsafe { core::slice::from_raw_parts(self.raw.pointer, size) })
    }

    /// The bytes of host or system memory, for writing. Fails if the memory has other owners or is
    /// read only.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        let size = self.reachable_size()?;
        if self.is_read_only() {
            return Err(Error::new(
                ResultCode::CONTRACT_INVALID_SEQUENCE,
                "the memory is read only; copy it to change it",
            ));
        }
        if self.is_shared() {
            return Err(Error::new(
                ResultCode::CONTRACT_INVALID_SEQUENCE,
                "memory that others use as well cannot be changed; copy it",
            ));
        }
        if size == 0 {
            return Ok(&mut []);
        }
        // SAFETY: this value is the sole owner of `size` bytes there, and is borrowed mutably.
        Ok(unsafe { core::slice::from_raw_parts_mut(self.raw.pointer, size) })
    }

    /// Creates a second owner of the same memory. Shared memory cannot be changed.
    pub fn share(&mut self) -> Self {
        self.make_shareable();
        let raw = &self.raw;
        if let Some(retain) = self.owner().and_then(|owner| owner.retain) {
            // SAFETY: the words belong to this owner; the copy below owns the new reference.
            unsafe { retain(raw.words.as_ptr()) };
        }
        Self { raw: abi::MemoryBuffer { ..*raw } }
    }

    /// The part of the memory that starts at `offset` and has `size` bytes.
    pub fn narrow(mut self, offset: u64, size: u64) -> Result<Self> {
        let end = offset.checked_add(size).filter(|end| *end <= self.raw.size);
        let (Some(_), Ok(distance)) = (end, usize::try_from(offset)) else {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("{size} bytes from {offset} on reach beyond {} bytes", self.raw.size),
            ));
        };
        // An owner that cannot share may need the original pointer to release the memory.
        if distance > 0 {
            self.make_shareable();
        }
        self.raw.pointer = self.raw.pointer.wrapping_add(distance);
        self.raw.size = size;
        Ok(self)
    }

    fn owner(&self) -> Option<&'static abi::MemoryOwnerVtable> {
        // SAFETY: null, or a constant table of a library that stays loaded.
        unsafe { self.raw.owner.as_ref() }
    }

    fn make_shareable(&mut self) {
        if self.owner().is_some_and(|owner| owner.retain.is_some()) {
            return;
        }
        let raw = abi::MemoryBuffer { ..self.raw };
        // The old value lives on inside the shared owner; these fields are plain data.
        let Ownership { table, words } = Ownership::shared(Self { raw });
        (self.raw.owner, self.raw.words) = (table, words);
    }

    /// Size of memory that ordinary code can access.
    fn reachable_size(&self) -> Result<usize> {
        if self.raw.size == 0 {
            return Ok(0);
        }
        if !matches!(self.raw.storage_type, StorageType::HOST | StorageType::SYSTEM) {
            return Err(Error::new(
                ResultCode::MEMORY_INVALID_STORAGE_MODE,
                format!(
                    "memory of storage type {} cannot be reached from the CPU; copy it to host \
                     memory first",
                    self.raw.storage_type.0
                ),
            ));
        }
        if self.raw.pointer.is_null() {
            return Err(Error::new(ResultCode::NULL_POINTER, "the memory has no address"));
        }
        usize::try_from(self.raw.size)
            .ok()
            .filter(|size| isize::try_from(*size).is_ok())
            .ok_or_else(|| ResultCode::ARGUMENT_OUT_OF_RANGE.into())
    }
}

impl Drop for MemoryBuffer {
    fn drop(&mut self) {
        let Some(owner) = self.owner() else { return };
        // SAFETY: this value is one ownership, which ends here.
        let code =
            unsafe { (owner.release)(self.raw.words.as_ptr(), self.raw.pointer, self.raw.size) };
        if let Err(error) = check_release(code) {
            crate::error!("memory of {} bytes is lost: {error}", self.raw.size);
        }
    }
}

/// Like [`check`], but without a host call on success.
#[inline]
fn check_release(code: ResultCode) -> Result<()> {
    if code.is_success() { Ok(()) } else { check(code) }
}

impl core::fmt::Debug for MemoryBuffer {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let kind = storage_name(self.raw.storage_type);
        write!(formatter, "{} bytes of {kind} memory", self.raw.size)
    }
}

/// Common name of a storage type.
pub(crate) fn storage_name(storage: StorageType) -> &'static str {
    match storage {
        StorageType::HOST => "host",
        StorageType::DEVICE => "device",
        StorageType::SYSTEM => "system",
        StorageType::CUDA_MANAGED => "managed",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    /// Memory that counts its releases.
    fn counted(returned: &Arc<AtomicUsize>, size: usize) -> MemoryBuffer {
        let memory = Box::into_raw(vec![7u8; size].into_boxed_slice());
        let (start, returned) = (memory.cast::<u8>(), returned.clone());
        let release = move |pointer: *mut u8| {
            let memory = core::ptr::slice_from_raw_parts_mut(pointer, size);
            // SAFETY: the box from above, freed once.
            drop(unsafe { Box::from_raw(memory) });
            returned.fetch_add(1, Ordering::Relaxed);
        };
        // SAFETY: the box lives until `release`.
        unsafe { MemoryBuffer::wrap(start, size as u64, StorageType::SYSTEM, release) }
    }

    #[test]
    fn memory_is_given_back_once_by_its_last_owner() {
        let returned = Arc::new(AtomicUsize::new(0));
        let mut memory = counted(&returned, 100);
        memory.bytes_mut().unwrap()[99] = 1;
        let other = memory.share();
        let part = other.narrow(90, 10).unwrap();
        assert!(memory.is_shared());
        assert_eq!(memory.bytes_mut().unwrap_err().code(), ResultCode::CONTRACT_INVALID_SEQUENCE);
        drop(memory);
        assert_eq!(part.bytes().unwrap(), [7, 7, 7, 7, 7, 7, 7, 7, 7, 1]);
        let mut part = part;
        part.bytes_mut().unwrap()[0] = 2;
        assert_eq!(returned.load(Ordering::Relaxed), 0);
        std::thread::spawn(move || drop(part)).join().unwrap();
        assert_eq!(returned.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn parts_beyond_the_end_are_refused() {
        let returned = Arc::new(AtomicUsize::new(0));
        for (offset, size) in [(0, 11), (11, 0), (5, 6), (u64::MAX, 2), (2, u64::MAX)] {
            let refused = counted(&returned, 10).narrow(offset, size);
            assert_eq!(refused.unwrap_err().code(), ResultCode::ARGUMENT_OUT_OF_RANGE);
        }
        assert_eq!(counted(&returned, 10).narrow(10, 0).unwrap().bytes().unwrap(), []);
        assert_eq!(returned.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn device_memory_has_no_bytes_here() {
        // SAFETY: the memory is never accessed, and its release does nothing.
        let memory = unsafe {
            MemoryBuffer::wrap(core::ptr::dangling_mut(), 4, StorageType::DEVICE, |_| ())
        };
        assert_eq!(memory.bytes().unwrap_err().code(), ResultCode::MEMORY_INVALID_STORAGE_MODE);
    }

    #[test]
    fn read_only_memory_is_not_changed() {
        let mut memory = MemoryBuffer::from_vec(vec![1u16, 2]);
        memory.bytes_mut().unwrap();
        memory.set_read_only();
        assert!(memory.share().bytes_mut().is_err());
        assert_eq!(memory.size(), 4);
    }
}
