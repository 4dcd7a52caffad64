//! What decides when entities run.
//!
//! - [`engine`]: the trait of everything that runs entities, and the table of all kinds;
//! - [`greedy`]: the engine on one thread, in a deterministic order; [`epoch`]: the same one, driven
//!   by the program;
//! - [`pool`]: the engine with several workers;
//! - [`runners`]: the entities of a graph by index; [`active_runners`]: by entity;
//! - [`settings`]: what the parameters of scheduler components mean; [`thread`]: on which cores and
//!   how urgently a thread runs;
//! - [`deadlock`]: who waits for what when nothing can happen any more;
//! - [`scope`]: which graphs the calling thread works for.

pub mod active_runners;
pub mod deadlock;
pub mod engine;
pub mod epoch;
pub mod greedy;
pub mod pool;
pub mod runners;
pub mod scope;
pub mod settings;
pub mod thread;
