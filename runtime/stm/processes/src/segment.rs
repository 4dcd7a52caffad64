//! The memory that master and clients share: cells, each with a fence, and behind them the log.
//!
//! All of it is atomic words, since a process that is killed or broken leaves any value there.

#![expect(
    unsafe_code,
    reason = "maps memory that other processes change, and sends its descriptor"
)]

use gxf_sync::shared_fence::SharedFence;
use memmap2::MmapRaw;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering, fence};

/// Bytes of a cell, which has two cache lines of its own.
const CELL: usize = 128;

/// A fence and two values that belong to it.
#[repr(C, align(128))]
pub struct Cell {
    fence: SharedFence,
    /// Set before a signal, and read behind it.
    pub value: AtomicI64,
    /// The same.
    pub number: AtomicU64,
}

impl Cell {
    /// Sets the fence and the values back. Nobody waits.
    pub fn reset(&self) {
        self.fence.reset();
        self.value.store(0, Ordering::Release);
        self.number.store(0, Ordering::Release);
    }
}

impl std::ops::Deref for Cell {
    type Target = SharedFence;

    fn deref(&self) -> &SharedFence {
        &self.fence
    }
}

/// The place of a ring of the log.
#[derive(Clone, Copy)]
pub struct Ring {
    /// Its number among all rings.
    pub number: usize,
    /// The cell whose number counts the entries that were ever written.
    pub cell: usize,
}

/// What the memory has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of cells.
    pub cells: usize,
    /// Number of rings of the log.
    pub rings: usize,
    /// Entries of each ring; 0 if nothing is logged.
    pub log_limit: usize,
}

/// One entry of the log, in words.
pub type Entry = [u64; 6];
/// An entry in the memory, which other processes write.
type SharedEntry = [AtomicU64; 6];

impl Size {
    fn bytes(self) -> Option<usize> {
        let entries = self.rings.checked_mul(self.log_limit)?;
        let log = entries.checked_mul(size_of::<SharedEntry>())?;
        self.cells.checked_mul(CELL)?.checked_add(log)
    }
}

/// Cells and a log in shared memory, all of it zero at first.
pub struct Segment {
    memory: MmapRaw,
    file: File,
    size: Size,
}

impl Segment {
    /// Creates the memory.
    ///
    /// # Errors
    /// The system has none.
    pub fn create(size: Size) -> io::Result<Self> {
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        let file = File::from(rustix::fs::memfd_create("gxe-stm", flags)?);
        let bytes = size.bytes().ok_or(io::ErrorKind::OutOfMemory)?;
        file.set_len(bytes as u64)?;
        Self::open(file, size)
    }

    /// Maps memory that was received.
    ///
    /// # Errors
    /// It is too small.
    pub fn open(file: File, size: Size) -> io::Result<Self> {
        let bytes = size.bytes().ok_or(io::ErrorKind::OutOfMemory)?;
        if file.metadata()?.len() < bytes as u64 {
            return Err(io::Error::other("the shared memory is smaller than the schedules need"));
        }
        let memory = MmapRaw::map_raw(&file)?;
        Ok(Self { memory, file, size })
    }

    /// A cell.
    #[inline]
    pub fn cell(&self, index: usize) -> &Cell {
        assert!(index < self.size.cells, "the layout counts all cells");
        // SAFETY: the mapping has that many cells and is aligned to pages; all fields are atomics, for
        // which every bit pattern is a value and any process may change at any time.
        unsafe { &*self.memory.as_mut_ptr().cast::<Cell>().add(index) }
    }

    /// Whether executions are logged.
    #[inline]
    pub fn is_logged(&self) -> bool {
        self.size.log_limit > 0
    }

    fn entry(&self, ring: Ring, number: u64) -> &SharedEntry {
        let Size { cells, rings, log_limit } = self.size;
        assert!(ring.number < rings && log_limit > 0, "the layout counts all rings");
        let place = usize::try_from(number % log_limit as u64).unwrap_or_default();
        // SAFETY: the mapping has `rings` times `log_limit` entries behind its cells, whose size is a
        // multiple of an entry's alignment; entries are atomics, as cells are.
        unsafe {
            let first = self.memory.as_mut_ptr().add(cells * CELL).cast::<SharedEntry>();
            &*first.add(ring.number * log_limit + place)
        }
    }

    /// Writes an entry in place of the oldest one. A ring has one writer at a time. Who is killed
    /// before the end has written none.
    pub fn log(&self, ring: Ring, entry: Entry) {
        let written = &self.cell(ring.cell).number;
        let number = written.load(Ordering::Relaxed);
        for (word, value) in self.entry(ring, number).iter().zip(entry) {
            word.store(value, Ordering::Relaxed);
        }
        written.store(number + 1, Ordering::Release);
    }

    /// The newest entries of a ring, oldest first, and how many older ones there were.
    pub fn logged(&self, ring: Ring) -> (Vec<Entry>, u64) {
        let written = &self.cell(ring.cell).number;
        let last = written.load(Ordering::Acquire);
        // One may be overwritten at any time.
        let oldest = |last: u64| (last + 1).saturating_sub(self.size.log_limit as u64);
        let read = |number| {
            let words = self.entry(ring, number);
            std::array::from_fn(|place| words[place].load(Ordering::Relaxed))
        };
        let entries: Vec<Entry> = (oldest(last)..last).map(read).collect();
        fence(Ordering::Acquire);
        let first = oldest(written.load(Ordering::Relaxed)).max(oldest(last));
        let torn = usize::try_from(first - oldest(last)).unwrap_or(usize::MAX).min(entries.len());
        (entries[torn..].to_vec(), first)
    }

