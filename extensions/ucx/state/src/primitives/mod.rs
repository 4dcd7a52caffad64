//! The standard library's and parking_lot's primitives, or loom's models of them under
//! `--cfg loom`. Apart from tests, no other file checks that configuration.

#[cfg(loom)]
mod mocked;
#[cfg(not(loom))]
mod real;

#[cfg(loom)]
pub(crate) use mocked::*;
#[cfg(not(loom))]
pub(crate) use real::*;
