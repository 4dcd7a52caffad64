//! The scheduler components that applications configure. They hold parameters, which
//! `schedule/settings.rs` reads; the engines are separate.

use gxf::prelude::*;
use std::path::PathBuf;

/// Runs all entities on one thread, in the order of the file, as often as they are ready.
#[derive(Component, Default)]
pub struct GreedyScheduler {
    /// The clock; without it, a real-time clock.
    #[parameter(headline = "Clock")]
    pub(crate) clock: Parameter<Option<Handle<Clock>>>,
    /// Deprecated: true means a real-time clock of its own, false a manual one.
    #[parameter(headline = "Realtime (deprecated)")]
    pub(crate) realtime: Parameter<Option<bool>>,
    /// Ends the run after this time of the clock.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    pub(crate) max_duration_ms: Parameter<Option<i64>>,
    /// Ends the run when all entities wait and nothing can wake any of them.
    #[parameter(headline = "Stop on deadlock", default = true)]
    pub(crate) stop_on_deadlock: Parameter<bool>,
    /// Period for polling terms that cannot announce changes.
    #[parameter(headline = "Check recession period", unit = "ms", default = 0.0)]
    pub(crate) check_recession_period_ms: Parameter<f64>,
    /// Another name of `check_recession_period_ms`, which it overrides.
    #[parameter(headline = "Check recession period", unit = "ms")]
    pub(crate) check_recess_period_ms: Parameter<Option<f64>>,
    /// How long a deadlock must last before it ends the run; negative: for ever.
    #[parameter(headline = "Stop on deadlock timeout", unit = "ms", default = 0)]
    pub(crate) stop_on_deadlock_timeout: Parameter<i64>,
    /// Ignored; for compatibility with GXF 5. Network connections have time-outs of their own.
    #[parameter(headline = "Network connection timeout", unit = "ms", default = 5000)]
    network_connection_timeout: Parameter<i64>,
}

impl GreedyScheduler {
    /// Whether the deprecated parameter asks for a manual clock.
    #[must_use]
    pub fn is_manual(&self) -> bool {
        *self.realtime == Some(false)
    }
}

/// Runs entities on several threads; each entity on one thread at a time.
#[derive(Component, Default)]
pub struct MultiThreadScheduler {
    /// The clock that tells the time.
    #[parameter(headline = "Clock")]
    pub(crate) clock: Parameter<Handle<Clock>>,
    /// Ends the run after this time of the clock.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    pub(crate) max_duration_ms: Parameter<Option<i64>>,
    /// Period for polling terms that cannot announce changes.
    #[parameter(headline = "Check recession period", unit = "ms", default = 5.0)]
    pub(crate) check_recession_period_ms: Parameter<f64>,
    /// Another name of `check_recession_period_ms`, which it overrides.
    #[parameter(headline = "Check recession period", unit = "ms")]
    pub(crate) check_recess_period_ms: Parameter<Option<f64>>,
    /// Ends the run when all entities wait and nothing is left that could wake one of them.
    #[parameter(headline = "Stop on deadlock", default = true)]
    pub(crate) stop_on_deadlock: Parameter<bool>,
    /// Number of threads, beside those of pinned entities.
    #[parameter(headline = "Worker threads", default = 1, minimum = 1, maximum = 128)]
    pub(crate) worker_thread_number: Parameter<i64>,
    /// Whether all entities share the worker threads. Otherwise entities of a group with a
    /// `ThreadPool` run on the threads of that pool, and nowhere else.
    #[parameter(headline = "Automatic thread pool", default = true)]
    pub(crate) thread_pool_allocation_auto: Parameter<bool>,
    /// Whether threads of pinned entities execute nothing else.
    #[parameter(headline = "Strict job-thread pinning", default = false)]
    pub(crate) strict_job_thread_pinning: Parameter<bool>,
    /// How long a deadlock must last before it ends the run. Negative: never end the run.
    #[parameter(headline = "Stop on deadlock timeout", unit = "ms", default = 0)]
    pub(crate) stop_on_deadlock_timeout: Parameter<i64>,
    /// Ignored; for compatibility with GXF 5. Network connections have time-outs of their own.
    #[parameter(headline = "Network connection timeout", unit = "ms", default = 5000)]
    network_connection_timeout: Parameter<i64>,
    /// Prefix of the threads' names. From GXF 5.
    #[parameter(headline = "Worker thread name", default = "")]
    pub(crate) worker_thread_name_id: Parameter<String>,
}

