//! From YAML text to a checked graph description.
//!
//! The front end: text becomes a [tree](yaml) with places, the tree becomes a
//! [description of entities](model), and the values in it are read once the types of the
//! [parameters](parameter) are known. Whatever is wrong becomes a [`diagnostic::Diagnostic`].

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
