//! The graphs that the calling thread works for: it runs their scheduler, or activates or
//! deactivates them. Code of an extension that is called there must not wait for an end that waits
//! for it.

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::{ResultCode, Uid};
use std::cell::RefCell;
use std::mem::ManuallyDrop;

/// Work for a graph.
#[derive(Clone, Copy)]
pub(crate) struct Errand {
    /// Address of the context.
    context: usize,
    /// The entity whose components are being initialised or deinitialised; 0 for none.
    entity: Uid,
}

thread_local! {
    /// One within the other. Never dropped, so that destructors of a thread that ends, which may call
    /// the C API, find it; its memory goes with the last errand.
    static ERRANDS: RefCell<ManuallyDrop<Vec<Errand>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Marks the calling thread as working for the graph while it exists.
#[must_use]
pub(crate) struct Inside(());

impl Errand {
    /// The scope of the calling thread, for a thread that helps it.
    pub fn of_this_thread() -> Option<Self> {
        ERRANDS.with_borrow(|errands| errands.last().copied())
    }

    /// Enters the scope on the calling thread.
    pub fn begin(self) -> Inside {
        ERRANDS.with_borrow_mut(|errands| errands.push(self));
        Inside(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        ERRANDS.with_borrow_mut(|errands| {
            errands.pop();
            if errands.is_empty() {
                drop(std::mem::take(&mut **errands));
            }
        });
    }
}

impl Inner {
    /// Work for this graph.
    pub fn errand(&self) -> Errand {
        self.errand_for(0)
    }

    /// The initialisation or deinitialisation of an entity of this graph.
    pub fn errand_for(&self, entity: Uid) -> Errand {
        Errand { context: self.raw().addr(), entity }
    }

    /// Whether the calling thread works for this graph.
    pub fn is_inside(&self) -> bool {
        let context = self.raw().addr();
        ERRANDS.with_borrow(|errands| errands.iter().any(|errand| errand.context == context))
    }

    /// Whether the calling thread initialises or deinitialises this entity.
    pub fn is_inside_entity(&self, entity: Uid) -> bool {
        let context = self.raw().addr();
        let matches = |errand: &Errand| errand.context == context && errand.entity == entity;
        ERRANDS.with_borrow(|errands| errands.iter().any(matches))
    }

    /// Whether the calling thread initialises or deinitialises an entity of this graph.
    pub fn initializes_here(&self) -> bool {
        let context = self.raw().addr();
        let matches = |errand: &Errand| errand.context == context && errand.entity != 0;
        ERRANDS.with_borrow(|errands| errands.iter().any(matches))
    }

    /// Rejects `call`, which waits for the graph, on a thread that the graph waits for.
    pub fn must_be_outside(&self, call: &str) -> Result<()> {
        if self.is_inside() {
            let text = format!(
                "{call} is not possible from within the graph, which would wait for itself; use \
                 `interrupt` to end a run"
            );
            return Err(Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text));
        }
        Ok(())
    }
}
