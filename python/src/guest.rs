//! Whose runtime executes the codelets of this process: this module's own, or that of `gxe`, in whose
//! process the module is then a guest.

use parking_lot::Mutex;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

static GUEST: AtomicBool = AtomicBool::new(false);
/// The contexts of living codelets, once for each.
static CONTEXTS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Whether this process is one of `gxe`, which has a runtime of its own.
#[pyfunction]
pub fn is_guest() -> bool {
    GUEST.load(Ordering::Relaxed)
}

/// Notes that another runtime executes the codelets.
pub fn become_guest() {
    GUEST.store(true, Ordering::Relaxed);
}

/// Whether a codelet lives in the context at this address.
pub fn is_known_context(address: usize) -> bool {
    CONTEXTS.lock().contains(&address)
}

/// Notes a codelet in the context at this address.
pub fn add_context(address: usize) {
    CONTEXTS.lock().push(address);
}

/// Notes the end of a codelet in the context at this address.
pub fn remove_context(address: usize) {
    let mut contexts = CONTEXTS.lock();
    if let Some(at) = contexts.iter().position(|known| *known == address) {
        contexts.swap_remove(at);
    }
}
