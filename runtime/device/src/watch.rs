//! What the graph that this thread executes wants to know about work on devices.

use gxf::abi::{DeviceWork, DeviceWorkTable, tids};
use gxf::host::host;
use std::ffi::c_void;
use std::ptr::{NonNull, null};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The host's table; `None` if the host is older than ABI 1.9.
fn table() -> Option<&'static DeviceWorkTable> {
    static TABLE: OnceLock<Option<&DeviceWorkTable>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        // SAFETY: the host's table with this id is a `DeviceWorkTable` that lives as long as the
        // process.
        unsafe { (host().host_interface)(tids::DEVICE_WORK).cast::<DeviceWorkTable>().as_ref() }
    })
}

static WAS_SYNCHRONOUS: AtomicBool = AtomicBool::new(false);

/// Whether the graph that this thread executes waits for the device after each piece of work.
pub(crate) fn is_synchronous() -> bool {
    // SAFETY: the function may be called at any time.
    let is_synchronous = table().is_some_and(|table| unsafe { (table.is_synchronous)() });
    if is_synchronous {
        WAS_SYNCHRONOUS.store(true, Ordering::Relaxed);
    }
    is_synchronous
}

/// As [`is_synchronous`], for any thread: whether this thread's graph, or one before, does so.
pub(crate) fn was_synchronous() -> bool {
    is_synchronous() || WAS_SYNCHRONOUS.load(Ordering::Relaxed)
}

/// A graph that waits to hear about a piece of work.
pub(crate) struct Watch(NonNull<c_void>);

// SAFETY: the ABI lets any thread end it.
unsafe impl Send for Watch {}

impl Watch {
    /// `None` if nobody watches.
    pub fn of_this_thread() -> Option<Self> {
        // SAFETY: the function may be called at any time.
        NonNull::new(unsafe { (table()?.begin)() }).map(Self)
    }

    pub fn end(self, work: *const DeviceWork) {
        if let Some(table) = table() {
            // SAFETY: it began, and ends once: `self` is forgotten. `work` is null or valid.
            unsafe { (table.end)(self.0.as_ptr(), work) };
        }
        std::mem::forget(self);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        Self(self.0).end(null());
    }
}
