//! The host's table of work that is held back.

use crate::queue::Queue;
use gxf::abi::{self, DeviceChainTable, tids};
use gxf::host::{check, host};
use gxf::{Result, text_of};
use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::OnceLock;

/// The host's table; `None` if the host is older than ABI 1.12.
fn table() -> Option<&'static DeviceChainTable> {
    static TABLE: OnceLock<Option<&DeviceChainTable>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        // SAFETY: the host's table with this id is a `DeviceChainTable` that lives as long as the
        // process.
        unsafe { (host().host_interface)(tids::DEVICE_CHAINS).cast::<DeviceChainTable>().as_ref() }
    })
}

/// Launches a piece of work on a stream, or holds it back: then the result is its number, and the host
/// has `held`.
///
/// # Errors
/// If the driver refuses the work.
pub(crate) fn launch(queue: &Queue, piece: abi::CudaPiece, held: abi::Callback) -> Result<u32> {
    let stream = queue.raw().cast::<c_void>();
    let Some(table) = table() else {
        // SAFETY: the piece's functions are called as the ABI demands, in the current context.
        let code = unsafe {
            let code = (piece.enqueue)(piece.user, stream);
            (piece.release)(piece.user);
            code
        };
        return check(code).map(|()| 0);
    };
    let mut number = 0;
    let (device, is_foreign) = (queue.device().ordinal(), !queue.keeps_address());
    // SAFETY: the stream is alive, and the pieces and the place are as the ABI demands.
    check(unsafe { (table.launch)(stream, device, is_foreign, piece, held, &raw mut number) })?;
    Ok(number)
}

/// Launches what is held back of a stream, if this piece is among it; 0 stands for any.
///
/// # Errors
/// If the driver refuses the work.
pub(crate) fn let_go(stream: usize, number: u32, reason: &str) -> Result<()> {
    let Some(table) = table() else { return Ok(()) };
    // SAFETY: the address only says which stream is meant; the text is readable during the call.
    check(unsafe { (table.let_go)(with_exposed_provenance_mut(stream), number, text_of(reason)) })
}

/// Calls back when a piece of work is launched. False if it is not held back: the caller has the
/// callback then.
pub(crate) fn after(stream: usize, number: u32, callback: abi::Callback) -> bool {
    // SAFETY: as above; the callback follows the ABI.
    table().is_some_and(|table| unsafe {
        (table.after)(with_exposed_provenance_mut(stream), number, callback)
    })
}

/// Launches all that is held back.
pub(crate) fn let_all_go(reason: &str) {
    if let Some(table) = table() {
        // SAFETY: the text is readable during the call.
        unsafe { (table.let_all_go)(text_of(reason)) };
    }
}
