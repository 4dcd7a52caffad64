//! `Deadline`: the most time that an entity may take.

use gxf::prelude::*;
use gxf::units::parse_period_ns;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Limits the time in which its entity ticks: from the moment at which it could tick until its last
/// codelet has returned.
///
/// The time begins at the latest of what the tick had to wait for: the time that a
/// `PeriodicSchedulingTerm` or `TargetTimeSchedulingTerm` set, and the publication of the first
/// message in each receiver. Without any, it begins with the tick. The scheduler's clock measures
/// it. Statistics, metrics, traces and graph pages show missed deadlines.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Deadline {
    /// The most time, such as `5ms`; a number without a unit means nanoseconds.
    #[parameter(headline = "Limit", dynamic)]
    limit: Parameter<String>,
    /// What to do about a tick that took longer. `warn` logs it: the first, the second, the fourth,
    /// and so on. `stop` ends the run with an error.
    #[parameter(headline = "On miss", default = OnMiss::warn, dynamic)]
    on_miss: Parameter<OnMiss>,
    nanoseconds: AtomicI64,
    /// When the current tick could begin.
    begin: AtomicI64,
    missed: AtomicU64,
    longest: AtomicI64,
}

/// What follows a missed deadline.
#[derive(ParameterEnum, Clone, Copy, PartialEq, Eq, Debug)]
#[expect(non_camel_case_types, reason = "the names that applications write")]
pub enum OnMiss {
    /// A line in the log.
    warn,
    /// The end of the run.
    stop,
}

/// A tick that ended after its deadline.
pub struct Missed {
    /// When it could begin, in nanoseconds of the scheduler's clock.
    pub begin: i64,
    /// Nanoseconds from there to its end.
    pub took: i64,
    /// Nanoseconds that were allowed.
    pub limit: i64,
    /// What the entity asked for.
    pub on_miss: OnMiss,
    /// Missed deadlines so far, with this one.
    pub count: u64,
}

/// What a [`Deadline`] has seen since it was initialized.
pub struct Kept {
    /// Nanoseconds that are allowed.
    pub limit: i64,
    /// Number of ticks that took longer.
    pub missed: u64,
    /// Nanoseconds of the longest tick.
    pub longest: i64,
}

impl Deadline {
    /// Notes that a tick could begin at this time.
    pub fn begin(&self, time: i64) {
        self.begin.store(time, Ordering::Relaxed);
    }

    /// Notes that this tick ended.
    pub fn end(&self, now: i64) -> Option<Missed> {
        let begin = self.begin.load(Ordering::Relaxed);
        let took = now.saturating_sub(begin);
        self.longest.fetch_max(took, Ordering::Relaxed);
        let limit = self.nanoseconds.load(Ordering::Relaxed);
        (took > limit).then(|| Missed {
            begin,
            took,
            limit,
            on_miss: *self.on_miss.get(),
            count: self.missed.fetch_add(1, Ordering::Relaxed) + 1,
        })
    }

    /// What it has seen.
    pub fn kept(&self) -> Kept {
        Kept {
            limit: self.nanoseconds.load(Ordering::Relaxed),
            missed: self.missed.load(Ordering::Relaxed),
            longest: self.longest.load(Ordering::Relaxed),
        }
    }

    fn parsed(&self) -> Result<i64> {
        parse_period_ns(&self.limit)
            .map_err(|error| Error::new(ResultCode::ARGUMENT_INVALID, format!("`limit`: {error}")))
    }
}

impl Lifecycle for Deadline {
    /// Also called when a parameter has changed while the graph runs.
    fn check_parameters(&self) -> Result<()> {
        self.nanoseconds.store(self.parsed()?, Ordering::Relaxed);
        Ok(())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.missed.store(0, Ordering::Relaxed);
        self.longest.store(0, Ordering::Relaxed);
        // Another component may have changed a parameter since it was checked.
        self.check_parameters()
    }
}
