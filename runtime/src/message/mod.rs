//! Queues and routes of messages.
//!
//! - `async_buffer.rs`: `AsyncBufferReceiver` and `AsyncBufferTransmitter`;
//! - `queue.rs`: `DoubleBufferReceiver` and `DoubleBufferTransmitter`;
//! - `router.rs`: `Connection` and `Topic`, and the routes from transmitters to receivers.

pub(crate) mod async_buffer;
pub(crate) mod queue;
pub(crate) mod router;
