//! The graph of the run, for whoever looks at it from another thread.

use gxf_runtime::Context;
use std::sync::{PoisonError, RwLock};

/// Holds the graph while there is one. Whoever looks keeps it from being destroyed meanwhile, so a
/// look must be short.
#[derive(Default)]
pub struct LiveGraph(RwLock<Option<Context>>);

impl LiveGraph {
    /// This is the graph from now on.
    pub fn show(&self, context: &Context) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(context.clone());
    }

    /// It is about to be destroyed. Waits for those who look at it.
    pub fn hide(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Looks at the graph, if there is one.
    pub fn look<R>(&self, look: impl FnOnce(&Context) -> R) -> Option<R> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(look)
    }
}
