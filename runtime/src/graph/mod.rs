//! From YAML text to a graph, and what can be said about one.
//!
//! The way in, in the order of work:
//!
//! - `source.rs`, [`yaml`]: text becomes a tree with places; `scalar.rs`, `infer.rs`: what a text in
//!   it may mean;
//! - `read_app.rs`, [`model`]: the tree becomes a description of entities;
//! - `load/`: the description becomes entities and components, with [`parameter`] for their values,
//!   `handle_text.rs` and `resolve.rs` for handles, [`overrides`] for what the command line says,
//!   `subgraph.rs`, and `default_conditions.rs`;
//! - [`diagnostic`], [`suggest`], `render.rs`: whatever is wrong, where, and what would be right.
//!
//! A loaded graph: [`check`] finds what is wrong with it, [`describe`] shows it as plain data,
//! `save.rs` writes it as a file again, `values.rs` compares it with what its files say later.

pub mod check;
mod default_conditions;
pub mod describe;
pub mod diagnostic;
mod handle_text;
mod infer;
pub(crate) mod load;
pub mod model;
pub mod overrides;
pub mod parameter;
mod read_app;
mod render;
pub(crate) mod resolve;
mod save;
mod scalar;
pub mod source;
pub(crate) mod subgraph;
pub mod suggest;
#[cfg(test)]
mod tests;
mod values;
pub mod yaml;

pub use describe::GraphDescription;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use overrides::{ParameterOverride, parse_override};
pub use parameter::{HandleText, Number, ParameterSpec, ParameterValue};
pub use read_app::{read_app, read_documents};
pub use source::{Source, Span, Spanned};
pub(crate) use values::values;
pub use values::{GraphValues, ParameterChange};
pub use yaml::{parse_stream, read_source};
