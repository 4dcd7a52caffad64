//! The host table: what extensions may ask of us. Every function checks what can be checked, calls
//! the context, and turns errors into a code and a text on the caller's thread. A file holds the
//! functions of one kind of thing; `errors.rs` how their errors travel.
//!
//! # Safety
//! All functions of the table are called by extensions, which promise what the border demands:
//! contexts, messages and owners that are alive, readable texts, writable results.

mod components;
mod entities;
mod errors;
mod log;
mod messages;

use crate::context::Inner;
use crate::error::{Error, Result};
use components::*;
use entities::*;
use errors::{answer, last_error, report_error};
pub(crate) use errors::{begin_call, take_reported};
use gxf_plugin_abi::{ABI_MAJOR, ABI_MINOR, CStr, Context, HostTable, ResultCode, Text};
use log::*;
use messages::*;
use std::sync::Arc;

static TABLE: HostTable = HostTable {
    size: size_of::<HostTable>(),
    abi_major: ABI_MAJOR,
    abi_minor: ABI_MINOR,
    report_error,
    last_error,
    log,
    log_severity,
    context_retain,
    context_release,
    entity_create,
    entity_find,
    entity_name,
    entity_activate,
    entity_deactivate,
    entity_destroy,
    entity_notify,
    entity_execute,
    component_add,
    component_find,
    component_find_all,
    component_type,
    component_name,
    component_entity,
    component_pointer,
    component_interface,
    component_retain,
    component_release,
    type_id,
    type_name,
    type_is_base,
    parameter_set,
    parameter_get,
    message_new,
    message_retain,
    message_release,
    message_reference_count,
    message_id,
    message_from_id,
    message_add,
    message_find,
    message_count,
    message_at,
    message_remove,
    message_stamp,
    transmitter_receivers,
    graph_interrupt,
    host_version,
    entity_state,
    entity_status,
    entity_observe,
    message_share,
};

/// What extensions, and programs that embed the runtime, may ask of it: the one table of the
/// process. The host's own copy of the SDK learns it here.
pub fn table() -> &'static HostTable {
    gxf::host::set_host(&TABLE);
    &TABLE
}

fn null_pointer() -> Error {
    Error::new(ResultCode::ARGUMENT_NULL, "a mandatory pointer is null")
}

/// # Safety
/// `context` must be null or a context that is alive.
unsafe fn inner<'a>(context: *mut Context) -> Result<&'a Inner> {
    // SAFETY: a context's address is that of its `Inner`, see `Inner::raw`.
    unsafe { context.cast::<Inner>().as_ref() }
        .ok_or_else(|| Error::new(ResultCode::CONTEXT_INVALID, "the context is null"))
}

/// # Safety
/// `text` must be readable.
unsafe fn text<'a>(text: Text) -> Result<&'a str> {
    // SAFETY: the caller's promise.
    unsafe { gxf::text_to_str(text) }
        .ok_or_else(|| Error::new(ResultCode::ARGUMENT_INVALID, "a text is not UTF-8"))
}

/// # Safety
/// `place` must be null or writable.
unsafe fn put<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(null_pointer());
    }
    // SAFETY: the caller's promise.
    unsafe { place.write(value) };
    Ok(())
}

unsafe extern "C" fn context_retain(context: *mut Context) {
    // SAFETY: the extension's promise; a context's address comes from an `Arc`.
    unsafe { Arc::increment_strong_count(context.cast_const().cast::<Inner>()) };
}

unsafe extern "C" fn context_release(context: *mut Context) {
    // SAFETY: the extension's promise.
    unsafe { Arc::decrement_strong_count(context.cast_const().cast::<Inner>()) };
}

unsafe extern "C" fn graph_interrupt(context: *mut Context) -> ResultCode {
    // SAFETY: the extension's promise.
    answer(|| unsafe { inner(context)?.interrupt() })
}

unsafe extern "C" fn host_version() -> CStr {
    const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
        concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
    ) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}