/// Runs entities on several threads at once, woken by events alone; each entity on one thread at a
/// time.
#[derive(Component, Default)]
pub struct EventBasedScheduler {
    /// The clock that tells the time.
    #[parameter(headline = "Clock")]
    pub(crate) clock: Parameter<Handle<Clock>>,
    /// Ends the run after this time, whatever the entities want.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    pub(crate) max_duration_ms: Parameter<Option<i64>>,
    /// Ends the run when all entities wait and nothing can wake any of them.
    #[parameter(headline = "Stop on deadlock", default = true)]
    pub(crate) stop_on_deadlock: Parameter<bool>,
    /// Number of threads, beside those of pinned entities.
    #[parameter(headline = "Worker threads", default = 1, minimum = 1, maximum = 128)]
    pub(crate) worker_thread_number: Parameter<i64>,
    /// Whether all entities share the worker threads. Otherwise entities of a group with a
    /// `ThreadPool` run on the threads of that pool, and nowhere else.
    #[parameter(headline = "Automatic thread pool", default = true)]
    pub(crate) thread_pool_allocation_auto: Parameter<bool>,
    /// How long a deadlock must last before it ends the run; negative: for ever.
    #[parameter(headline = "Stop on deadlock timeout", unit = "ms", default = 0)]
    pub(crate) stop_on_deadlock_timeout: Parameter<i64>,
    /// Ignored; for compatibility with GXF 5. Network connections have time-outs of their own.
    #[parameter(headline = "Network connection timeout", unit = "ms", default = 5000)]
    network_connection_timeout: Parameter<i64>,
    /// Prefix of the threads' names. From GXF 5.
    #[parameter(headline = "Worker thread name", default = "")]
    pub(crate) worker_thread_name_id: Parameter<String>,
    /// Cores that the threads may use; all if empty. From GXF 5.
    #[parameter(headline = "Cores", default = Vec::new())]
    pub(crate) pin_cores: Parameter<Vec<u32>>,
}

/// Runs entities when the embedding program asks it to, for as long as it asks.
#[derive(Component, Default)]
pub struct EpochScheduler {
    /// The clock that tells the time.
    #[parameter(headline = "Clock")]
    pub(crate) clock: Parameter<Handle<Clock>>,
}

/// Runs entities as actors: each stays on one thread, and acts when a message says that it can.
/// Between two of them a fixed number of messages may be on their way, as a plan says; see
/// `gxe plan`.
#[derive(Component, Default)]
pub struct ActorScheduler {
    /// The clock that tells the time.
    #[parameter(headline = "Clock")]
    pub(crate) clock: Parameter<Handle<Clock>>,
    /// Number of threads, beside those of pinned entities. A plan that is given decides instead.
    #[parameter(headline = "Threads", default = 1, minimum = 1, maximum = 128)]
    pub(crate) threads: Parameter<i64>,
    /// Messages that may be on their way between two entities whose sender waits for room, if their
    /// queue holds no more: 1 lets them take turns, 2 or more lets them overlap.
    #[parameter(headline = "Register instances", default = 2, minimum = 1, maximum = 1000000)]
    pub(crate) register_num: Parameter<u64>,
    /// File with the plan, as `gxe plan` writes it; without one, the graph is planned at its start. A
    /// relative path starts at the folder of the app file; if there is no such file, at the working
    /// directory.
    #[parameter(headline = "Plan")]
    pub(crate) plan: Parameter<Option<PathBuf>>,
    /// Ends the run when all entities wait and nothing can wake any of them. Without it, the run ends
    /// when all actors have: those without inputs by their terms, the others when their inputs have.
    #[parameter(headline = "Stop on deadlock", default = true)]
    pub(crate) stop_on_deadlock: Parameter<bool>,
    /// Ends the run after this time of the clock.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    pub(crate) max_duration_ms: Parameter<Option<i64>>,
    /// Whether messages within a thread skip its channel.
    #[parameter(headline = "Local message queue", default = true)]
    pub(crate) local_message_queue: Parameter<bool>,
    /// Whether entities whose terms only count messages, room and ticks have a shorter way to act.
    #[parameter(headline = "Light actors", default = true)]
    pub(crate) light_actors: Parameter<bool>,
}

