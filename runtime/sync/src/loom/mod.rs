//! The basis of this crate's primitives: the standard library and parking_lot, or loom's models of
//! them under `--cfg loom`. Apart from tests, no other file of this crate checks that
//! configuration.

#[cfg(loom)]
mod mocked;
#[cfg(not(loom))]
mod std;

#[cfg(loom)]
pub(crate) use mocked::*;
#[cfg(not(loom))]
pub(crate) use std::*;
