//! The host's table of ticks whose work a device has not done.

use crate::fence::Fence;
use crate::stream::Stream;
use gxf::abi::{DeviceTickTable, tids};
use gxf::host::host;
use std::ptr::from_ref;
use std::sync::OnceLock;

/// The host's table; `None` if the host is older than ABI 1.14.
fn table() -> Option<&'static DeviceTickTable> {
    static TABLE: OnceLock<Option<&DeviceTickTable>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        // SAFETY: the host's table with this id is a `DeviceTickTable` that lives as long as the process.
        unsafe { (host().host_interface)(tids::DEVICE_TICKS).cast::<DeviceTickTable>().as_ref() }
    })
}

/// The tick of this thread, if it is in one, has enqueued work on a stream up to a fence.
pub(crate) fn enqueued(stream: &Stream, fence: &Fence) {
    if let Some(table) = table() {
        // SAFETY: the stream and the fence are alive; a fence is a transparent wrapper.
        unsafe { (table.enqueued)(stream.raw().cast(), from_ref(fence).cast()) };
    }
}
