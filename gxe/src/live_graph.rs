//! The graph of the run, for other threads.

use gxf_runtime::Context;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// Holds the graph while there is one. A borrow delays its destruction, so it must be short: copy
/// what you need, and do slow work outside.
#[derive(Default)]
pub struct LiveGraph {
    graph: RwLock<Option<Context>>,
    /// Number of graphs so far.
    number: AtomicU64,
    settings: Mutex<BTreeMap<String, String>>,
}

impl LiveGraph {
    /// Sets the graph.
    pub fn show(&self, context: &Context) {
        *self.graph.write().unwrap_or_else(PoisonError::into_inner) = Some(context.clone());
        self.number.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes the graph, before it is destroyed. Waits for borrows to end.
    pub fn hide(&self) {
        self.graph.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Number of graphs so far: another one than before means another graph.
    #[cfg(feature = "serve")]
    pub fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// Values that a person has set while it ran: YAML by `entity/component/key`.
    pub fn settings(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Borrows the graph, if there is one.
    pub fn look<R>(&self, look: impl FnOnce(&Context) -> R) -> Option<R> {
        self.graph.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(look)
    }
}
