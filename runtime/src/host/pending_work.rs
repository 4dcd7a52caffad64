//! `gxe::PendingWork`: what keeps an idle graph from being in a deadlock.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::inner;
use crate::live;
use gxf_plugin_abi::{Context, PendingWorkTable};
use gxf_sync::event_queue::Expected;
use std::ffi::c_void;
use std::ptr::null_mut;

/// The table.
pub(super) static PENDING_WORK: PendingWorkTable =
    PendingWorkTable { size: size_of::<PendingWorkTable>(), begin, end };

unsafe extern "C" fn begin(context: *mut Context) -> *mut c_void {
    let expected = if context.is_null() {
        let inner = live::of_this_thread();
        inner.and_then(|inner| inner.expect_event())
    } else {
        // SAFETY: `context` is alive.
        unsafe { inner(context) }.ok().and_then(|inner| inner.expect_event())
    };
    expected.map_or(null_mut(), |expected| Box::into_raw(Box::new(expected)).cast())
}

unsafe extern "C" fn end(work: *mut c_void) {
    // SAFETY: the box of `begin`, which ends once.
    drop(unsafe { Box::from_raw(work.cast::<Expected>()) });
}
