//! YAML text as a tree whose nodes know their place.
//!
//! The tree keeps scalars as text, because what a scalar means depends on the type of the
//! parameter it is given to, and that is known only after the extensions are loaded.
//!
//! Beyond plain YAML 1.2:
//! - a merge key (`<<: *defaults`) is expanded; own keys win over merged ones. GXF takes `<<` for
//!   an ordinary key and ignores it.
//! - a key that stands twice in one mapping is an error; GXF takes the first.
//! - nesting is limited to [`MAX_DEPTH`] levels, and what aliases add to [`MAX_ALIASED`] nodes.

mod build;
mod emit;
mod failure;
mod merge;
mod node;
mod read;
mod simple;
#[cfg(test)]
mod tests;

pub(super) use build::parse_value_at;
pub use build::{MAX_ALIASED, MAX_DEPTH, parse_stream};
pub use emit::emit;
pub use node::{Kind, Node};
pub use read::read_source;
