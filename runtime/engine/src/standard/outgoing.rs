//! The first message that a tick publishes, if its entity is a stage of a pipeline.
//!
//! Mostly it is the only one and is sent right after the tick. So it waits here, where only the thread
//! that ticks finds it, instead of in the transmitter's queue with its lock. Whatever else the tick asks
//! of the transmitter puts it into the queue first, so that a codelet cannot tell the difference. For
//! other threads, it is published when the tick ends.

use gxf::Message;
use std::cell::Cell;
use std::mem::ManuallyDrop;

/// What [`EXPECTED`] has in addition to the address when a message waits; components are aligned.
const WAITS: usize = 1;

thread_local! {
    /// Address of the transmitter whose first message may wait here, and [`WAITS`] if it does; 0 for
    /// none.
    static EXPECTED: Cell<usize> = const { Cell::new(0) };
    /// The message. Without a destructor, which each access would have to look for; nothing is left
    /// here after a tick.
    static FIRST: Cell<ManuallyDrop<Option<Message>>> =
        const { Cell::new(ManuallyDrop::new(None)) };
}

/// A tick begins in which the first message to the transmitter at this address may wait here. A tick
/// within another one leaves the place to that one.
#[inline(always)]
pub fn expect(transmitter: usize) {
    if EXPECTED.get() == 0 {
        EXPECTED.set(transmitter);
    }
}

/// The tick is over: the message that waits here, if there is one.
#[inline(always)]
pub fn collect(transmitter: usize) -> Option<Message> {
    let expected = EXPECTED.get();
    if expected & !WAITS != transmitter {
        return None;
    }
    EXPECTED.set(0);
    if expected == transmitter { None } else { take() }
}

/// Keeps a message to the transmitter at this address, or returns it: nothing is expected from there,
/// another one waits here, or the queue is not empty.
#[inline(always)]
pub fn keep(
    transmitter: usize,
    message: Message,
    is_empty: impl FnOnce() -> bool,
) -> Option<Message> {
    if EXPECTED.get() != transmitter || !is_empty() {
        return Some(message);
    }
    EXPECTED.set(transmitter | WAITS);
    FIRST.set(ManuallyDrop::new(Some(message)));
    None
}

/// The message that waits here, if it is one to the transmitter at this address.
#[inline]
pub fn take_back(transmitter: usize) -> Option<Message> {
    if EXPECTED.get() != transmitter | WAITS {
        return None;
    }
    EXPECTED.set(transmitter);
    take()
}

#[inline(always)]
fn take() -> Option<Message> {
    ManuallyDrop::into_inner(FIRST.replace(ManuallyDrop::new(None)))
}
