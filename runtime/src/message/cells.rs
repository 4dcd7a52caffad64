//! The cells messages live in. They lie in blocks that are never freed, so a cell can be found by its
//! number and a stale id can always be looked at.
//!
//! Free cells are in a list all threads share, and in a pocket of each thread.

use super::content::{Buffer, Content};
use super::free_list::{FreeList, NONE};
use std::cell::{self, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// Where one message lives.
pub(super) struct Cell {
    pub references: AtomicU32,
    /// Tells the messages of a cell apart. Changed by whoever frees the last.
    pub generation: AtomicU32,
    /// The number of the next one in the free list.
    next_free: AtomicU32,
    pub number: u32,
    /// Whether the first reference still waits for a user, see `by_id.rs`.
    pub unclaimed: AtomicBool,
    pub content: UnsafeCell<Content>,
    /// Beside the content, since payloads in it are in use while the content is changed.
    pub buffer: UnsafeCell<Buffer>,
}

// SAFETY: `content` is changed only through the sole reference (or by the pool while there is
// none) and is otherwise read-only; the rest is atomic or constant.
unsafe impl Sync for Cell {}

const FIRST_BLOCK: usize = 64;
const BLOCKS: usize = 22;

/// The pool. Block `n` holds `FIRST_BLOCK << n` cells.
struct Pool {
    free: FreeList,
    blocks: [AtomicPtr<Cell>; BLOCKS],
    /// Number of blocks; the lock is taken to grow only.
    grown: parking_lot::Mutex<usize>,
}

macro_rules! empty_pool {
    () => {
        Pool {
            free: FreeList::new(),
            blocks: [const { AtomicPtr::new(std::ptr::null_mut()) }; BLOCKS],
            grown: parking_lot::Mutex::new(0),
        }
    };
}

#[cfg(not(loom))]
static POOL: Pool = empty_pool!();
/// Loom's atomics cannot be made in a constant; its models never get here.
#[cfg(loom)]
static POOL: std::sync::LazyLock<Pool> = std::sync::LazyLock::new(|| empty_pool!());

/// Block and position in it of a cell number.
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
        // SAFETY: a block that is there holds `FIRST_BLOCK << block` cells for ever, and
        // `position` is below that.
        (!start.is_null()).then(|| unsafe { &*start.add(position) })
    }

    /// Some free cells, linked: the number of the first, and how many.
    fn take(&self, limit: usize) -> Option<(u32, usize)> {
        let next_of =
            |number| self.cell(number).map_or(NONE, |cell| cell.next_free.load(Ordering::Relaxed));
        loop {
            match self.free.pop_some(limit, next_of) {
                Some(taken) => return Some(taken),
                None => self.grow()?,
            }
        }
    }

    /// Frees linked cells.
    fn put_back(&self, first: &Cell, last: &Cell) {
        self.free.push(first.number, |next| last.next_free.store(next, Ordering::Relaxed));
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
        // Release: whoever sees the block sees its cells.
        self.blocks[block].store(cells, Ordering::Release);
        *grown += 1;
        drop(grown);
        let cell = |number: usize| self.cell(u32::try_from(number).ok()?);
        for number in first..first + count - 1 {
            cell(number)?.next_free.store(cell(number + 1)?.number, Ordering::Relaxed);
        }
        self.put_back(cell(first)?, cell(first + count - 1)?);
        Some(())
    }
}

/// Free cells a thread has at hand, so that threads meet at the free list once in a while only:
/// whoever makes messages takes some at once, whoever frees them gives some back at once.
struct Pocket {
    cells: [cell::Cell<Option<&'static Cell>>; POCKET_SIZE],
    count: cell::Cell<usize>,
}

const POCKET_SIZE: usize = 16;
/// How many cells go into an empty pocket, and leave a full one.
const HANDFUL: usize = POCKET_SIZE / 2;

thread_local! {
    static POCKET: Pocket = const {
        Pocket {
            cells: [const { cell::Cell::new(None) }; POCKET_SIZE],
            count: cell::Cell::new(0),
        }
    };
}

impl Pocket {
    #[inline]
    fn take(&self) -> Option<&'static Cell> {
        if self.count.get() == 0 {
            self.fill()?;
        }
        let last = self.count.get().checked_sub(1)?;
        self.count.set(last);
        self.cells.get(last)?.take()
    }

    #[cold]
    fn fill(&self) -> Option<()> {
        let (mut number, count) = POOL.take(HANDFUL)?;
        for place in &self.cells[..count] {
            let cell = POOL.cell(number)?;
            number = cell.next_free.load(Ordering::Relaxed);
            place.set(Some(cell));
        }
        self.count.set(count);
        Some(())
    }

    #[inline]
    fn put(&self, cell: &'static Cell) {
        if self.count.get() == POCKET_SIZE {
            self.empty(HANDFUL);
        }
        let count = self.count.get();
        self.cells[count].set(Some(cell));
        self.count.set(count + 1);
    }

    /// Gives some of the cells to all.
    #[cold]
    fn empty(&self, count: usize) {
        let left = self.count.get() - count;
        let mut leaving = self.cells[left..].iter().filter_map(cell::Cell::take);
        self.count.set(left);
        let Some(first) = leaving.next() else { return };
        let mut last = first;
        for cell in leaving {
            last.next_free.store(cell.number, Ordering::Relaxed);
            last = cell;
        }
        POOL.put_back(first, last);
    }
}

impl Drop for Pocket {
    fn drop(&mut self) {
        self.empty(self.count.get());
    }
}

/// A free cell; `None` when 2^28 messages are alive.
#[inline]
pub(super) fn take_cell() -> Option<&'static Cell> {
    match POCKET.try_with(Pocket::take) {
        Ok(cell) => cell,
        // The thread is ending.
        Err(_) => POOL.take(1).and_then(|(number, _)| POOL.cell(number)),
    }
}

/// Frees a cell nobody has a reference of.
#[inline]
pub(super) fn free_cell(cell: &'static Cell) {
    if POCKET.try_with(|pocket| pocket.put(cell)).is_err() {
        POOL.put_back(cell, cell);
    }
}

/// The cell with a number, in use or free.
pub(super) fn cell(number: u32) -> Option<&'static Cell> {
    POOL.cell(number)
}

/// The process-wide pool of messages, for those who watch its memory; see [`message_pool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagePool {
    /// Messages that can be alive before the pool grows. It never shrinks.
    pub capacity: usize,
    /// Of these, those that are not alive.
    pub free: usize,
    /// Memory of the pool in bytes, without what payloads own.
    pub bytes: usize,
}

/// Looks at the pool of messages. The number of free ones is right only while no thread creates or
/// releases a message.
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
