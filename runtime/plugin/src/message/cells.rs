//! The cells of messages. They lie in blocks that are never freed, so a number always finds its
//! cell, and a stale id can always be checked.
//!
//! Each thread keeps the cells that it freed last. Those that gather where messages end go back to
//! where messages begin in batches, over a list that all threads share: a change of that list costs
//! more than all else that makes a message, if another thread changed it last.

#![expect(unsafe_code, reason = "messages live in raw memory that they share")]

use super::content::{BUFFER_ALIGNMENT, Buffer, Content, Entries, Payload};
use gxf_sync::free_list::{FreeList, NONE};
use std::cell::{self, UnsafeCell};
use std::mem::offset_of;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// The memory of one message: first what every holder of a message uses. On cache lines of its own,
/// in pairs as processors fetch them.
#[repr(C, align(128))]
pub(super) struct Cell {
    pub references: AtomicU32,
    /// Distinguishes the successive messages of a cell. Releasing the last reference changes it.
    pub generation: AtomicU32,
    /// Of the first cell of a batch in the shared list: the number of the next batch's.
    next_batch: AtomicU32,
    pub number: u32,
    /// Whether the first reference still waits for a user, see `by_id.rs`.
    pub unclaimed: AtomicBool,
    pub content: UnsafeCell<Content>,
    /// Apart from the content, because its payloads are in use while the content changes. Of the first
    /// cell of a batch in the shared list: the batch.
    pub buffer: UnsafeCell<Buffer>,
}

// SAFETY: only the sole reference (or the pool, if there is none) changes `content`; the rest is
// atomic or constant.
unsafe impl Sync for Cell {}

/// Where the payloads are.
const PAYLOADS: usize = offset_of!(Cell, content) + offset_of!(Content, entries);

// Most messages use three cache lines: one with the counts, one that describes the first two payloads,
// which seldom changes, and one with the first bytes of the buffer.
const _: () = assert!(PAYLOADS == 64 && size_of::<Payload>() == 32);
const _: () = assert!(offset_of!(Cell, buffer) / 64 == (PAYLOADS + size_of::<Entries>() - 1) / 64);
const _: () =
    assert!(align_of::<Cell>().is_multiple_of(BUFFER_ALIGNMENT) && size_of::<Cell>() == 640);

const FIRST_BLOCK: usize = 64;
const BLOCKS: usize = 22;

/// Most cells that threads exchange at once. A thread keeps at most twice as many.
const BATCH: usize = 16;

const _: () = assert!(FIRST_BLOCK.is_multiple_of(BATCH));

/// Free cells that change threads, which lie next to each other in memory, so that a thread need not
/// wait for one of them to find the next.
#[derive(Clone, Copy)]
struct Batch {
    /// There is at least one.
    length: usize,
    cells: [*const Cell; BATCH],
}

const _: () = assert!(size_of::<Batch>() <= size_of::<Buffer>());
const _: () = assert!(offset_of!(Cell, buffer).is_multiple_of(align_of::<Batch>()));

/// The pool. Block `n` holds `FIRST_BLOCK << n` cells.
struct Pool {
    /// The first cells of batches of free cells.
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

    /// Takes a batch of free cells.
    fn take(&self) -> Option<Batch> {
        let next_of =
            |number| self.cell(number).map_or(NONE, |cell| cell.next_batch.load(Ordering::Relaxed));
        loop {
            match self.free.pop(next_of) {
                Some(number) => {
                    let batch = self.cell(number)?.buffer.get().cast::<Batch>();
                    // SAFETY: `put_back` wrote it, and who takes it alone has its cells.
                    return Some(unsafe { batch.read() });
                }
                None => self.grow()?,
            }
        }
    }

    /// Gives back some free cells, at least one and at most as many as a batch holds.
    fn put_back(&self, cells: impl IntoIterator<Item = *const Cell>) {
        let mut batch = Batch { length: 0, cells: [null(); BATCH] };
        for (place, cell) in batch.cells.iter_mut().zip(cells) {
            *place = cell;
            batch.length += 1;
        }
        // SAFETY: cells are never freed, and nobody else uses free ones.
        let first = unsafe { &*batch.cells[0] };
        // SAFETY: a buffer is large enough for a batch.
        unsafe { first.buffer.get().cast::<Batch>().write(batch) };
        self.free.push(first.number, |next| first.next_batch.store(next, Ordering::Relaxed));
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
                next_batch: AtomicU32::new(NONE),
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
        // SAFETY: the cells live for ever.
        let cells = unsafe { std::slice::from_raw_parts(cells, count) };
        for batch in cells.chunks_exact(BATCH).rev() {
            self.put_back(batch.iter().rev().map(std::ptr::from_ref));
        }
        Some(())
    }
}

