//! The living contexts of this process, to distinguish a context from any other address.

use super::{Context, Result};
use crate::inner::Inner;
use gxf_app::error::Error;
use gxf_plugin_abi::ResultCode;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Weak};

/// By address of the `Inner`, which extensions use as the context.
static LIVE: RwLock<BTreeMap<usize, Weak<Inner>>> = RwLock::new(BTreeMap::new());

pub(super) fn add(inner: &Arc<Inner>) {
    LIVE.write().insert(inner.raw().addr(), Arc::downgrade(inner));
}

pub(super) fn remove(inner: &Arc<Inner>) {
    LIVE.write().remove(&inner.raw().addr());
}

fn invalid() -> Error {
    Error::new(ResultCode::CONTEXT_INVALID, "this is not a context, or it was destroyed")
}

impl Context {
    /// The address of this context for extensions and the C API.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.inner.raw().cast()
    }

    /// The context at this address. It does not keep the graph alive: once the context's last owner
    /// is gone, calls fail.
    ///
    /// # Errors
    /// `CONTEXT_INVALID`: no context has this address.
    pub fn from_raw(address: *const c_void) -> Result<Self> {
        let inner = LIVE.read().get(&address.addr()).and_then(Weak::upgrade);
        inner.map(|inner| Self { inner, _owner: None }).ok_or_else(invalid)
    }

    /// The context at this address, if there is one.
    pub(crate) fn at(address: usize) -> Option<Self> {
        Self::from_raw(std::ptr::without_provenance(address)).ok()
    }

    /// The address of what contexts with common types share.
    #[must_use]
    pub fn shared_raw(&self) -> *mut c_void {
        Arc::as_ptr(&self.inner.graph.registry).cast_mut().cast()
    }

    /// A new context with the extensions and types of others; see [`Context::shared_raw`].
    ///
    /// # Errors
    /// `CONTEXT_INVALID`: no context shares what has this address.
    pub fn from_shared_raw(address: *const c_void) -> Result<Self> {
        let all: Vec<_> = LIVE.read().values().filter_map(Weak::upgrade).collect();
        let found =
            all.iter().find(|inner| Arc::as_ptr(&inner.graph.registry).addr() == address.addr());
        found
            .map(|inner| Self::owning(Inner::new(inner.graph.registry.clone())))
            .ok_or_else(invalid)
    }
}
