//! From YAML text to a checked graph description.
//!
//! The front end: text becomes a [tree](yaml) with places, the tree becomes a
//! [description of entities](model), and the values in it are read once the types of the
//! [parameters](parameter) are known. Whatever is wrong becomes a [`diagnostic::Diagnostic`].

pub mod diagnostic;
pub mod overrides;
mod render;
pub mod source;
pub mod suggest;
pub mod units;
pub mod yaml;
