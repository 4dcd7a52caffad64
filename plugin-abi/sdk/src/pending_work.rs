//! Work outside the graph that no entity waits for by itself.

use crate::host::host;
use crate::{ContextHandle, abi};
use abi::{PendingWorkTable, tids};
use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

/// Work outside the graph that changes what entities can do, such as a device that is about to give
/// memory back. Until it is dropped, an idle graph is not in a deadlock. Drop it after the effects of
/// the work are visible. A term that answers `WAIT_EVENT` needs no such value: its entity waits.
pub struct PendingWork(NonNull<c_void>);

// SAFETY: the ABI lets any thread end the work.
unsafe impl Send for PendingWork {}
// SAFETY: shared references do nothing.
unsafe impl Sync for PendingWork {}

fn begin(context: *mut abi::Context) -> Option<PendingWork> {
    static TABLE: OnceLock<Option<&PendingWorkTable>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let table = (host().host_interface, tids::PENDING_WORK);
        // SAFETY: the host's table with this id has this type and lives as long as the process.
        unsafe { (table.0)(table.1).cast::<PendingWorkTable>().as_ref() }
    });
    // SAFETY: callers pass null or a context that is alive.
    NonNull::new(unsafe { ((*table)?.begin)(context) }).map(PendingWork)
}

impl PendingWork {
    /// Work that matters to this graph; `None` if it does not run, and then nobody waits.
    #[must_use]
    pub fn of(context: &ContextHandle) -> Option<Self> {
        begin(context.raw())
    }

    /// Work that matters to the graph that this thread executes; `None` if it executes none.
    #[must_use]
    pub fn of_this_thread() -> Option<Self> {
        begin(null_mut())
    }
}

impl Drop for PendingWork {
    fn drop(&mut self) {
        // SAFETY: the host's table with this id has this type; the work began, and ends once.
        unsafe {
            let table = (host().host_interface)(tids::PENDING_WORK).cast::<PendingWorkTable>();
            if let Some(table) = table.as_ref() {
                (table.end)(self.0.as_ptr());
            }
        }
    }
}
