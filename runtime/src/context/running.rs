//! Activation, run, pause and end of the graph, as a program asks for them.

use super::Context;
use crate::error::Result;
use crate::schedule::greedy::Epoch;
use std::time::Duration;

/// What ran, for people; see [`Context::run_report`].
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// The entities with codelets, in the order of activation.
    pub entities: Vec<EntityReport>,
}

/// One entity of a [`RunReport`].
#[derive(Clone, Debug)]
pub struct EntityReport {
    /// Name of the entity.
    pub name: String,
    /// Number of successful ticks.
    pub ticks: u64,
    /// GXF's word for the state of its execution.
    pub state: String,
}

impl Context {
    /// Checks and initialises all entities and prepares the scheduler.
    ///
    /// # Errors
    /// A mandatory parameter is missing, or a component cannot be initialised; everything is
    /// deactivated again.
    pub fn activate(&self) -> Result<()> {
        self.inner().activate()
    }

    /// Lets an activation that another thread waits for end with an error, once the component that is
    /// being initialised is done.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` unless the graph is being activated.
    pub fn cancel_activation(&self) -> Result<()> {
        self.inner().cancel_activation()
    }

    /// Begins to run the graph and returns.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` unless the graph is activated and not running.
    pub fn run_async(&self) -> Result<()> {
        self.inner().run_async()
    }

    /// Blocks until the run is over; returns at once when there is none.
    ///
    /// # Errors
    /// The first error of the run. The graph is deactivated then. `INVALID_EXECUTION_SEQUENCE` from
    /// within the run, for example in a tick.
    pub fn wait(&self) -> Result<()> {
        self.inner().wait()
    }

    /// [`Context::run_async`] and [`Context::wait`].
    ///
    /// # Errors
    /// As those.
    pub fn run(&self) -> Result<()> {
        self.run_async()?;
        self.wait()?;
        // Another thread may have waited for the end before this one came to it.
        self.inner().outcome()
    }

    /// Asks the run to end; running ticks are finished.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when nothing runs.
    pub fn interrupt(&self) -> Result<()> {
        self.inner().interrupt()
    }

    /// Pauses the run: ticks that run are finished, and no others begin until
    /// [`Context::resume`]. Clocks go on meanwhile, and messages from outside are kept.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when nothing runs; `QUERY_NOT_APPLICABLE` when the scheduler
    /// comes from an extension.
    pub fn pause(&self) -> Result<()> {
        self.inner().pause()
    }

    /// Ends a pause. Does nothing without one.
    ///
    /// # Errors
    /// As [`Context::pause`].
    pub fn resume(&self) -> Result<()> {
        self.inner().resume()
    }

    /// Runs an epoch of a running graph whose scheduler is a `nvidia::gxf::EpochScheduler`: for
    /// `budget` of the scheduler's clock, or until nothing is ready. With a budget of zero every
    /// entity is executed once. While the graph is paused nothing is, and the answer
    /// [`Epoch::Paused`] comes at once, or after the entities that are being executed.
    ///
    /// A run whose latest epoch left entities that wait for each other ends with the report of a
    /// deadlock, whoever ends it.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` when no such graph runs; the error of an entity, which ends the
    /// run and is what [`Context::wait`] returns, too.
    pub fn run_epoch(&self, budget: Duration) -> Result<Epoch> {
        let budget = i64::try_from(budget.as_nanos()).unwrap_or(i64::MAX);
        self.inner().run_epoch(budget)
    }

    /// Between two epochs: sleeps on the scheduler's clock until the time an idle epoch named, or
    /// until an event comes; while the graph is paused, until it is not. A clock that only moves when somebody sleeps on it, such as a
    /// `ManualClock`, goes on by this.
    ///
    /// # Errors
    /// As for [`Context::run_epoch`]; those of the clock.
    pub fn rest_until(&self, next: Option<i64>) -> Result<()> {
        self.inner().rest_until(next)
    }

    /// Whether the graph waits for the program to run epochs.
    #[must_use]
    pub fn has_epochs(&self) -> bool {
        self.inner().has_epochs()
    }

    /// Stops and deinitialises all entities, in reverse order. A run is interrupted first.
    ///
    /// # Errors
    /// The first error of a component; all components are deinitialised nevertheless.
    /// `INVALID_EXECUTION_SEQUENCE` from within the graph, or while another thread activates or
    /// deactivates it.
    pub fn deactivate(&self) -> Result<()> {
        self.inner().deactivate()
    }

    /// As [`Context::deactivate`], but waits for a thread that activates or deactivates the graph.
    ///
    /// # Errors
    /// As [`Context::deactivate`].
    pub fn end(&self) -> Result<()> {
        self.inner().end()
    }

    /// Refuses `call`, which waits for the graph, to a thread the graph waits for: one that executes,
    /// activates or deactivates it.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE`
    pub fn must_be_outside(&self, call: &str) -> Result<()> {
        self.inner().must_be_outside(call)
    }

    /// How often each entity ticked.
    #[must_use]
    pub fn run_report(&self) -> RunReport {
        self.inner().run_report()
    }
}
