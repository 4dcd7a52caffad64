//! A piece of memory from the operating system or CUDA's driver.

#![expect(unsafe_code, reason = "allocators hand out raw memory")]

use gxf::{Error, MemoryBuffer, Result, ResultCode, StorageType};
use gxf_device::{Device, DeviceRegion, PinnedRegion};
use memmap2::MmapMut;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Alignment of larger pieces: a page.
pub(super) const PAGE: usize = 4096;
/// Alignment of small pieces, which suits vector instructions and caches.
const SMALL_ALIGNMENT: usize = 64;
/// Pieces of this size or more come directly from the operating system, in huge pages if possible:
/// that takes a third of the time to fill such a piece for the first time.
const LARGE: usize = 2 * 1024 * 1024;

/// Memory that is freed on drop.
pub(super) struct Region(Memory);

/// What memory can replace other memory of the same size.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    System,
    Pinned,
    Device(i32, StorageType),
}

enum Memory {
    Small {
        start: NonNull<u8>,
        layout: Layout,
    },
    Large(MmapMut),
    Pinned(PinnedRegion),
    Device(DeviceRegion),
    /// That of a program.
    Given(MemoryBuffer),
}

// SAFETY: a region owns its memory and never accesses it.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Allocates at least one byte, aligned to a page if the size is a page or more, otherwise to
    /// 64 bytes. Memory of the CPU is zeroed, so reading unwritten memory is no mistake. Host memory
    /// is pinned if CUDA can do that here. Device and managed memory are on the device of this number.
    pub fn new(size: usize, storage: StorageType, device: i32) -> Result<Self> {
        match storage {
            StorageType::DEVICE | StorageType::CUDA_MANAGED => {
                let device = Device::get(device)?;
                return Ok(Self(Memory::Device(DeviceRegion::new(device, size, storage)?)));
            }
            StorageType::HOST if PinnedRegion::check().is_ok() => {
                return Ok(Self(Memory::Pinned(PinnedRegion::new(size)?)));
            }
            _ => {}
        }
        Self::of_system(size).ok_or_else(|| {
            let text = format!("the operating system has no {size} bytes left");
            Error::new(ResultCode::OUT_OF_MEMORY, text)
        })
    }

    /// Memory of a program; `None` if it has no address, or is not for writing.
    pub fn given(memory: MemoryBuffer) -> Option<Self> {
        NonNull::new(memory.pointer())?;
        (!memory.is_read_only()).then_some(Self(Memory::Given(memory)))
    }

    /// Ordinary memory. `None` if none is left.
    fn of_system(size: usize) -> Option<Self> {
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
            Memory::Small { start, .. } => *start,
            Memory::Pinned(region) => region.start(),
            Memory::Device(region) => region.start(),
            Memory::Given(memory) => NonNull::new(memory.pointer()).unwrap_or(NonNull::dangling()),
            Memory::Large(memory) => NonNull::from(&**memory).cast(),
        }
    }

    /// Copies the first bytes of memory that the CPU can read and nobody writes meanwhile.
    pub fn copy_first(&self, buffer: &mut [u8]) {
        let count = buffer.len().min(self.size());
        debug_assert!(!matches!(self.0, Memory::Device(_)), "the CPU cannot read it");
        // SAFETY: the region has that many initialised bytes, and the buffer is another memory.
        unsafe { self.start().as_ptr().copy_to_nonoverlapping(buffer.as_mut_ptr(), count) };
    }

    /// Kind of memory; pinned memory counts as host memory, all other memory of the CPU as system
    /// memory.
    pub fn kind(&self) -> Kind {
        match &self.0 {
            Memory::Small { .. } | Memory::Large(_) | Memory::Given(_) => Kind::System,
            Memory::Pinned(_) => Kind::Pinned,
            Memory::Device(region) => Kind::Device(region.device().ordinal(), region.storage()),
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        match &self.0 {
            Memory::Small { layout, .. } => layout.size(),
            Memory::Large(memory) => memory.len(),
            Memory::Pinned(region) => region.size(),
            Memory::Given(memory) => usize::try_from(memory.size()).unwrap_or(usize::MAX),
            Memory::Device(region) => region.size(),
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Memory::Small { start, layout } = self.0 {
            // SAFETY: `new` allocated it with this layout, and this value is its only owner.
            unsafe { std::alloc::dealloc(start.as_ptr(), layout) };
        }
    }
}
