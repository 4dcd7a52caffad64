//! An entity of the monitored run.

/// The shown values of an entity.
pub struct Entity {
    pub name: String,
    pub state: String,
    pub ticks: u64,
    /// Ticks per second since the previous update.
    pub rate: Option<f64>,
    /// Median and 99th percentile of the tick duration, in nanoseconds.
    pub times: Option<(u64, u64)>,
    pub queues: String,
    pub waits: String,
}
