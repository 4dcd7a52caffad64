//! What gxe records in MCAP files, for the extension and for `gxe recording`.
//!
//! Each payload of a message is a message of MCAP, here a *part*, on the channel `/TOPIC/PAYLOAD`.
//! The parts of one message follow each other and have the same `sequence` and log time. A message
//! with any payload that has no schema is one part on the channel `/TOPIC`, in the bytes of an
//! entity serializer. The log time is when the message was acquired.
//!
//! | payload | encoding | schema |
//! |---|---|---|
//! | a number | JSON | `gxe.Number`: `value`; `null` is NaN, and infinite numbers are texts |
//! | a tensor of `uint8` with height, width and 1, 3 or 4 | Protocol Buffers | `foxglove.RawImage` |
//! | a frame of video with one plane that Foxglove shows | Protocol Buffers | `foxglove.RawImage` |
//! | a tensor of `uint8` that is a PNG, JPEG or WebP file | Protocol Buffers | `foxglove.CompressedImage` |
//! | a tensor of `int8` with texts, each with a newline at its end | Protocol Buffers | `foxglove.Log` |
//! | any other tensor | Protocol Buffers | `gxe.Tensor`: `element_type`, `shape`, `data` |
//! | the end of a stream | JSON | `gxe.EndOfStream`: `stream_id` |
//! | a whole message | `gxf` | none |
//!
//! The channel's metadata has the name of the payload (`gxe.payload`), its type (`gxe.type`) and the
//! topic (`gxe.topic`).
//!
//! A map:
//!
//! - [`schema`]: the kinds of channels and their schemas; [`tensor`]: tensors to bytes and back;
//!   [`foxglove`]: the same for what has a schema of Foxglove;
//! - [`Messages`]: the messages of a file; [`Writer`]: messages to a file;
//! - `frames.rs`: the file, which gets whole messages only; `protobuf.rs`: the few parts of Protocol
//!   Buffers that this takes.
//!
//! It knows nothing of graphs: it must not import the SDK or the runtime.
#![forbid(unsafe_code)]

pub mod foxglove;
mod frames;
mod messages;
mod protobuf;
pub mod schema;
pub mod tensor;
mod writer;

pub use frames::open;
pub use messages::{Messages, Recorded, is_mcap};
pub use writer::{Part, Writer};

/// What is wrong with a file or its content.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The form of a file, or the file system.
    #[error(transparent)]
    Mcap(#[from] mcap::McapError),
    /// A file that cannot be created.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// A message in Protocol Buffers that does not follow its schema.
    #[error("a message of the recording is damaged")]
    Damaged,
    /// A tensor whose dimensions exceed GXF's.
    #[error("a tensor of the recording is too large")]
    TooLarge,
}
