//! A piece of memory, of the operating system or of CUDA's driver.

use super::pinned::{self, Driver};
use gxf::StorageType;
use memmap2::MmapMut;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Larger pieces begin at a page.
pub(super) const PAGE: usize = 4096;
/// Small pieces begin at what vector instructions and caches like.
const SMALL_ALIGNMENT: usize = 64;
/// From here on pieces come from the operating system one by one, in huge pages where it has them:
/// to fill such a piece for the first time takes a third of the time.
pub(super) const LARGE: usize = 2 * 1024 * 1024;

/// Memory that is freed on drop.
pub(super) struct Region(Memory);

enum Memory {
    Small { start: NonNull<u8>, layout: Layout },
    Large(MmapMut),
    Pinned { start: NonNull<u8>, size: usize, driver: &'static Driver },
}

// SAFETY: a region owns its memory and does nothing with it.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Memory of at least one byte, aligned to a page from a page on, else to 64 bytes, all zero so
    /// that reading what nobody has written is no mistake. Host memory is pinned where CUDA is.
    /// `None` when there is none left.
    pub fn new(size: usize, storage: StorageType) -> Option<Self> {
        if let Some(driver) = pinned::driver_for(storage) {
            let size = size.max(1);
            let start = driver.allocate(size)?;
            // SAFETY: the memory has this size, and is nobody else's.
            unsafe { start.write_bytes(0, size) };
            return Some(Self(Memory::Pinned { start, size, driver }));
        }
        if size >= LARGE {
            // Nothing is touched, so that memory nobody uses costs nothing, whatever its size.
            let memory = MmapMut::map_anon(size).ok()?;
            // Ordinary pages do, too.
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

    /// Whether CUDA's driver pinned it.
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
            // SAFETY: allocated in `new` with this layout and owned by this value alone.
            Memory::Small { start, layout } => unsafe {
                std::alloc::dealloc(start.as_ptr(), layout);
            },
            // SAFETY: allocated in `new` and owned by this value alone.
            Memory::Pinned { start, driver, .. } => unsafe { driver.free(start) },
            Memory::Large(_) => {}
        }
    }
}
