//! The gxe engine.
pub mod graph;
