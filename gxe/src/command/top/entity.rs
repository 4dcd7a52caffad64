//! An entity of the run that `gxe top` looks at.

/// What is shown of an entity.
pub struct Entity {
    pub name: String,
    pub state: String,
    pub ticks: u64,
    /// Ticks in a second since the look before.
    pub rate: Option<f64>,
    /// What 50 and 99 of 100 ticks do not exceed, in nanoseconds.
    pub times: Option<(u64, u64)>,
    pub queues: String,
    pub waits: String,
}
