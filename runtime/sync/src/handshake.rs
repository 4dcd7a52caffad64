//! The order between two threads that each write something and then read what the other wrote: at
//! least one of them sees the other's write. The side that does so often pays nothing if the kernel
//! offers a barrier for all threads of the process; otherwise both execute a fence.

use crate::loom::atomic::{Ordering, fence};
use crate::loom::barrier;

/// Between write and read of the side that does so often.
#[inline(always)]
pub(crate) fn often() {
    if barrier::is_offered() {
        barrier::light();
    } else {
        fence(Ordering::SeqCst);
    }
}

/// Between write and read of the other side.
pub(crate) fn seldom() {
    if barrier::is_offered() {
        barrier::heavy();
    } else {
        fence(Ordering::SeqCst);
    }
}
