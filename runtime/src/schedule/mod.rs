//! When entities run.
//!
//! - `condition.rs`: how the answers of several terms combine;
//! - `terms/`: the scheduling terms, one file each;
//! - `mailbox.rs`: how events from other threads reach a scheduler;
//! - `roster.rs`: the entities of a graph by number;
//! - `greedy.rs`: the engine on one thread, in a deterministic order, also by epochs;
//! - `ready_set.rs`: which entities it has to look at;
//! - `pool/`: the engine with several workers;
//! - `job.rs`, `timers.rs`: its entities' states and target times;
//! - `thread.rs`: on which cores and how urgently a thread runs;
//! - `report.rs`: who waits for what after a deadlock;
//! - `components.rs`, `settings.rs`: the scheduler components applications configure, and what their
//!   parameters mean.

pub(crate) mod components;
pub(crate) mod condition;
pub(crate) mod greedy;
pub(crate) mod job;
pub(crate) mod mailbox;
pub(crate) mod pool;
mod ready_set;
pub(crate) mod report;
pub(crate) mod roster;
pub(crate) mod settings;
pub(crate) mod terms;
pub(crate) mod thread;
pub(crate) mod timers;
