//! Contexts.

use crate::boundary::{guarded, needed, put};
use crate::{log, visible};
use gxf_plugin_abi::ResultCode;
use gxf_runtime::{Context, Error, Result};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_void;

/// The contexts that this API created, by address, until it destroys them.
static OWNED: Mutex<BTreeMap<usize, Context>> = Mutex::new(BTreeMap::new());

/// # Safety
/// `place` must be null or writable.
unsafe fn hand_out(
    place: *mut *mut c_void,
    create: impl FnOnce() -> Result<Context>,
) -> ResultCode {
    guarded(|| {
        needed(place)?;
        log::start();
        visible::make_symbols_visible();
        gxf_remote::register();
        let context = create()?;
        let address = context.as_raw();
        OWNED.lock().insert(address.addr(), context);
        // SAFETY: `place` is null or writable.
        unsafe { put(place, address) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn GxfContextCreate(context: *mut *mut c_void) -> ResultCode {
    // SAFETY: `context` is null or writable, as the header says.
    unsafe { hand_out(context, || Ok(Context::new())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn GxfContextCreateShared(
    shared: *mut c_void,
    context: *mut *mut c_void,
) -> ResultCode {
    // SAFETY: `context` is null or writable, as the header says.
    unsafe { hand_out(context, || Context::from_shared_raw(shared)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn GxfContextDestroy(context: *mut c_void) -> ResultCode {
    guarded(|| {
        let invalid = || {
            let text = "this is not a context of this API, or it was destroyed";
            Error::new(ResultCode::CONTEXT_INVALID, text)
        };
        let known = OWNED.lock().get(&context.addr()).cloned().ok_or_else(invalid)?;
        // Refuses to destroy a context from within its own graph.
        known.ensure_not_reentrant("destroy")?;
        drop(known);
        let owned = OWNED.lock().remove(&context.addr()).ok_or_else(invalid)?;
        crate::shim::forget(context);
        crate::boundary::logged(owned.end())
    })
}

api! {
    fn GxfGetSharedContext(shared: *mut *mut c_void) |context| {
        put(shared, context.shared_raw())
    }
}
