//! What links between processes send to each other over a stream. The crate reads and writes bytes
//! and does nothing else, so that it can be fuzzed; it knows neither graphs nor sockets.
//!
//! A map:
//!
//! - `frame.rs`: the header that everything begins with, and the small frames;
//! - `greeting.rs`: what both ends say first;
//! - `chunks.rs`: small messages until the other end has them;
//! - `walk.rs`: looks through the header of a message before anything is allocated for it.
//!
//! # The stream
//!
//! The transmitter connects and sends a `HELLO`. The receiver answers with `WELCOME` or `REFUSED`.
//! From then on the transmitter sends `MESSAGE` or `COMPACT` and, after the last one, `END`; the receiver sends
//! `CREDIT`, and `ENDED` when it takes no more. Both send `HEARTBEAT`, which the other one answers
//! with `ECHO`.
//!
//! ```text
//! offset  size
//!  0      4    magic, "GXEL"
//!  4      1    version of the layout, 1
//!  5      1    kind
//!  6      2    0
//!  8      8    sequence number of a message; otherwise what the kind says
//! 16      8    bytes of the body, which follows the head
//! 24      4    bytes of the head, which follows this header
//! 28      4    CRC-32 of the 28 bytes before
//! ```
//!
//! All numbers are little endian. The head of a `MESSAGE` is what its serializer wrote (an entity in the
//! layout of GXF's links), and the body is the memory of its tensors and frames, back to back. A
//! `COMPACT` one has no body, and its head the shorter layout of GXF's recordings.
#![forbid(unsafe_code)]

/// A body of at most so many bytes is a copy, for which the transmitter does not hold its message. So
/// it needs no `CREDIT` of its own.
pub const COPIED: u64 = 512;

mod chunks;
mod frame;
mod greeting;
mod walk;

pub use chunks::{Chunks, Place};
pub use frame::{FRAME_SIZE, Frame, FrameError, Kind};
pub use greeting::{GREETING_LIMIT, Greeting, GreetingError, Hello, PROTOCOL, Refused, Welcome};
pub use walk::{WalkError, walk};
