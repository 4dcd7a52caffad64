//! What a graph tells about itself while it runs.
//!
//! - `metric.rs`: `Metric`, a measured number with limits.

mod metric;

pub(crate) use metric::Metric;
