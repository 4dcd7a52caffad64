//! Messages of a graph as parts, and back: shared by the recorder, the replayer and by
//! `libgxe_foxglove.so` and `libgxe_rerun.so`, which show them live. The crate `gxe-mcap-format` says
//! what a part is.
//!
//! - [`parts_of`]: a message as its parts, with the [`Foreign`] payload that has no schema;
//! - [`message_of`]: the message that was recorded;
//! - `part.rs`: payload by payload;
//! - [`receivers`]: what these components do with their receivers and topics; [`ticks_on_messages`]
//!   makes them their own scheduling terms.
//!
//! It must not import the runtime.
#![forbid(unsafe_code)]

mod part;
pub mod receivers;

use gxe_mcap_format::Part;
use gxf::serialization::is_from_index;
use gxf::{Message, Payload, Result, Tid, Timestamp};
pub use part::message_of;

/// A payload that has no schema.
pub struct Foreign {
    /// Its name in the message.
    pub name: String,
    /// Its type.
    pub tid: Tid,
}

/// The parts of a message, each with the name of its payload.
pub type Parts = Vec<(String, Part)>;

/// The parts of a message with the names of their payloads, without its timestamp and what a replay
/// added; and the last payload, if any, that has no schema. `time` is the log time in nanoseconds.
///
/// # Errors
/// A payload cannot be read, such as memory of a device.
pub fn parts_of(message: &Message, time: u64) -> Result<(Parts, Option<Foreign>)> {
    let mut parts = Vec::new();
    let mut foreign = None;
    for payload in message.payloads() {
        if payload.tid == <Timestamp as Payload>::TID || is_from_index(message, &payload) {
            continue;
        }
        match part::part_of(message, &payload, time)? {
            Some(part) => parts.push((payload.name.to_owned(), part)),
            None => foreign = Some(Foreign { name: payload.name.to_owned(), tid: payload.tid }),
        }
    }
    Ok((parts, foreign))
}