/// What a frame that ends after the next one should have started does to that.
#[derive(ParameterEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overrun {
    /// `skip`: the next frame starts at the next multiple of the period.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    skip,
    /// `catch_up`: the next frame starts at once.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    catch_up,
}

/// Runs entities by a static schedule, which `gxe stm compile` makes: each engine of the schedule
/// executes its list in order, and waits only for the clock and for the executions that the
/// schedule names.
#[derive(Component, Default)]
pub struct StaticScheduler {
    /// The clock that releases frames.
    #[parameter(headline = "Clock")]
    pub(crate) clock: Parameter<Handle<Clock>>,
    /// The schedule file. A relative path starts at the folder of the app file; if there is no such
    /// file, at the working directory.
    #[parameter(headline = "Schedule")]
    pub(crate) schedule: Parameter<PathBuf>,
    /// What follows on a frame that took too long: `skip` starts the next frame at the next
    /// multiple of the period, `catch_up` at once.
    #[parameter(headline = "On overrun", default = Overrun::skip)]
    pub(crate) on_overrun: Parameter<Overrun>,
    /// Ends the run: no frame starts after this time of the clock.
    #[parameter(headline = "Maximum duration", unit = "ms")]
    pub(crate) max_duration_ms: Parameter<Option<i64>>,
    /// Ends the run when all entities wait and nothing can wake any of them.
    #[parameter(headline = "Stop on deadlock", default = true)]
    pub(crate) stop_on_deadlock: Parameter<bool>,
    /// Pairs of a runnable, `client.runnable`, and what executes it: an entity, or, for submitted
    /// work, the component whose completion says when it is done, `entity/component`. Without a
    /// pair, a runnable is the entity with its name, with or without the client's. Submitted work
    /// without an entity is the only completion in its submitter's entity.
    #[parameter(headline = "Entities", default = Vec::new())]
    pub(crate) entities: Parameter<Vec<Vec<String>>>,
    /// Whether runnables may be without an entity, which may join later. Their executions are
    /// passed over and counted.
    #[parameter(headline = "Absent entities", default = false)]
    pub(crate) absent_entities: Parameter<bool>,
    /// The longest time from the submission of work to its completion, in real time. The run fails
    /// when it is over. Negative: any time.
    #[parameter(headline = "Fence timeout", unit = "ms", default = 5000)]
    pub(crate) fence_timeout_ms: Parameter<i64>,
    /// File for the start and end of every execution and frame, which `gxe stm analyze` reads. It
    /// is written when the run ends. A relative path starts at the working directory.
    #[parameter(headline = "Log")]
    pub(crate) log: Parameter<Option<PathBuf>>,
    /// Executions that the log keeps for each engine, and frames for each hyperepoch; older ones
    /// are dropped and counted.
    #[parameter(headline = "Log limit", default = 100_000, minimum = 1, maximum = 10_000_000)]
    pub(crate) log_limit: Parameter<u64>,
}

/// Runs entities as a client of `gxe stm master`: they are the runnables of one client of the
/// master's schedules, which several processes execute together.
#[derive(Component, Default)]
pub struct StaticClient {
    /// The clock of the entities.
    #[parameter(headline = "Clock")]
    pub(crate) clock: Parameter<Handle<Clock>>,
    /// The client's name in the schedules.
    #[parameter(headline = "Client")]
    pub(crate) client: Parameter<String>,
    /// The master's socket. Without it, that of the environment variable `GXE_STM_MASTER`, or
    /// `gxe-stm.sock` in the folder `XDG_RUNTIME_DIR`.
    #[parameter(headline = "Master")]
    pub(crate) master: Parameter<Option<PathBuf>>,
    /// Pairs of a runnable, `client.runnable`, and the entity that executes it. Without a pair, a
    /// runnable is the entity with its name, with or without the client's.
    #[parameter(headline = "Entities", default = Vec::new())]
    pub(crate) entities: Parameter<Vec<Vec<String>>>,
}
