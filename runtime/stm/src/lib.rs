//! Compute graphs of STM, and the schedules made of them: what a graph file says, what a schedule
//! file says, and whether the one keeps the other's constraints.
//!
//! In the order of work:
//!
//! - [`time`]: whole nanoseconds, written with a unit;
//! - `graph_files`: files to a [`graph`], in two steps: `read`, with the mistakes of form; `rules`,
//!   names, limits and constraints that a file can break;
//! - [`expand`]: the instances of runnables that one cycle of a hyperepoch executes;
//! - [`schedule`]: the file format of schedules; [`check`]: proof that a schedule keeps every
//!   constraint, and of what it claims about its length; [`deduce`]: the rules of such proofs;
//! - [`plan`]: a schedule as indexes, with an order that comes to an end; [`program`]: the lists of
//!   what workers execute;
//! - [`log`]: what a run by a schedule did; [`status`]: the codes with which STM answers.
//!
//! The compiler is another crate, and this one may not import it: the checker shares nothing with
//! the search but the meaning of a graph. It may import `gxf-app` for text, places and diagnostics.

#![forbid(unsafe_code)]

pub mod check;
pub mod deduce;
pub mod expand;
pub mod graph;
mod graph_files;
pub mod log;
pub mod plan;
pub mod program;
mod read;
mod rules;
pub mod schedule;
pub mod status;
pub mod time;

pub use graph::Graph;
pub use graph_files::{GraphFiles, read_graph};
pub use rules::RULES;
