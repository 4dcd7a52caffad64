//! The cells of messages. They lie in blocks that are never freed, so a number always finds its
//! cell, and a stale id can always be checked.
//!
//! Each thread keeps the cells that it freed last. Those that gather where messages end go back to
//! where messages begin in batches, over a list that all threads share: a change of that list costs
//! more than all else that makes a message, if another thread changed it last.

#![expect(unsafe_code, reason = "messages live in raw memory that they share")]

use super::content::{BUFFER_ALIGNMENT, Buffer, Content, Payload, Payloads};
use gxf_sync::free_list::{FreeList, NONE};
use std::cell::{self, UnsafeCell};
use std::mem::offset_of;
use std::ptr::null_mut;
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
    /// Of the same cell: number of cells in the batch.
    batch_length: AtomicU32,
    /// The next free cell of the same thread, or of the same batch; null for none.
    next_free: AtomicPtr<Cell>,
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

/// Where the payloads are.
const PAYLOADS: usize = offset_of!(Cell, content) + offset_of!(Content, payloads);

// Most messages use three cache lines: one with the counts, one with the first two payloads, and one
// with the number of payloads and the first bytes of the buffer.
const _: () = assert!(PAYLOADS == 64 && size_of::<Payload>() == 32);
const _: () = assert!(offset_of!(Cell, buffer) / 64 == (PAYLOADS + size_of::<Payloads>() - 1) / 64);
const _: () =
    assert!(align_of::<Cell>().is_multiple_of(BUFFER_ALIGNMENT) && size_of::<Cell>() == 640);

const FIRST_BLOCK: usize = 64;
const BLOCKS: usize = 22;

/// Cells that threads exchange at once. A thread keeps fewer than twice as many.
const BATCH: u32 = 16;

const _: () = assert!(FIRST_BLOCK.is_multiple_of(BATCH as usize));

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

    /// Takes a batch of free cells, which are linked.
    fn take(&self) -> Option<&'static Cell> {
        let next_of =
            |number| self.cell(number).map_or(NONE, |cell| cell.next_batch.load(Ordering::Relaxed));
        loop {
            match self.free.pop(next_of) {
                Some(number) => return self.cell(number),
                None => self.grow()?,
            }
        }
    }

    /// Gives back that many free cells, which are linked.
    fn put_back(&self, first: &Cell, length: u32) {
        first.batch_length.store(length, Ordering::Relaxed);
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
                batch_length: AtomicU32::new(0),
                next_free: AtomicPtr::new(null_mut()),
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
        for batch in cells.chunks_exact(BATCH as usize).rev() {
            for pair in batch.windows(2) {
                pair[0].set_next(&pair[1]);
            }
            self.put_back(&batch[0], BATCH);
        }
        Some(())
    }
}

impl Cell {
    /// The cell behind this one in a list of free cells.
    fn next(&self) -> *mut Self {
        self.next_free.load(Ordering::Relaxed)
    }

    fn set_next(&self, next: *const Self) {
        self.next_free.store(next.cast_mut(), Ordering::Relaxed);
    }
}

/// The free cells of this thread, the one that it freed last first. A thread that passes messages
/// on thus reuses a cell that is in its cache, and avoids the shared list.
struct Kept {
    first: cell::Cell<*mut Cell>,
    length: cell::Cell<u32>,
}

thread_local! {
    static KEPT: Kept =
        const { Kept { first: cell::Cell::new(null_mut()), length: cell::Cell::new(0) } };
}

impl Kept {
    #[inline]
    fn take(&self) -> Option<&'static Cell> {
        let mut first = self.first.get();
        if first.is_null() {
            first = self.refill()?;
        }
        // SAFETY: cells are never freed.
        let cell = unsafe { &*first };
        let next = cell.next();
        self.first.set(next);
        self.length.set(self.length.get() - 1);
        fetch_ahead(next);
        Some(cell)
    }

    #[cold]
    fn refill(&self) -> Option<*mut Cell> {
        let first = POOL.take()?;
        self.length.set(first.batch_length.load(Ordering::Relaxed));
        Some(std::ptr::from_ref(first).cast_mut())
    }

    #[inline]
    fn put(&self, cell: &'static Cell) {
        cell.set_next(self.first.get());
        self.first.set(std::ptr::from_ref(cell).cast_mut());
        self.length.set(self.length.get() + 1);
        if self.length.get() == 2 * BATCH {
            self.give_back();
        }
    }

    /// Gives the older half to the shared list.
    #[cold]
    fn give_back(&self) {
        let mut last = self.first.get();
        for _ in 1..BATCH {
            // SAFETY: there are more cells than that, which are never freed.
            last = unsafe { &*last }.next();
        }
        // SAFETY: as above.
        let (last, first) = unsafe { (&*last, &*(*last).next()) };
        last.set_next(null_mut());
        self.length.set(BATCH);
        POOL.put_back(first, BATCH);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.length.get() > 0 {
            // SAFETY: there is a first cell, and cells are never freed.
            POOL.put_back(unsafe { &*self.first.get() }, self.length.get());
        }
    }
}

/// Has the processor fetch what a message uses first: another thread may have had the cell last.
#[inline(always)]
pub(super) fn fetch_ahead(cell: *const Cell) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        let start = cell.cast::<i8>();
        for place in [0, PAYLOADS, offset_of!(Cell, buffer)] {
            // SAFETY: this is a hint, for any address.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(start.wrapping_add(place)) };
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
    let first = POOL.take()?;
    let others = first.batch_length.load(Ordering::Relaxed) - 1;
    if others > 0 {
        // SAFETY: the batch has more cells, which are never freed.
        POOL.put_back(unsafe { &*first.next() }, others);
    }
    Some(first)
}

/// Frees a cell without references.
#[inline]
pub(super) fn free_cell(cell: &'static Cell) {
    if KEPT.try_with(|kept| kept.put(cell)).is_err() {
        cell.set_next(null_mut());
        POOL.put_back(cell, 1);
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
        let payloads = unsafe { &(*cell.content.get()).payloads }.as_ptr();
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
