//! YAML text as a tree whose nodes know their place.
//!
//! The tree keeps scalars as text, because what a scalar means depends on the type of the
//! parameter it is given to, and that is known only after the extensions are loaded.
//!
//! Beyond plain YAML 1.2:
//! - a merge key (`<<: *defaults`) is expanded; own keys win over merged ones. GXF takes `<<` for
//!   an ordinary key and ignores it.
//! - of duplicate keys in one mapping the last one counts, with a warning.
//! - nesting is limited to [`MAX_DEPTH`] levels, and what aliases add to [`MAX_ALIASED`] nodes.

mod build;
mod emit;
mod failure;
mod keys;
mod merge;
mod node;
mod offsets;
mod read;
mod simple;
mod stream;
#[cfg(test)]
pub(super) mod tests;

pub use build::{MAX_ALIASED, MAX_DEPTH};
pub use emit::{emit, emit_as_written};
pub use node::{Kind, Node};
pub use read::{read_file, read_source, read_source_unless};
pub(crate) use stream::for_each_document;
pub use stream::{parse_stream, parse_value_at};
