//! What a graph tells about itself while it runs. Nothing is paid for what nobody asked for.
//!
//! - `observation.rs`: what is wanted, and for whom;
//! - `observer.rs`: follows one entity; its runner calls it;
//! - `record.rs`, `distribution.rs`: what is counted; `statistics.rs`: the same as plain data;
//!   `table.rs`: for people;
//! - `status.rs`: what each entity does at this moment;
//! - `trace/`: every tick, wait and message with its time;
//! - `job_statistics.rs`: GXF's `JobStatistics`;
//! - `metric.rs`: `Metric`, a measured number with limits.

mod distribution;
mod job_statistics;
mod metric;
mod observation;
mod observer;
mod record;
mod statistics;
mod status;
mod table;
mod trace;

pub(crate) use job_statistics::JobStatistics;
pub(crate) use metric::Metric;
pub(crate) use observation::{HISTORY, Observation};
pub(crate) use observer::Observer;
pub use statistics::{
    AllocatorUse, CodeletStatistics, ConnectionStatistics, DepartedStatistics, EntityStatistics,
    QueueStatistics, StateChange, StateStatistics, Statistics, TermStatistics, Times,
};
pub use status::{Activity, EntityStatus, GraphStatus, PendingCall, QueueStatus};
pub use trace::{Trace, TraceOptions};
