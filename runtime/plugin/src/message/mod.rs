//! Messages: their memory, and operations on them.
//!
//! - [`payload_type`]: the types of payloads;
//! - `content.rs`: the content of a message and its memory;
//! - [`cells`]: the cells of messages;
//! - [`pool`]: operations on messages, behind the ABI's `message_…` functions;
//! - [`by_id`]: messages for callers that know only an id, such as C programs.

pub mod by_id;
pub mod cells;
mod content;
pub mod payload_type;
pub mod pool;
