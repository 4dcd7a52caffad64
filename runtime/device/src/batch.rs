//! The operations of a piece of work that may become a CUDA graph. They are held back until its end,
//! on the thread that enqueues them, and launched then. If the thread uses the stream for anything
//! else meanwhile, what is held back goes first, one by one.

use crate::graph::Launched;
use crate::graph_table::{is_wanted, launched, ordinary};
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

impl Held {
    /// Enqueues what is held back, and holds nothing back from now on.
    fn let_go(&mut self, reason: &'static str) {
        self.reason.get_or_insert(reason);
        let stream = self.queue.raw();
        for operation in self.operations.drain(..) {
            if self.result.is_ok() {
                self.result = operation.enqueue(stream);
            }
        }
    }
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
        HELD.with_borrow_mut(|held| {
            let Some(held) = held else { return Ok(()) };
            if held.operations.len() == MOST {
                held.let_go("it has too many operations");
            }
            if held.reason.is_some() {
                return operation.enqueue(held.queue.raw());
            }
            held.operations.push(operation);
            Ok(())
        })
    }

    /// Launches the operations.
    pub fn finish(self) -> Result<()> {
        let Some(held) = HELD.take() else { return Ok(()) };
        let Held { queue, operations, reason, result } = held;
        if let Some(reason) = reason {
            ordinary(reason);
            return result;
        }
        if operations.is_empty() {
            return result;
        }
        let stream = (queue.raw(), !queue.keeps_address());
        // Nothing is reported under the lock.
        let (how, result) = queue.graphs.lock().launch(queue.device(), stream, &operations);
        match how {
            Launched::Graph { is_new } => launched(operations.len(), is_new),
            Launched::EachYet => ordinary(""),
            Launched::Each(reason) => ordinary(&reason),
        }
        result
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Operations are left after a panic only.
        drop(HELD.try_with(|held| held.take()));
    }
}

/// Enqueues what this thread holds back for a stream, because it uses the stream otherwise.
pub(crate) fn go_first(queue: &Queue, reason: &'static str) {
    _ = HELD.try_with(|held| {
        if let Some(held) = held.borrow_mut().as_mut()
            && held.queue.address() == queue.address()
            && !held.operations.is_empty()
        {
            held.let_go(reason);
        }
    });
}
