//! A context: one graph and everything it owns. The only public way into the runtime.
//!
//! [`Context`] is what an embedder holds; [`Inner`] is what the rest of the runtime uses and,
//! through the host table, extensions. Each file has the functions of `Context` for one subject,
//! and what only they need of `Inner`:
//!
//! - `loading.rs`: extension libraries, manifests and app files;
//! - `running.rs`: activation, run, pause, end; `lifecycle` does the work;
//! - `reports.rs`, `status.rs`: findings, status, statistics, traces;
//! - `entities.rs`, `components.rs`, `parameters.rs`, `groups.rs`, `types.rs`: access by id or
//!   name;
//! - `objects.rs`: ids that refer to an entity, a message, or both;
//! - `address.rs`: contexts by their addresses.

mod address;
mod components;
mod entities;
mod groups;
mod loading;
mod objects;
pub(crate) mod parameters;
mod reports;
mod running;
pub mod status;
mod types;

use crate::inner::Inner;
use crate::live;
use gxf_app::error::Result;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One graph: its extensions, entities and its run.
///
/// Clones share the graph. When the last clone is dropped, the graph is deactivated and destroyed.
/// All functions may be called from any thread.
#[derive(Clone)]
pub struct Context {
    pub(crate) inner: Arc<Inner>,
    /// `None` for a borrowed context, see [`Context::from_raw`].
    _owner: Option<Arc<Owner>>,
}

/// The last owner ends the graph; extensions may keep the memory alive beyond that.
struct Owner {
    inner: Arc<Inner>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.inner.leave_graph();
        self.inner.destroy();
        live::remove(&self.inner);
    }
}

impl Context {
    /// A context with the standard extension and no entities.
    #[must_use]
    pub fn new() -> Self {
        crate::host::table();
        crate::prepare_process();
        let inner = Inner::new(Arc::default());
        inner.add_standard_extension();
        Self::owning(inner)
    }

    fn owning(inner: Inner) -> Self {
        let inner = Arc::new(inner);
        // Of the `Arc`, not of a reference: extensions count references through this pointer.
        inner.address.store(Arc::as_ptr(&inner).cast_mut(), Ordering::Relaxed);
        live::add(&inner);
        Self { inner: inner.clone(), _owner: Some(Arc::new(Owner { inner })) }
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// The address by which extensions know the context.
    #[cfg(test)]
    pub(crate) fn raw(&self) -> *mut gxf_plugin_abi::Context {
        self.inner().raw()
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entities = self.inner().graph.store.read().entities().len();
        write!(formatter, "Context({entities} entities)")
    }
}
