//! Statistics and traces of runs. They cost nothing unless enabled.
//!
//! - [`observation`]: what is enabled, and the records of all entities;
//! - `observer.rs`: follows one entity; its runner calls it;
//! - [`glance`]: short looks, after which the observer leaves;
//! - `record.rs`, `distribution.rs`: counters; [`statistics`]: the same as plain data; `table.rs`:
//!   for people; `devices.rs`: CUDA devices where a term may stand;
//! - `trace_hash.rs`: a hash over what a run did;
//! - [`trace`]: every tick, wait and message with its time.

mod devices;
mod distribution;
pub mod glance;
pub mod observation;
mod observer;
mod record;
pub mod statistics;
mod table;
mod time;
pub mod trace;
mod trace_hash;

pub use observation::{HISTORY, Observation};
pub use time::monotonic_now;
