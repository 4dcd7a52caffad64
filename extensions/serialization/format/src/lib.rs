//! Recordings: the file pair `NAME.gxf_index` and `NAME.gxf_entities`.
//!
//! `NAME.gxf_entities` holds serialized entities (the frames), back to back. `NAME.gxf_index` holds
//! one record of 24 bytes for each frame: when it was recorded, how long it is and where it begins.
//! All numbers are little endian, without padding.
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
//! No payload states its size in front of it, so a frame can only be walked as far as the types of
//! its components are known; [`walk`] knows those of the stock serializers.
//!
//! A map:
//!
//! - [`layout`]: the records above, to bytes and back; [`multimedia`]: headers of video and sound;
//! - [`walk`]: from component to component through one entity, never past its end;
//! - [`RecordingPaths`]: which two files a name means;
//! - [`Recording`]: frames by number; [`FrameReader`]: the bytes of one frame as a stream;
//! - [`RecordingWriter`]: frames to files, so that a crash at any moment leaves a readable prefix;
//! - [`inspect`]: what is in a recording, and what is wrong with it;
//! - [`cut`]: some of the frames to a new recording; [`repair`]: an index anew.
//!
//! Nothing here trusts a length that a file states: each is compared with what is really there
//! before anything is read or allocated.
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
pub mod walk;
mod writer;

pub use error::{Error, FrameError, Result};
pub use frame_reader::FrameReader;
pub use paths::RecordingPaths;
pub use recording::{Recording, open_file};
pub use source::Source;
pub use writer::{RecordingWriter, wall_clock};
