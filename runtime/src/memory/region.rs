//! A piece of memory of the operating system.

use std::alloc::Layout;
use std::ptr::NonNull;

/// Large pieces begin at a page.
pub(super) const PAGE: usize = 4096;
/// Small pieces begin at what vector instructions and caches like.
const SMALL_ALIGNMENT: usize = 64;

/// Memory that is freed on drop.
pub(super) struct Region {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a region owns its memory and does nothing with it.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Memory of at least one byte, aligned to a page from a page on, else to 64 bytes, all zero so
    /// that reading what nobody has written is no mistake. `None` when the system has none left.
    pub fn new(size: usize) -> Option<Self> {
        let size = size.max(1);
        let alignment = if size >= PAGE { PAGE } else { SMALL_ALIGNMENT };
        let layout = Layout::from_size_align(size, alignment).ok()?;
        // SAFETY: the layout's size is not 0.
        let start = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Self { start, layout })
    }

    /// The first byte.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout and owned by this value alone.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}
