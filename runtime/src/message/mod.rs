//! Messages: where they live, how they queue, how they travel.
//!
//! - `free_list.rs`: which cells of the pool are free, without a lock;
//! - `payload_type.rs`: the types of what messages carry;
//! - `content.rs`: what a message holds, and the memory it lies in;
//! - `cells.rs`: the cells messages live in;
//! - `pool.rs`: what can be done with a message, behind the border's `message_…` functions;
//! - `by_id.rs`: messages for those who know but an id, as programs in C do;
//! - `async_buffer.rs`: `AsyncBufferReceiver` and `AsyncBufferTransmitter`;
//! - `queue.rs`: `DoubleBufferReceiver` and `DoubleBufferTransmitter`;
//! - `router.rs`: `Connection` and `Topic`, and which transmitter leads to which receivers.

pub(crate) mod async_buffer;
pub(crate) mod by_id;
pub(crate) mod cells;
mod content;
pub(crate) mod free_list;
pub(crate) mod payload_type;
pub(crate) mod pool;
pub(crate) mod queue;
pub(crate) mod router;
#[cfg(all(test, not(loom)))]
mod tests;
