//! Whether the graph that this thread executes wants work to become CUDA graphs, and what becomes of
//! it.

use gxf::abi::{DeviceGraphTable, tids};
use gxf::host::host;
use std::sync::OnceLock;

/// The host's table; `None` if the host is older than ABI 1.10.
fn table() -> Option<&'static DeviceGraphTable> {
    static TABLE: OnceLock<Option<&DeviceGraphTable>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        // SAFETY: the host's table with this id is a `DeviceGraphTable` that lives as long as the
        // process.
        unsafe { (host().host_interface)(tids::DEVICE_GRAPHS).cast::<DeviceGraphTable>().as_ref() }
    })
}

/// Whether the piece of work that this thread begins may become a graph.
pub(crate) fn is_wanted() -> bool {
    // SAFETY: the function may be called at any time.
    table().is_some_and(|table| unsafe { (table.is_wanted)() })
}

/// A piece of work was enqueued one by one, for a reason that does not change, or an empty one.
pub(crate) fn ordinary(reason: &str) {
    if let Some(table) = table() {
        // SAFETY: the text is readable during the call.
        unsafe { (table.ordinary)(gxf::text_of(reason)) };
    }
}
