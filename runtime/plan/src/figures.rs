//! Figures about the memory of a plan, and those that a file states.

use gxf_app::Span;
use serde::Serialize;

/// The memory of the registers that the tasks of a stream fill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamMemory {
    /// Number of the stream.
    pub id: u32,
    /// Bytes.
    pub bytes: u64,
}

/// Memory that one register uses, or several, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    /// Number of the stream.
    pub stream: u32,
    /// Where it is: `host`, `pinned` or `device`.
    pub memory: String,
    /// Bytes.
    pub bytes: u64,
    /// The registers; those in place follow the one whose memory they use.
    pub registers: Vec<String>,
}

/// What a file says of the memory that its plan needs, each with its place; `None` for nothing. It
/// follows from the rest of the plan: see `Plan::memory`.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Bytes of all streams together.
    pub bytes: Option<(u64, Span)>,
    /// Bytes that sharing and in-place registers save.
    pub saved: Option<(u64, Span)>,
    /// Bytes of the variables.
    pub variables: Option<(u64, Span)>,
    /// Of each stream.
    pub streams: Option<(Vec<(StreamMemory, Span)>, Span)>,
    /// What several registers share.
    pub shared: Option<(Vec<Block>, Span)>,
    /// The registers whose size nothing tells.
    pub unknown: Option<(Vec<String>, Span)>,
}