/// How many messages before it is used the processor fetches a cell.
const AHEAD: usize = 4;

/// The free cells of this thread, the one that it freed last behind the others. A thread that passes
/// messages on thus reuses a cell that is in its cache, and avoids the shared list.
struct Kept {
    cells: [cell::Cell<*const Cell>; 2 * BATCH],
    length: cell::Cell<usize>,
}

thread_local! {
    static KEPT: Kept = const {
        Kept { cells: [const { cell::Cell::new(null()) }; _], length: cell::Cell::new(0) }
    };
}

impl Kept {
    #[inline]
    fn take(&self) -> Option<&'static Cell> {
        let mut length = self.length.get();
        if length == 0 {
            length = self.refill()?;
        }
        length -= 1;
        self.length.set(length);
        if let Some(later) = self.cells.get(length.wrapping_sub(AHEAD)) {
            fetch_ahead(later.get());
        }
        // SAFETY: cells are never freed.
        Some(unsafe { &*self.cells[length].get() })
    }

    /// Takes cells from the shared list; returns how many.
    #[cold]
    fn refill(&self) -> Option<usize> {
        let batch = POOL.take()?;
        let cells = &batch.cells[..batch.length];
        for (place, cell) in self.cells.iter().zip(cells) {
            place.set(*cell);
        }
        cells.iter().rev().take(AHEAD).for_each(|cell| fetch_ahead(*cell));
        Some(batch.length)
    }

    #[inline]
    fn put(&self, cell: &'static Cell) {
        let mut length = self.length.get();
        if length == self.cells.len() {
            length = self.give_back();
        }
        self.cells[length].set(cell);
        self.length.set(length + 1);
    }

    /// Gives the older half to the shared list; returns how many are left.
    #[cold]
    fn give_back(&self) -> usize {
        let (older, younger) = self.cells.split_at(BATCH);
        POOL.put_back(older.iter().map(cell::Cell::get));
        for (place, cell) in older.iter().zip(younger) {
            place.set(cell.get());
        }
        younger.len()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for cells in self.cells[..self.length.get()].chunks(BATCH) {
            POOL.put_back(cells.iter().map(cell::Cell::get));
        }
    }
}

/// Has the processor fetch what a message uses first: another thread may have had the cell last. What
/// will be written becomes this processor's own, which takes as long again for a line that it only read.
#[inline(always)]
pub(super) fn fetch_ahead(cell: *const Cell) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::asm;
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: these are hints, for any address. The compiler makes `prefetchw` of `_mm_prefetch`
        // only for newer processors; all 64-bit ones know it, some as an instruction that does nothing.
        unsafe {
            asm!(
                "prefetchw [{cell}]",
                "prefetchw [{cell} + {buffer}]",
                cell = in(reg) cell,
                buffer = const offset_of!(Cell, buffer),
                options(nostack, preserves_flags, readonly),
            );
            _mm_prefetch::<_MM_HINT_T0>(cell.cast::<i8>().wrapping_add(PAYLOADS));
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = cell;
}

/// A free cell; `None` when 2^28 messages are alive.
#[inline]
pub(super) fn take_cell() -> Option<&'static Cell> {
    // What a thread that is ending kept is gone.
    KEPT.try_with(Kept::take).unwrap_or_else(|_| take_one())
}

/// A cell from the shared list.
#[cold]
fn take_one() -> Option<&'static Cell> {
    let batch = POOL.take()?;
    let (first, others) = batch.cells[..batch.length].split_first()?;
    if !others.is_empty() {
        POOL.put_back(others.iter().copied());
    }
    // SAFETY: cells are never freed.
    Some(unsafe { &**first })
}

/// Frees a cell without references.
#[inline]
pub(super) fn free_cell(cell: &'static Cell) {
    if KEPT.try_with(|kept| kept.put(cell)).is_err() {
        POOL.put_back([std::ptr::from_ref(cell)]);
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
    use super::*;

    /// The payloads come before their number, although no type says so.
    #[test]
    fn two_payloads_are_on_one_cache_line() {
        let cell = take_cell().unwrap();
        // SAFETY: nobody else has the cell.
        let payloads = unsafe { &(*cell.content.get()).entries }.as_ptr();
        assert_eq!(payloads.addr() - std::ptr::from_ref(cell).addr(), PAYLOADS);
        free_cell(cell);
    }

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
