//! What decides when entities run.
//!
//! - [`greedy`]: the engine on one thread, in a deterministic order, also by epochs;
//! - [`pool`]: the engine with several workers;
//! - [`runners`]: the entities of a graph by number; [`active_runners`]: by entity;
//! - [`settings`]: what the parameters of scheduler components mean; [`thread`]: on which cores and
//!   how urgently a thread runs;
//! - [`deadlock`]: who waits for what when nothing can happen any more;
//! - [`scope`]: which graphs the calling thread works for.

pub mod active_runners;
pub mod deadlock;
pub mod greedy;
pub mod pool;
pub mod runners;
pub mod scope;
pub mod settings;
pub mod thread;