    /// Wakes all sleepers, who look around.
    pub fn wake_all(&self) {
        (0..self.size.cells).for_each(|index| self.cell(index).wake());
    }

    /// Sends the memory.
    ///
    /// # Errors
    /// The peer is gone.
    pub fn send(&self, stream: &UnixStream) -> io::Result<()> {
        let mut byte = [b'M'];
        let mut control = Control::new();
        let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
        let header = control.header(&mut part);
        // SAFETY: the control buffer has room for one descriptor, as `CMSG_SPACE` counts, and all
        // pointers of the header live until the call returns.
        let sent = unsafe {
            let message = libc::CMSG_FIRSTHDR(&raw const header);
            (*message).cmsg_level = libc::SOL_SOCKET;
            (*message).cmsg_type = libc::SCM_RIGHTS;
            (*message).cmsg_len = libc::CMSG_LEN(DESCRIPTOR) as _;
            libc::CMSG_DATA(message).cast::<RawFd>().write_unaligned(self.file.as_raw_fd());
            libc::sendmsg(stream.as_raw_fd(), &raw const header, libc::MSG_NOSIGNAL)
        };
        if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Receives the memory, before anything else is read from the stream.
    ///
    /// # Errors
    /// The peer is gone or sends something else.
    pub fn receive(stream: &UnixStream) -> io::Result<File> {
        let mut byte = [0_u8];
        let mut control = Control::new();
        let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
        let mut header = control.header(&mut part);
        // SAFETY: as above; a descriptor that the kernel has put there belongs to this process.
        unsafe {
            let flags = libc::MSG_CMSG_CLOEXEC;
            if libc::recvmsg(stream.as_raw_fd(), &raw mut header, flags) != 1 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let message = libc::CMSG_FIRSTHDR(&raw const header);
            if message.is_null() || (*message).cmsg_type != libc::SCM_RIGHTS {
                return Err(io::Error::other("this is no master of gxe"));
            }
            let descriptor = libc::CMSG_DATA(message).cast::<RawFd>().read_unaligned();
            Ok(File::from(OwnedFd::from_raw_fd(descriptor)))
        }
    }
}

/// Bytes of a descriptor.
const DESCRIPTOR: u32 = size_of::<RawFd>() as u32;

/// Room for one descriptor beside a message.
#[repr(C, align(8))]
struct Control([u8; 64]);

impl Control {
    fn new() -> Self {
        Self([0; 64])
    }

    fn header(&mut self, part: &mut libc::iovec) -> libc::msghdr {
        // SAFETY: zeros are a valid header without parts; and the size is a constant of the system.
        let (mut header, space): (libc::msghdr, _) =
            unsafe { (std::mem::zeroed(), libc::CMSG_SPACE(DESCRIPTOR)) };
        header.msg_iov = part;
        header.msg_iovlen = 1;
        header.msg_control = self.0.as_mut_ptr().cast();
        header.msg_controllen = space as _;
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_mappings_see_each_others_signals() {
        let size = |cells| Size { cells, rings: 0, log_limit: 0 };
        let segment = Segment::create(size(3)).unwrap();
        let other = Segment::open(segment.file.try_clone().unwrap(), size(3)).unwrap();
        assert!(Segment::open(segment.file.try_clone().unwrap(), size(40)).is_err());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..1000 {
                    assert!(other.cell(1).wait(round, 0, || false));
                    other.cell(2).signal(round);
                }
            });
            for round in 1..1000 {
                segment.cell(1).signal(round);
                assert!(segment.cell(2).wait(round, 0, || false));
            }
        });
        assert!(!segment.cell(1).wait(1000, 1, || true));
        assert_eq!((segment.cell(1).count(), segment.cell(0).count()), (999, 0));
    }

    #[test]
    fn a_ring_keeps_the_newest_entries_and_counts_the_others() {
        let size = Size { cells: 2, rings: 2, log_limit: 4 };
        let segment = Segment::create(size).unwrap();
        let rings = [0, 1].map(|number| Ring { number, cell: number });
        assert_eq!(segment.logged(rings[0]), (Vec::new(), 0));
        for number in 0..6 {
            segment.log(rings[1], [number; 6]);
            segment.log(rings[0], [100 + number; 6]);
        }
        let newest = |from: u64| (from..from + 3).map(|number| [number; 6]).collect::<Vec<_>>();
        assert_eq!(segment.logged(rings[1]), (newest(3), 3));
        assert_eq!(segment.logged(rings[0]), (newest(103), 3));
        let too_large = Size { log_limit: usize::MAX, ..size };
        assert!(Segment::create(too_large).is_err());
    }

    #[test]
    fn the_memory_travels_over_a_socket() {
        let size = Size { cells: 1, rings: 0, log_limit: 0 };
        let segment = Segment::create(size).unwrap();
        let (one, other) = UnixStream::pair().unwrap();
        segment.send(&one).unwrap();
        let received = Segment::open(Segment::receive(&other).unwrap(), size).unwrap();
        received.cell(0).signal(7);
        assert_eq!(segment.cell(0).count(), 7);
        drop(one);
        assert!(Segment::receive(&other).is_err());
    }
}
