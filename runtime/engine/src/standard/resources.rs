//! Resources that entities share, such as a device or a pool of threads, and how an entity requests
//! a thread of its own. They hold parameters, which the schedulers read.

use gxf::prelude::*;

/// Threads for the entities of a group: one for each that has a `CPUThread`, and, if the scheduler's
/// `thread_pool_allocation_auto` is false, `initial_size` threads for the others.
#[derive(Component, Default)]
pub struct ThreadPool {
    /// Number of threads for entities without a thread of their own; at least one.
    #[parameter(headline = "Initial size", default = 0, minimum = 0)]
    pub(crate) initial_size: Parameter<i64>,
    /// 0 for ordinary threads. From 1 to 99, the threads are real-time threads of this priority,
    /// which take turns (SCHED_RR); that needs the capability CAP_SYS_NICE.
    #[parameter(headline = "Priority", default = 0)]
    pub(crate) priority: Parameter<i64>,
    /// Cores that the threads may use; all if empty. From GXF 5.
    #[parameter(headline = "Cores", default = Vec::new())]
    pub(crate) pin_cores: Parameter<Vec<u32>>,
}

/// A GPU for the entities of a group.
#[derive(Component, Default)]
pub struct GPUDevice {
    /// Number of the device in CUDA.
    #[parameter(headline = "Device id", default = 0, minimum = 0)]
    dev_id: Parameter<i32>,
}

impl GPUDevice {
    /// Number of the device.
    pub fn number(&self) -> i32 {
        *self.dev_id.get()
    }
}

/// Requests a thread on which only this entity runs. At most one in an entity.
#[derive(Component, Default)]
pub struct CPUThread {
    /// Whether the entity gets a thread of its own.
    #[parameter(headline = "Pin entity", default = false)]
    pub(crate) pin_entity: Parameter<bool>,
    /// Cores that the thread may use; all if empty. From GXF 5.
    #[parameter(headline = "Cores", default = Vec::new())]
    pub(crate) pin_cores: Parameter<Vec<u32>>,
    /// Scheduling policy of the operating system for the thread: SCHED_OTHER, SCHED_FIFO, SCHED_RR,
    /// SCHED_DEADLINE, or its number in Linux. From GXF 5.
    #[parameter(headline = "Scheduling policy", default = "")]
    pub(crate) sched_policy: Parameter<String>,
    /// Priority from 1 to 99 under SCHED_FIFO and SCHED_RR. From GXF 5.
    #[parameter(headline = "Scheduling priority", default = 0)]
    pub(crate) sched_priority: Parameter<u64>,
    /// Computing time in each period under SCHED_DEADLINE. From GXF 5.
    #[parameter(headline = "Runtime", unit = "ns", default = 0)]
    pub(crate) sched_runtime: Parameter<u64>,
    /// Deadline within each period for the computing time, under SCHED_DEADLINE. From GXF 5.
    #[parameter(headline = "Deadline", unit = "ns", default = 0)]
    pub(crate) sched_deadline: Parameter<u64>,
    /// Period under SCHED_DEADLINE. From GXF 5.
    #[parameter(headline = "Period", unit = "ns", default = 0)]
    pub(crate) sched_period: Parameter<u64>,
}
