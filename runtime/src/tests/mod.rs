//! Tests that need the host table and the standard types.

mod memory;
mod messages;
mod messages_by_id;
