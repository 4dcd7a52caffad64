//! The operations of a piece of work that may become a part of a CUDA graph. They are held back until
//! its end, on the thread that enqueues them; the host launches them then, or later. If the thread uses
//! the stream for anything else meanwhile, what is held back goes first, one by one.

use crate::chain_table;
use crate::graph_table::{is_wanted, ordinary};
use crate::operation::Operation;
use crate::queue::Queue;
use gxf::Result;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

/// Most operations to hold back.
const MOST: usize = 1024;

struct Held {
    queue: Arc<Queue>,
    operations: Vec<Operation>,
    /// Why operations are not held back any more.
    reason: Option<&'static str>,
    /// Of operations that had to go first.
    result: Result<()>,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// A piece of work whose operations are held back, on this thread.
pub(crate) struct Batch(PhantomData<*const ()>);

impl Batch {
    /// `None` if the work is not to become a graph, and within another batch.
    pub fn new(queue: &Arc<Queue>) -> Option<Self> {
        go_first(queue, "another piece of work on its stream is within it");
        if !is_wanted() {
            return None;
        }
        let is_new = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            let is_new = held.is_none();
            held.get_or_insert_with(|| Held {
                queue: queue.clone(),
                operations: Vec::new(),
                reason: None,
                result: Ok(()),
            });
            is_new
        });
        is_new.unwrap_or(false).then(|| Self(PhantomData))
    }

    /// Holds an operation back.
    ///
    /// # Errors
    /// The driver's, if nothing is held back any more.
    pub fn add(&self, operation: Operation) -> Result<()> {
        let is_full = HELD.with_borrow(|held| {
            held.as_ref().filter(|held| held.operations.len() == MOST).map(|it| it.queue.clone())
        });
        if let Some(queue) = is_full {
            go_first(&queue, "it has too many operations");
        }
        HELD.with_borrow_mut(|held| {
            let Some(held) = held else { return Ok(()) };
            if held.reason.is_some() {
                return operation.enqueue(held.queue.raw());
            }
            held.operations.push(operation);
            Ok(())
        })
    }

    /// Ends the batch. Returns the operations that are still held back.
    ///
    /// # Errors
    /// Those of operations that had to go first.
    pub fn finish(self) -> Result<Vec<Operation>> {
        let Some(held) = HELD.take() else { return Ok(Vec::new()) };
        let Held { queue, operations, reason, result } = held;
        if let Some(reason) = reason {
            ordinary(reason);
        } else if operations.is_empty() {
            // What it waits for, and says to be done, may be held back.
            chain_table::let_go(queue.address(), 0, "a later piece of work has no operations")?;
        }
        result.map(|()| operations)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Operations are left after a panic only.
        drop(HELD.try_with(|held| held.take()));
    }
}

/// Enqueues what this thread holds back for a stream, because it uses the stream otherwise, and before
/// that what the host holds back, which it may come behind.
pub(crate) fn go_first(queue: &Queue, reason: &'static str) {
    let held = HELD.try_with(|held| {
        let mut held = held.borrow_mut();
        let held = held.as_mut().filter(|held| held.queue.address() == queue.address())?;
        if !held.operations.is_empty() {
            held.reason.get_or_insert(reason);
        }
        Some(std::mem::take(&mut held.operations))
    });
    let Some(operations) = held.ok().flatten() else { return };
    // Memory may go home meanwhile, so nothing is borrowed here.
    let result = chain_table::let_go(queue.address(), 0, reason)
        .and_then(|()| operations.iter().try_for_each(|operation| operation.enqueue(queue.raw())));
    HELD.with_borrow_mut(|held| {
        if let Some(held) = held
            && held.result.is_ok()
        {
            held.result = result;
        }
    });
}

/// Whether operations that this thread enqueues on a stream come behind all that is held back of it.
pub(crate) fn is_behind(queue: &Queue) -> bool {
    let is_open = HELD.try_with(|held| {
        let held = held.borrow();
        let held = held.as_ref().filter(|held| held.queue.address() == queue.address());
        held.is_some_and(|held| held.reason.is_none())
    });
    is_open.unwrap_or(false)
}

/// As [`go_first`], with what the host holds back.
pub(crate) fn all_go_first(queue: &Queue, reason: &'static str) -> Result<()> {
    go_first(queue, reason);
    chain_table::let_go(queue.address(), 0, reason)
}
