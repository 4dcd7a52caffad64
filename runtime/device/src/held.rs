//! How many pieces of work are held back.

use std::sync::atomic::{AtomicUsize, Ordering};

static HELD: AtomicUsize = AtomicUsize::new(0);

/// Whether there are any.
pub(crate) fn is_any_held() -> bool {
    HELD.load(Ordering::SeqCst) > 0
}

/// One more is.
pub(crate) fn add() {
    HELD.fetch_add(1, Ordering::SeqCst);
}

/// So many of them are with the driver.
pub(crate) fn remove(count: usize) {
    HELD.fetch_sub(count, Ordering::SeqCst);
}
