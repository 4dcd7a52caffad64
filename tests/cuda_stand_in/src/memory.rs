//! Memory of each kind.

use crate::clock::History;
use crate::world::{World, fail};
use std::ptr::null_mut;

/// Content of new memory.
const NEW: u8 = 0xA5;
/// Content of freed memory, and of host memory that a copy will write.
pub const GONE: u8 = 0xDD;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Device(i32),
    Managed(i32),
    Host,
}

/// A piece of memory.
#[derive(Debug)]
pub struct Allocation {
    pub kind: Kind,
    pub size: usize,
    /// Where the stand-in reaches it.
    pub inside: usize,
    pub history: History,
    /// Whether it was freed, perhaps by work that is still to be done.
    pub is_freed: bool,
    /// The pool that it came from; 0 for none.
    pub pool: usize,
    /// Pieces of enqueued work that use it.
    pub pending: usize,
}

fn pages(size: usize) -> usize {
    size.max(1).next_multiple_of(4096)
}

fn map(size: usize, protection: i32, flags: i32, file: i32) -> Option<usize> {
    // SAFETY: a new mapping touches no other memory.
    let start = unsafe { libc::mmap(null_mut(), size, protection, flags, file, 0) };
    (start != libc::MAP_FAILED).then(|| start.expose_provenance())
}

impl World {
    /// Bytes of a device in use.
    fn used(&self, device: i32) -> u64 {
        let of_device = self.allocations.values().filter(|allocation| match allocation.kind {
            Kind::Device(number) | Kind::Managed(number) => number == device,
            Kind::Host => false,
        });
        of_device.map(|allocation| allocation.size as u64).sum()
    }

    /// Free bytes of a device.
    pub fn free_memory(&self, device: i32) -> u64 {
        self.settings.memory.saturating_sub(self.used(device))
    }

    /// Allocates; `None` if the device is full.
    pub fn allocate(&mut self, kind: Kind, size: usize, pool: usize) -> Option<usize> {
        let length = pages(size);
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let (start, inside) = match kind {
            Kind::Device(device) | Kind::Managed(device)
                if self.free_memory(device) < size as u64 =>
            {
                return None;
            }
            Kind::Device(_) => {
                // SAFETY: the name ends with a zero byte; the file is closed after both mappings.
                unsafe {
                    let file = libc::memfd_create(c"device".as_ptr(), 0);
                    if file < 0 || libc::ftruncate(file, length as libc::off_t) != 0 {
                        fail("there is no memory for device memory");
                    }
                    let start = map(length, libc::PROT_NONE, libc::MAP_SHARED, file)?;
                    let inside = map(length, both, libc::MAP_SHARED, file)?;
                    libc::close(file);
                    (start, inside)
                }
            }
            Kind::Managed(_) | Kind::Host => {
                let start = map(length, both, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)?;
                (start, start)
            }
        };
        fill(inside, NEW, size.max(1));
        let allocation = Allocation {
            kind,
            size,
            inside,
            history: History::default(),
            is_freed: false,
            pool,
            pending: 0,
        };
        self.allocations.insert(start, allocation);
        self.peak = self.peak.max(self.used(0));
        Some(start)
    }

    /// Ends an allocation. Its addresses stay unused, so that later uses are noticed.
    pub fn end(&mut self, start: usize) {
        let Some(allocation) = self.allocations.remove(&start) else { return };
        fill(allocation.inside, GONE, allocation.size.max(1));
        let length = pages(allocation.size);
        // SAFETY: the mappings are the allocation's own, and nothing refers to them any more.
        unsafe {
            if allocation.inside != start {
                libc::munmap(std::ptr::with_exposed_provenance_mut(allocation.inside), length);
            }
            let flags =
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
            let start = std::ptr::with_exposed_provenance_mut(start);
            libc::mmap(start, length, libc::PROT_NONE, flags, -1, 0);
        }
    }

    /// Start of the allocation with this address.
    pub fn allocation_of(&self, address: usize) -> Option<usize> {
        let (start, allocation) = self.allocations.range(..=address).next_back()?;
        (address < start + allocation.size.max(1)).then_some(*start)
    }

    /// Where the stand-in reaches an address; ends the program unless it is valid for `size` bytes.
    pub fn inside(&self, address: usize, size: usize, what: &str) -> usize {
        match self.allocation_of(address) {
            Some(start) => {
                let allocation = &self.allocations[&start];
                if address + size > start + allocation.size.max(1) {
                    fail(&format!("{what} reaches beyond the end of {} bytes", allocation.size));
                }
                allocation.inside + (address - start)
            }
            // Ordinary memory of the program.
            None => address,
        }
    }
}

/// Sets bytes that the stand-in can reach.
pub fn fill(address: usize, byte: u8, size: usize) {
    // SAFETY: callers pass memory of an allocation, or of the program that asked for this.
    unsafe { std::ptr::with_exposed_provenance_mut::<u8>(address).write_bytes(byte, size) };
}

/// Copies bytes that the stand-in can reach.
pub fn copy(to: usize, from: usize, size: usize) {
    let (to, from) = (
        std::ptr::with_exposed_provenance_mut::<u8>(to),
        std::ptr::with_exposed_provenance::<u8>(from),
    );
    // SAFETY: as above; `copy_from` allows overlaps.
    unsafe { to.copy_from(from, size) };
}

/// The bytes of memory that the stand-in can reach.
pub fn bytes(address: usize, size: usize) -> Vec<u8> {
    let mut copied = vec![0; size];
    // SAFETY: as above.
    unsafe {
        copied.as_mut_ptr().copy_from(std::ptr::with_exposed_provenance(address), size);
    }
    copied
}

/// A hash of memory, to notice changes.
pub fn hash(address: usize, size: usize) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes(address, size));
    hasher.finish()
}
