//! Reads app files and manifests into a description of the graph, and reports everything that is
//! wrong with their text.
//!
//! In the order of work:
//!
//! - [`source`], [`yaml`]: text becomes a tree with places; `scalar.rs`, [`infer`]: the possible
//!   meanings of a scalar;
//! - `read_app.rs`, [`model`]: the tree becomes a description of entities; [`manifest`]: a list of
//!   libraries;
//! - [`parameter`]: types and values of parameters; [`HandleText`]: a handle before its target is
//!   looked up; [`overrides`]: values from the command line;
//! - [`diagnostic`], [`suggest`], `render.rs`: mistakes with their places and remedies; [`escape`]:
//!   safe display of foreign text; [`error`]: the error type of all runtime crates.
//!
//! This crate loads and runs nothing, so a language server or a fuzzer can use it as well as the
//! runtime. It may import the SDK for its error type and the ABI for result codes and parameter
//! types, but no other runtime crate.

#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod error;
pub mod escape;
mod handle_text;
pub mod infer;
pub mod manifest;
pub mod model;
pub mod overrides;
pub mod parameter;
mod read_app;
mod render;
mod scalar;
pub mod source;
pub mod suggest;
#[cfg(test)]
mod tests;
pub mod yaml;

pub use compact_str::CompactString;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use error::{Error, Result};
pub use handle_text::HandleText;
pub use manifest::manifest_entries;
pub use overrides::{ParameterOverride, parse_override};
pub use parameter::{Number, ParameterSpec, ParameterValue};
pub use read_app::read_app;
pub use source::{Source, Span, Spanned};
pub use yaml::{parse_stream, read_file, read_source};
