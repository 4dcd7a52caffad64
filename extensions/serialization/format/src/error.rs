//! What can be wrong with a recording.

use crate::type_id::TypeId;
use std::io;
use std::path::PathBuf;

/// Result, by default with [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// A recording that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused something.
    #[error("the file '{path}' cannot be {action}")]
    File {
        /// Which file.
        path: PathBuf,
        /// `opened`, `read`, `written`, ….
        action: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The recording is in use.
    #[error(
        "the file '{path}' is in use: another program or component reads or writes this recording; \
         write to another directory or basename"
    )]
    InUse {
        /// Which file.
        path: PathBuf,
    },
    /// Reading failed where no path is known.
    #[error("the recording cannot be read")]
    Read(#[source] io::Error),
    /// The index does not have the frame.
    #[error("there is no frame {number}: the recording has {frames}")]
    NoFrame {
        /// The requested frame, from 0.
        number: u64,
        /// How many there are.
        frames: u64,
    },
    /// A frame is damaged.
    #[error("frame {number} is damaged: {error}")]
    Frame {
        /// Which frame, from 0.
        number: u64,
        /// What is wrong with it.
        error: FrameError,
    },
    /// A frame to write has no bytes.
    #[error("a frame without bytes cannot be recorded")]
    EmptyFrame,
}

/// What is wrong with one frame. Sizes and offsets are in bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The index record points outside the entities file.
    #[error(
        "the index says it has {size} bytes at offset {offset}, but the entities file has {available}"
    )]
    OutsideFile {
        /// Length according to the index.
        size: u64,
        /// Offset according to the index.
        offset: u64,
        /// Length of the entities file.
        available: u64,
    },
    /// The index record is shorter than any entity.
    #[error("the index says it has {size} bytes, and the header of an entity alone has 40")]
    TooShort {
        /// Length according to the index.
        size: u64,
    },
    /// Something stated in the frame reaches past its end.
    #[error("{what} of component {component} needs {needed} bytes where only {available} are left")]
    Truncated {
        /// `the header`, `the name`, ….
        what: &'static str,
        /// Which component, from 0.
        component: u64,
        /// How many bytes it needs.
        needed: u64,
        /// How many are left in the frame.
        available: u64,
    },
    /// The header of the entity reaches past the end.
    #[error("the header of an entity needs 40 bytes where only {available} are left")]
    NoHeader {
        /// How many bytes are left.
        available: u64,
    },
    /// The length of a component is unknown.
    #[error("component {component} has the type {tid}, whose length is not known")]
    UnknownType {
        /// Which component, from 0.
        component: u64,
        /// Its type.
        tid: TypeId,
    },
    /// The header of a tensor contradicts itself.
    #[error("the tensor in component {component} is impossible: {problem}")]
    Tensor {
        /// Which component, from 0.
        component: u64,
        /// What is wrong.
        problem: TensorError,
    },
    /// A header that states no possible size.
    #[error("the {what} in component {component} is impossible: it states no size")]
    NoSize {
        /// `video frame` or `sound`.
        what: &'static str,
        /// Which component, from 0.
        component: u64,
    },
    /// The components end before the frame does.
    #[error("its components end {left} bytes before the end that the index states")]
    TooLong {
        /// Bytes that belong to nothing.
        left: u64,
    },
    /// The operating system could not read it.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// What is wrong with the header of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// More than 8 dimensions.
    #[error("a rank of {0}, and the highest is 8")]
    Rank(u32),
    /// A dimension below zero.
    #[error("a dimension of {0}")]
    Dimension(i32),
    /// An unknown element type.
    #[error("element type {0}, and the highest is 13")]
    ElementType(i32),
    /// An unknown storage type.
    #[error(
        "storage type {0}; it is 0 for host, 1 for device, 2 for system or 3 for managed memory"
    )]
    StorageType(i32),
    /// An element size that does not belong to the element type.
    #[error("{bytes} bytes per element of type {element_type}")]
    ElementSize {
        /// The size stated.
        bytes: u64,
        /// The type stated.
        element_type: i32,
    },
    /// More bytes than a file can have.
    #[error("more than 2^63 bytes of data")]
    Size,
}
