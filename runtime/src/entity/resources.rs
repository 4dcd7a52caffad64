//! Resources: what entities share, such as a device or a pool of threads, and how an entity asks
//! for a thread of its own. They hold parameters; the schedulers read them.

use gxf::prelude::*;

/// Threads for the entities of a group.
#[derive(Component, Default)]
pub(crate) struct ThreadPool {
    /// Number of threads at the start; more are made as they are needed.
    #[parameter(headline = "Initial size", default = 0, minimum = 0)]
    initial_size: Parameter<i64>,
    /// Kept for applications written for GXF, which stores it without using it.
    #[parameter(headline = "Priority", default = 0)]
    priority: Parameter<i64>,
    /// Cores the threads may run on; all when empty. Of GXF 5.
    #[parameter(headline = "Cores", default = Vec::new())]
    pin_cores: Parameter<Vec<u32>>,
}

/// A graphics processor for the entities of a group.
#[derive(Component, Default)]
pub(crate) struct GPUDevice {
    /// Number of the device, as CUDA counts them.
    #[parameter(headline = "Device id", default = 0, minimum = 0)]
    dev_id: Parameter<i32>,
}

/// Asks for a thread on which only this entity runs. At most one in an entity.
#[derive(Component, Default)]
pub(crate) struct CPUThread {
    /// Whether the entity gets a thread of its own.
    #[parameter(headline = "Pin entity", default = false)]
    pin_entity: Parameter<bool>,
    /// Cores the thread may run on; all when empty. Of GXF 5.
    #[parameter(headline = "Cores", default = Vec::new())]
    pin_cores: Parameter<Vec<u32>>,
    /// Scheduling policy of the operating system for the thread: SCHED_OTHER, SCHED_FIFO, SCHED_RR,
    /// SCHED_DEADLINE, or Linux's number of it. Of GXF 5.
    #[parameter(headline = "Scheduling policy", default = "")]
    sched_policy: Parameter<String>,
    /// Priority from 1 to 99 under SCHED_FIFO and SCHED_RR. Of GXF 5.
    #[parameter(headline = "Scheduling priority", default = 0)]
    sched_priority: Parameter<u64>,
    /// Computing time in every period under SCHED_DEADLINE. Of GXF 5.
    #[parameter(headline = "Runtime", unit = "ns", default = 0)]
    sched_runtime: Parameter<u64>,
    /// Time from the beginning of a period by which the computing time must be given, under
    /// SCHED_DEADLINE. Of GXF 5.
    #[parameter(headline = "Deadline", unit = "ns", default = 0)]
    sched_deadline: Parameter<u64>,
    /// Period under SCHED_DEADLINE. Of GXF 5.
    #[parameter(headline = "Period", unit = "ns", default = 0)]
    sched_period: Parameter<u64>,
}
