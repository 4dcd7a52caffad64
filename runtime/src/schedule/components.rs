//! The scheduler components applications configure. They hold parameters; the engines are beside
//! them.

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
}
