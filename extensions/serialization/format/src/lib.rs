//! Recordings: the file pair `NAME.gxf_index` and `NAME.gxf_entities`.
//!
//! `NAME.gxf_entities` holds serialized entities (the frames), back to back. `NAME.gxf_index` holds
//! a record of 24 bytes for each frame: log time, length and offset. All numbers are little endian,
//! without padding.
//!
//! ```text
//! entity     u64 size (0)  u32 checksum (0)  u64 sequence number  u32 flags (0)
//!            u64 component count  u64 reserved (0)                               40 bytes
//!  component u64 size (0)  u64 type hash 1  u64 type hash 2  u64 name length     32 bytes
//!            name, payload                                                       once each
//!   tensor   i32 storage  i32 element type  u64 bytes per element  u32 rank
//!            i32 dimensions[8]  u64 strides[8]                                  116 bytes
//!            data
//! ```
//!
//! Payloads have no size field, so a walk through a frame needs to know the types of its
//! components; [`walk`] knows those of the stock serializers.
//!
//! A map:
//!
//! - [`layout`]: the records above, to bytes and back; [`multimedia`]: headers of video and sound;
//! - [`walk`]: from component to component through one entity, never past its end;
//! - [`RecordingPaths`]: the two files of a recording;
//! - [`Recording`]: frames by number; [`FrameReader`]: the bytes of one frame as a stream;
//! - [`RecordingWriter`]: frames to files, so that a crash at any moment leaves a readable prefix;
//! - [`inspect`]: what is in a recording, and what is wrong with it;
//! - [`cut`]: some of the frames to a new recording; [`repair`]: a new index.
//!
//! Nothing here trusts a length in a file: it compares each with the real size of the file before
//! it reads or allocates anything.
#![forbid(unsafe_code)]

pub mod cut;
mod error;
mod frame_reader;
pub mod inspect;
pub mod layout;
pub mod multimedia;
mod paths;
mod recording;
pub mod repair;
mod source;
mod type_id;
pub mod walk;
mod writer;

pub use error::{Error, FrameError, Result};
pub use frame_reader::FrameReader;
pub use paths::RecordingPaths;
pub use recording::{Recording, open_file};
pub use source::Source;
pub use type_id::TypeId;
pub use writer::{RecordingWriter, wall_clock};
