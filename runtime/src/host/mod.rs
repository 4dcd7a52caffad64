//! The host table: the functions for extensions. Each one checks its arguments, calls the context,
//! and converts errors to a code and a text on the caller's thread (`gxf_plugin::reported`).
//! `components.rs`, `entities.rs`, `messages.rs`, `wake_token.rs` and `log.rs` have the functions;
//! `trace.rs`, `devices.rs`, `device_work.rs`, `device_ticks.rs`, `device_graphs.rs`,
//! `device_chains.rs` (with `chain_ends.rs`), `cuda.rs` and `pending_work.rs` are tables that `host_interface` finds;
//! `in_program.rs` adds extensions that are part of the program; `fatal.rs` names the code that ends a
//! process; `signals.rs` waits for Ctrl-C and SIGTERM.
//!
//! # Safety
//! Extensions call all functions of the table with pointers that the ABI requires to be valid:
//! contexts, messages and owners that are alive, readable texts, writable results.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

pub(crate) mod chain_ends;
mod components;
mod cuda;
mod device_chains;
mod device_graphs;
mod device_ticks;
pub(crate) mod device_work;
mod devices;
mod entities;
pub(crate) mod fatal;
mod in_program;
mod log;
mod messages;
mod pending_work;
pub(crate) mod signals;
mod trace;
mod wake_token;

use crate::inner::Inner;
use components::*;
use entities::*;
use gxf_app::error::{Error, Result};
use gxf_plugin::reported::{answer, finish, last_error, report_error, text};
use gxf_plugin_abi::{ABI_MAJOR, ABI_MINOR, CStr, Context, HostTable, ResultCode, Tid, tids};
use log::*;
use messages::*;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;
use wake_token::*;

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
    wake_token_new,
    wake_token_retain,
    wake_token_use,
    wake_token_release,
    entity_fail,
    host_interface,
};

/// The host table: the functions for extensions and for programs that embed the runtime. A process
/// has one. This also sets the host's own copy of the SDK.
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

/// Where a caller wants its result; `None` for a null pointer.
///
/// # Safety
/// `pointer` must be null or writable.
unsafe fn place<'a, T>(pointer: *mut T) -> Option<&'a mut MaybeUninit<T>> {
    // SAFETY: not null and therefore writable; nothing is read from it.
    unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() }
}

/// The answer to a caller that wants its result nowhere.
#[cold]
fn missing_place() -> ResultCode {
    finish(Err(null_pointer()))
}

/// # Safety
/// `pointer` must be null or writable.
unsafe fn put<T>(pointer: *mut T, value: T) -> Result<()> {
    // SAFETY: null or writable.
    unsafe { place(pointer) }.ok_or_else(null_pointer)?.write(value);
    Ok(())
}

unsafe extern "C" fn context_retain(context: *mut Context) {
    // SAFETY: `context` is alive; a context's address comes from an `Arc`.
    unsafe { Arc::increment_strong_count(context.cast_const().cast::<Inner>()) };
}

unsafe extern "C" fn context_release(context: *mut Context) {
    // SAFETY: `context` is alive.
    unsafe { Arc::decrement_strong_count(context.cast_const().cast::<Inner>()) };
}

unsafe extern "C" fn graph_interrupt(context: *mut Context) -> ResultCode {
    // SAFETY: `context` is alive.
    answer(|| unsafe { inner(context)?.interrupt() })
}

/// The tables of host functions that came after the host table was complete.
unsafe extern "C" fn host_interface(id: Tid) -> *const c_void {
    match id {
        tids::TRACE => (&raw const trace::TRACE).cast(),
        tids::TRACE_LINKS => (&raw const trace::TRACE_LINKS).cast(),
        tids::CUDA => (&raw const cuda::CUDA).cast(),
        tids::CUDA_KERNELS => (&raw const cuda::KERNELS).cast(),
        tids::PENDING_WORK => (&raw const pending_work::PENDING_WORK).cast(),
        tids::DEVICE_WORK => (&raw const device_work::DEVICE_WORK).cast(),
        tids::DEVICE_TICKS => (&raw const device_ticks::DEVICE_TICKS).cast(),
        tids::DEVICE_GRAPHS => (&raw const device_graphs::DEVICE_GRAPHS).cast(),
        tids::DEVICE_CHAINS => (&raw const device_chains::DEVICE_CHAINS).cast(),
        tids::DEVICES => (&raw const devices::DEVICES).cast(),
        _ => std::ptr::null(),
    }
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
