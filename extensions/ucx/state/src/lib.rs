//! What the threads of a link share: the network's, the scheduler's, and those of codelets. Loom
//! models all of it (`make loom`).
//!
//! A map:
//!
//! - `phase.rs`: the state of an end of a link;
//! - `room.rs`: the room behind a transmitter, and whether its entity waits for more;
//! - `lead.rs`: who runs the event loop;
//! - `primitives/`: real primitives, or loom's models of them.
#![forbid(unsafe_code)]

mod lead;
mod phase;
mod primitives;
mod room;

pub use lead::Lead;
pub use phase::{LinkPhase, Phase};
pub use room::Room;
