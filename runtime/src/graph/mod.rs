//! From YAML text to a checked graph description.
//!
//! The front end: text becomes a [tree](yaml) with places, the tree becomes a
//! [description of entities](model), and the values in it are read once the types of the
//! [parameters](parameter) are known. Whatever is wrong becomes a [`diagnostic::Diagnostic`].

pub mod diagnostic;
mod handle_text;
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
pub mod units;
pub mod yaml;

pub use read_app::{read_app, read_documents};
