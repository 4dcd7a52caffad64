//! The scheduler components applications configure. They hold parameters; `settings.rs` reads them,
//! and the engines are beside it.

use gxf::prelude::*;

/// Runs all entities on one thread, in the order of the file, as often as they are ready.
#[derive(Component, Default)]
pub(crate) struct GreedyScheduler {
    /// The clock that tells the time; a real-time clock when absent.
    #[parameter(headline = "Clock")]
    clock: Parameter<Option<Handle<Clock>>>,
    /// Deprecated: true stands for a real-time clock of its own, false for a manual one.
    #[parameter(headline = "Realtime (deprecated)")]
    realtime: Parameter<Option<bool>>,
    /// Ends the run after this time of the clock, whatever the entities want.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    max_duration_ms: Parameter<Option<i64>>,
    /// Ends the run when all entities wait and nothing is left that could wake one of them.
    #[parameter(headline = "Stop on deadlock", default = true)]
    stop_on_deadlock: Parameter<bool>,
    /// How long to sleep before terms that cannot announce a change are asked again.
    #[parameter(headline = "Check recession period", unit = "ms", default = 0.0)]
    check_recession_period_ms: Parameter<f64>,
    /// How long a deadlock must last before it ends the run; negative: for ever.
    #[parameter(headline = "Stop on deadlock timeout", unit = "ms", default = 0)]
    stop_on_deadlock_timeout: Parameter<i64>,
    /// Accepted for applications written for GXF 5; network connections have time-outs of their own.
    #[parameter(headline = "Network connection timeout", unit = "ms", default = 5000)]
    network_connection_timeout: Parameter<i64>,
}

/// Runs entities on several threads at once; each entity on one thread at a time.
#[derive(Component, Default)]
pub(crate) struct MultiThreadScheduler {
    /// The clock that tells the time.
    #[parameter(headline = "Clock")]
    clock: Parameter<Handle<Clock>>,
    /// Ends the run after this time of the clock, whatever the entities want.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    max_duration_ms: Parameter<Option<i64>>,
    /// How long to wait before terms that cannot announce a change are asked again.
    #[parameter(headline = "Check recession period", unit = "ms", default = 5.0)]
    check_recession_period_ms: Parameter<f64>,
    /// Ends the run when all entities wait and nothing is left that could wake one of them.
    #[parameter(headline = "Stop on deadlock", default = true)]
    stop_on_deadlock: Parameter<bool>,
    /// Number of threads, beside those of pinned entities.
    #[parameter(headline = "Worker threads", default = 1)]
    worker_thread_number: Parameter<i64>,
    /// Kept for applications written for GXF, which stores it without using it.
    #[parameter(headline = "Automatic thread pool", default = true)]
    thread_pool_allocation_auto: Parameter<bool>,
    /// Threads of pinned entities execute nothing else.
    #[parameter(headline = "Strict job-thread pinning", default = false)]
    strict_job_thread_pinning: Parameter<bool>,
    /// How long a deadlock must last before it ends the run; negative: for ever.
    #[parameter(headline = "Stop on deadlock timeout", unit = "ms", default = 0)]
    stop_on_deadlock_timeout: Parameter<i64>,
    /// Accepted for applications written for GXF 5; network connections have time-outs of their own.
    #[parameter(headline = "Network connection timeout", unit = "ms", default = 5000)]
    network_connection_timeout: Parameter<i64>,
    /// What the names of the threads begin with. Of GXF 5.
    #[parameter(headline = "Worker thread name", default = "")]
    worker_thread_name_id: Parameter<String>,
}

/// Runs entities on several threads at once, woken by events alone; each entity on one thread at a
/// time. Durations are real time, whatever the clock says.
#[derive(Component, Default)]
pub(crate) struct EventBasedScheduler {
    /// The clock that tells the time.
    #[parameter(headline = "Clock")]
    clock: Parameter<Handle<Clock>>,
    /// Ends the run after this time, whatever the entities want.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    max_duration_ms: Parameter<Option<i64>>,
    /// Ends the run when all entities wait and nothing is left that could wake one of them.
    #[parameter(headline = "Stop on deadlock", default = true)]
    stop_on_deadlock: Parameter<bool>,
    /// Number of threads, beside those of pinned entities.
    #[parameter(headline = "Worker threads", default = 1)]
    worker_thread_number: Parameter<i64>,
    /// Kept for applications written for GXF, which stores it without using it.
    #[parameter(headline = "Automatic thread pool", default = true)]
    thread_pool_allocation_auto: Parameter<bool>,
    /// How long a deadlock must last before it ends the run; negative: no time at all, as in GXF.
    #[parameter(headline = "Stop on deadlock timeout", unit = "ms", default = 0)]
    stop_on_deadlock_timeout: Parameter<i64>,
    /// Accepted for applications written for GXF 5; network connections have time-outs of their own.
    #[parameter(headline = "Network connection timeout", unit = "ms", default = 5000)]
    network_connection_timeout: Parameter<i64>,
    /// What the names of the threads begin with. Of GXF 5.
    #[parameter(headline = "Worker thread name", default = "")]
    worker_thread_name_id: Parameter<String>,
    /// Cores the threads may run on; all when empty. Of GXF 5.
    #[parameter(headline = "Cores", default = Vec::new())]
    pin_cores: Parameter<Vec<u32>>,
}

/// Runs entities when the program that embeds the graph says so, for as long as it says.
#[derive(Component, Default)]
pub(crate) struct EpochScheduler {
    /// The clock that tells the time.
    #[parameter(headline = "Clock")]
    clock: Parameter<Handle<Clock>>,
}
