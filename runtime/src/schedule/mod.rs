//! When entities run.
//!
//! - `condition.rs`: how the answers of several terms combine;
//! - `terms/`: the scheduling terms, one file each;
//! - `mailbox.rs`: how events from other threads reach a scheduler;
//! - `ready_set.rs`: which entities a scheduler has to look at;
//! - `greedy.rs`: the engine on one thread, in a deterministic order;
//! - `components.rs`: the scheduler components applications configure.

pub(crate) mod components;
pub(crate) mod condition;
pub(crate) mod greedy;
pub(crate) mod mailbox;
mod ready_set;
pub(crate) mod terms;
