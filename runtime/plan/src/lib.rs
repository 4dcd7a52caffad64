//! Plans for the actor scheduler: which thread executes which entity, and how many messages may be
//! on their way between two of them.
//!
//! - `plan.rs`: a [`Plan`]: tasks, streams, variables, registers; `ports.rs`: what a plan needs to know about a
//!   graph;
//! - `compile.rs`: from a graph's ports to a plan; `memory.rs`: how much memory it needs,
//!   in `figures.rs`;
//! - `read.rs`: from JSON, with a place for every mistake of form; `write.rs`: to JSON;
//! - `check.rs`: what is wrong with a plan, by itself and for a graph.
//!
//! This crate knows no engine: it may import `gxf-app` for diagnostics and the ABI for result
//! codes.

#![forbid(unsafe_code)]

mod check;
mod compile;
mod figures;
mod memory;
mod plan;
mod ports;
mod read;
mod write;

pub use check::{check, check_for, check_ranks};
pub use compile::{MOST_INSTANCES, Options, compile};
pub use figures::{Block, StreamMemory};
pub use memory::Memory;
pub use plan::{
    CPU, Completion, Consumer, Flow, Kind, Plan, Register, Stream, Task, VERSION, Variable,
    kind_of_memory,
};
pub use ports::{DeviceQueue, Entity, Input, Output};
pub use read::read_plan;

use gxf_app::Diagnostic;
use gxf_plugin_abi::ResultCode;

/// An error of a rule.
fn error(rule: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(ResultCode::INVALID_DATA_FORMAT, message).found_by(rule)
}
