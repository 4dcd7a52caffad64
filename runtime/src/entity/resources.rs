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
}
