//! Decides when entities run.
//!
//! - [`engine`]: the trait of engines; [`engines`]: the table of built-in ones;
//! - [`greedy`]: the engine on one thread, in a deterministic order; [`epoch`]: the same one, driven
//!   by the program;
//! - [`pool`]: the engine with several workers;
//! - [`actor`]: the engine that a plan with registers drives;
//! - [`timetable`]: the engine that follows a static schedule; [`client`]: the one that follows a
//!   master's, with other processes;
//! - [`runners`]: the entities of a graph by index; [`active_runners`]: by entity;
//! - [`settings`]: the meaning of the parameters of scheduler components; [`thread`]: cores and
//!   real-time policy of threads;
//! - [`start`]: where a run waits for those of other processes;
//! - [`pace`]: how time passes;
//! - `outcome.rs`, `polling.rs`: what engines with several threads share; `target.rs`: what says when
//!   the submitted work of a schedule is done;
//! - [`deadlock`]: reports what entities wait for;
//! - [`scope`]: which graphs the calling thread works for.

pub mod active_runners;
pub mod actor;
#[cfg(feature = "stm")]
pub mod client;
pub mod deadlock;
pub mod engine;
pub mod engines;
mod epoch;
pub mod greedy;
mod outcome;
pub mod pace;
mod polling;
pub mod pool;
pub mod runners;
pub mod scope;
pub mod settings;
pub mod start;
#[cfg(feature = "stm")]
mod target;
pub mod thread;
#[cfg(feature = "stm")]
pub mod timetable;
