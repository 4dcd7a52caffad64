//! Statistics and traces of runs. They cost nothing unless enabled.
//!
//! - [`observation`]: what is wanted, and for which entities;
//! - `observer.rs`: follows one entity; its runner calls it;
//! - `record.rs`, `distribution.rs`: what is counted; [`statistics`]: the same as plain data;
//!   `table.rs`: for people;
//! - `trace_hash.rs`: one number for what a run did;
//! - [`trace`]: every tick, wait and message with its time.

mod distribution;
pub mod observation;
mod observer;
mod record;
pub mod statistics;
mod table;
mod time;
pub mod trace;
mod trace_hash;

pub use observation::{HISTORY, Observation};
