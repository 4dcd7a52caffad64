//! What the threads of a link share: the network's, the scheduler's, and those of codelets. Loom
//! models all of it (`make loom`).
//!
//! A map:
//!
//! - `phase.rs`: the state of an end of a link;
//! - `room.rs`: the room behind a transmitter, and whether its entity waits for more;
//! - `lead.rs`: who runs the event loop;
//! - `burst.rs`: how closely messages follow each other; `postponed.rs`: things to do a moment later;
//! - `primitives/`: real primitives, or loom's models of them.
#![forbid(unsafe_code)]

mod burst;
mod lead;
mod phase;
mod postponed;
mod primitives;
mod room;

pub use burst::Burst;
pub use lead::Lead;
pub use phase::{LinkPhase, Phase};
pub use postponed::Postponed;
pub use room::Room;
