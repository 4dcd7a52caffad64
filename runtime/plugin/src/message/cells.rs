//! The cells of messages. They lie in blocks that are never freed, so a number always finds its
//! cell, and a stale id can always be checked.
//!
//! All threads share a list of free cells, except for the one that each thread freed last.

#![expect(unsafe_code, reason = "messages live in raw memory that they share")]

use super::content::{Buffer, Content};
use gxf_sync::free_list::{FreeList, NONE};
use std::cell::{self, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// The memory of one message.
pub(super) struct Cell {
    pub references: AtomicU32,
    /// Distinguishes the successive messages of a cell. Releasing the last reference changes it.
    pub generation: AtomicU32,
    /// Number of the next cell in the free list.
    next_free: AtomicU32,
    pub number: u32,
    /// Whether the first reference still waits for a user, see `by_id.rs`.
    pub unclaimed: AtomicBool,
    pub content: UnsafeCell<Content>,
    /// Apart from the content, because its payloads are in use while the content changes.
    pub buffer: UnsafeCell<Buffer>,
}

// SAFETY: only the sole reference (or the pool, if there is none) changes `content`; the rest is
// atomic or constant.
unsafe impl Sync for Cell {}

const FIRST_BLOCK: usize = 64;
const BLOCKS: usize = 22;

/// The pool. Block `n` holds `FIRST_BLOCK << n` cells.
struct Pool {
    free: FreeList,
    blocks: [AtomicPtr<Cell>; BLOCKS],
    /// Number of blocks; locked only to grow.
    grown: parking_lot::Mutex<usize>,
}

static POOL: Pool = Pool {
    free: FreeList::new(),
    blocks: [const { AtomicPtr::new(std::ptr::null_mut()) }; BLOCKS],
    grown: parking_lot::Mutex::new(0),
};

/// Block of a cell number, and position in the block.
fn locate(number: u32) -> (usize, usize) {
    let shifted = number as usize / FIRST_BLOCK + 1;
    let block = shifted.ilog2() as usize;
    let first = FIRST_BLOCK * ((1 << block) - 1);
    (block, number as usize - first)
}

impl Pool {
    fn cell(&self, number: u32) -> Option<&'static Cell> {
        let (block, position) = locate(number);
        // Acquire pairs with the Release of `grow`.
        let start = self.blocks.get(block)?.load(Ordering::Acquire);
        // SAFETY: an existing block holds `FIRST_BLOCK << block` cells for ever, and `position` is
        // below that.
        (!start.is_null()).then(|| unsafe { &*start.add(position) })
    }

    fn take(&self) -> Option<&'static Cell> {
        let next_of =
            |number| self.cell(number).map_or(NONE, |cell| cell.next_free.load(Ordering::Relaxed));
        loop {
            match self.free.pop(next_of) {
                Some(number) => return self.cell(number),
                None => self.grow()?,
            }
        }
    }

    fn put_back(&self, cell: &Cell) {
        self.free.push(cell.number, |next| cell.next_free.store(next, Ordering::Relaxed));
    }

    #[cold]
    fn grow(&self) -> Option<()> {
        let mut grown = self.grown.lock();
        let block = *grown;
        if block == BLOCKS {
            return None;
        }
        let first = FIRST_BLOCK * ((1 << block) - 1);
        let cells: Vec<Cell> = (0..FIRST_BLOCK << block)
            .map(|position| Cell {
                references: AtomicU32::new(0),
                generation: AtomicU32::new(0),
                next_free: AtomicU32::new(NONE),
                number: u32::try_from(first + position).expect("22 blocks hold 2^28 cells"),
                unclaimed: AtomicBool::new(false),
                content: UnsafeCell::default(),
                buffer: UnsafeCell::new(Buffer::new()),
            })
            .collect();
        let count = cells.len();
        let cells = Box::into_raw(cells.into_boxed_slice()).cast::<Cell>();
        // Release: a thread that sees the block sees its cells.
        self.blocks[block].store(cells, Ordering::Release);
        *grown += 1;
        drop(grown);
        for number in (first..first + count).rev() {
            self.put_back(self.cell(u32::try_from(number).ok()?)?);
        }
        Some(())
    }
}

/// The cell that this thread freed last. A thread that passes messages on reuses it for the next
/// message, and avoids the shared list.
struct Pocket(cell::Cell<Option<&'static Cell>>);

thread_local! {
    static POCKET: Pocket = const { Pocket(cell::Cell::new(None)) };
}

impl Drop for Pocket {
    fn drop(&mut self) {
        if let Some(cell) = self.0.take() {
            POOL.put_back(cell);
        }
    }
}

/// A free cell; `None` when 2^28 messages are alive.
#[inline]
pub(super) fn take_cell() -> Option<&'static Cell> {
    // The pocket of a thread that is ending may be gone.
    let pocketed = POCKET.try_with(|pocket| pocket.0.take()).ok().flatten();
    pocketed.or_else(|| POOL.take())
}

/// Frees a cell without references.
#[inline]
pub(super) fn free_cell(cell: &'static Cell) {
    let pocketed = POCKET.try_with(|pocket| {
        let has_room = pocket.0.get().is_none();
        if has_room {
            pocket.0.set(Some(cell));
        }
        has_room
    });
    if pocketed != Ok(true) {
        POOL.put_back(cell);
    }
}

/// The cell with a number, in use or free.
pub(super) fn cell(number: u32) -> Option<&'static Cell> {
    POOL.cell(number)
}

/// Statistics of the process-wide pool of messages; see [`message_pool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagePool {
    /// Number of messages that fit before the pool grows. It never shrinks.
    pub capacity: usize,
    /// Number of unused cells among them.
    pub free: usize,
    /// Memory of the pool in bytes, without the payloads' own memory.
    pub bytes: usize,
}

/// Statistics of the pool of messages. The number of free cells is exact only while no thread
/// creates or releases messages.
#[must_use]
pub fn message_pool() -> MessagePool {
    let blocks = *POOL.grown.lock();
    let capacity = FIRST_BLOCK * ((1 << blocks) - 1);
    let is_free = |number: &u32| {
        POOL.cell(*number).is_some_and(|cell| cell.references.load(Ordering::Relaxed) == 0)
    };
    let free = (0..u32::try_from(capacity).unwrap_or(u32::MAX)).filter(is_free).count();
    MessagePool { capacity, free, bytes: capacity * size_of::<Cell>() }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_BLOCK, locate};

    #[test]
    fn cells_are_numbered_through_the_blocks() {
        let mut expected = (0, 0);
        for number in 0..5000u32 {
            assert_eq!(locate(number), expected, "{number}");
            expected.1 += 1;
            if expected.1 == FIRST_BLOCK << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }
}
