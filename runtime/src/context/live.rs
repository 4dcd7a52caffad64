//! The contexts that are alive in this process, so that a mere address can be told from a context.

use super::{Context, Inner, Result};
use crate::error::Error;
use gxf_plugin_abi::ResultCode;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Weak};

/// By address of the `Inner`, which is also the address extensions know.
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
    /// The address extensions and the C API know this context by.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.inner.raw().cast()
    }

    /// The context with this address. It does not keep the graph alive: when the context's last
    /// owner is gone, the graph is gone, and calls fail because nothing is there any more.
    ///
    /// # Errors
    /// `CONTEXT_INVALID`: no context has this address.
    pub fn from_raw(address: *const c_void) -> Result<Self> {
        let inner = LIVE.read().get(&address.addr()).and_then(Weak::upgrade);
        inner.map(|inner| Self { inner, _owner: None }).ok_or_else(invalid)
    }

    /// The address of what contexts with common types share.
    #[must_use]
    pub fn shared_raw(&self) -> *mut c_void {
        Arc::as_ptr(&self.inner.registry).cast_mut().cast()
    }

    /// A new context that has the extensions and types of others; see [`Context::shared_raw`].
    ///
    /// # Errors
    /// `CONTEXT_INVALID`: no context shares what has this address.
    pub fn from_shared_raw(address: *const c_void) -> Result<Self> {
        let all: Vec<_> = LIVE.read().values().filter_map(Weak::upgrade).collect();
        let found = all.iter().find(|inner| Arc::as_ptr(&inner.registry).addr() == address.addr());
        found.map(|inner| Self::owning(Inner::new(inner.registry.clone()))).ok_or_else(invalid)
    }
}
