//! A piece of memory from the operating system or CUDA's driver.

#![expect(unsafe_code, reason = "allocators hand out raw memory")]

use super::pinned::{self, Driver};
use gxf::StorageType;
use memmap2::MmapMut;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Alignment of larger pieces: a page.
pub(super) const PAGE: usize = 4096;
/// Alignment of small pieces, which suits vector instructions and caches.
const SMALL_ALIGNMENT: usize = 64;
/// Pieces of this size or more come directly from the operating system, in huge pages if possible:
/// that takes a third of the time to fill such a piece for the first time.
pub(super) const LARGE: usize = 2 * 1024 * 1024;

/// Memory that is freed on drop.
pub(super) struct Region(Memory);

enum Memory {
    Small { start: NonNull<u8>, layout: Layout },
    Large(MmapMut),
    Pinned { start: NonNull<u8>, size: usize, driver: &'static Driver },
}

// SAFETY: a region owns its memory and never accesses it.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Allocates at least one byte, aligned to a page if the size is a page or more, otherwise to
    /// 64 bytes. The memory is zeroed, so reading unwritten memory is no mistake. Host memory is
    /// pinned if CUDA is available. `None` if no memory is left.
    pub fn new(size: usize, storage: StorageType) -> Option<Self> {
        if let Some(driver) = pinned::driver_for(storage) {
            let size = size.max(1);
            let start = driver.allocate(size)?;
            // SAFETY: the memory has this size and no other users.
            unsafe { start.write_bytes(0, size) };
            return Some(Self(Memory::Pinned { start, size, driver }));
        }
        if size >= LARGE {
            // The memory is not touched, so unused memory costs nothing, whatever its size.
            let memory = MmapMut::map_anon(size).ok()?;
            // If this fails, ordinary pages work too.
            #[cfg(all(target_os = "linux", not(miri)))]
            let _ = memory.advise(memmap2::Advice::HugePage);
            return Some(Self(Memory::Large(memory)));
        }
        let size = size.max(1);
        let alignment = if size >= PAGE { PAGE } else { SMALL_ALIGNMENT };
        let layout = Layout::from_size_align(size, alignment).ok()?;
        // SAFETY: the layout's size is not 0.
        let start = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Self(Memory::Small { start, layout }))
    }

    /// The first byte.
    pub fn start(&self) -> NonNull<u8> {
        match &self.0 {
            Memory::Small { start, .. } | Memory::Pinned { start, .. } => *start,
            Memory::Large(memory) => NonNull::from(&**memory).cast(),
        }
    }

    /// Whether CUDA's driver pinned the memory.
    pub fn is_pinned(&self) -> bool {
        matches!(self.0, Memory::Pinned { .. })
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        match &self.0 {
            Memory::Small { layout, .. } => layout.size(),
            Memory::Large(memory) => memory.len(),
            Memory::Pinned { size, .. } => *size,
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        match self.0 {
            // SAFETY: `new` allocated it with this layout, and this value is its only owner.
            Memory::Small { start, layout } => unsafe {
                std::alloc::dealloc(start.as_ptr(), layout);
            },
            // SAFETY: `new` allocated it, and this value is its only owner.
            Memory::Pinned { start, driver, .. } => unsafe { driver.free(start) },
            Memory::Large(_) => {}
        }
    }
}
