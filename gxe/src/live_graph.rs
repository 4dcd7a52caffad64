//! The graph of the run, for other threads.

use gxf_runtime::Context;
use std::sync::{PoisonError, RwLock};

/// Holds the graph while there is one. A borrow delays its destruction, so it must be short: copy
/// what you need, and do slow work outside.
#[derive(Default)]
pub struct LiveGraph(RwLock<Option<Context>>);

impl LiveGraph {
    /// Sets the graph.
    pub fn show(&self, context: &Context) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(context.clone());
    }

    /// Removes the graph, before it is destroyed. Waits for borrows to end.
    pub fn hide(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Borrows the graph, if there is one.
    pub fn look<R>(&self, look: impl FnOnce(&Context) -> R) -> Option<R> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(look)
    }
}
