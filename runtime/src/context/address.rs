//! Contexts by their addresses, as extensions and the C API know them.

use super::{Context, Result};
use crate::inner::Inner;
use crate::live;
use gxf_app::error::Error;
use gxf_plugin_abi::ResultCode;
use std::ffi::c_void;
use std::sync::Arc;

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
        live::at(address.addr()).map(|inner| Self { inner, _owner: None }).ok_or_else(invalid)
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
        let all = live::all();
        let found =
            all.iter().find(|inner| Arc::as_ptr(&inner.graph.registry).addr() == address.addr());
        found
            .map(|inner| Self::owning(Inner::new(inner.graph.registry.clone())))
            .ok_or_else(invalid)
    }
}
