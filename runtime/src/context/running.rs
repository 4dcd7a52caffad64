//! Activates, runs, pauses and ends the graph.

use super::Context;
use crate::lifecycle::links::LinkEnd;
use crate::lifecycle::report::RunReport;
use gxf_app::error::Result;
use gxf_engine::schedule::engine::{EngineType, Epoch, ScheduleSwap};
use std::time::Duration;

impl Context {
    /// Checks and initialises all entities and prepares the scheduler.
    ///
    /// # Errors
    /// A mandatory parameter is missing, or a component cannot be initialised; everything is then
    /// deactivated again.
    pub fn activate(&self) -> Result<()> {
        self.inner().activate()
    }

    /// Makes an activation on another thread fail as soon as the component that is being
    /// initialised is done.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` unless the graph is being activated.
    pub fn cancel_activation(&self) -> Result<()> {
        self.inner().cancel_activation()
    }

    /// Starts the graph and returns.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` unless the graph is activated and not running.
    pub fn run_async(&self) -> Result<()> {
        self.inner().run_async()
    }

    /// Blocks until the run ends; returns immediately if there is none.
    ///
    /// # Errors
    /// The first error of the run, after which the graph is deactivated.
    /// `INVALID_EXECUTION_SEQUENCE` if called from within the run, for example from a tick.
    pub fn wait(&self) -> Result<()> {
        self.inner().wait()
    }

    /// [`Context::run_async`] and [`Context::wait`].
    ///
    /// # Errors
    /// The errors of both.
    pub fn run(&self) -> Result<()> {
        self.run_with(|| ())
    }

    /// The same, and calls `meanwhile` once the run has begun.
    ///
    /// # Errors
    /// See [`Context::run`].
    pub fn run_with(&self, meanwhile: impl FnOnce()) -> Result<()> {
        self.run_async()?;
        meanwhile();
        self.wait()?;
        // Another thread may have waited for the end before this one started to.
        self.inner().outcome()
    }

    /// Asks the run to end; running ticks finish first.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` if the graph does not run.
    pub fn interrupt(&self) -> Result<()> {
        self.inner().interrupt()
    }

    /// Pauses the run: running ticks finish, and no others start until [`Context::resume`]. Clocks
    /// continue, and messages from outside are kept.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` if the graph does not run; `QUERY_NOT_APPLICABLE` if the
    /// scheduler comes from an extension.
    pub fn pause(&self) -> Result<()> {
        self.inner().pause()
    }

    /// Ends a pause. Does nothing if there is none.
    ///
    /// # Errors
    /// See [`Context::pause`].
    pub fn resume(&self) -> Result<()> {
        self.inner().resume()
    }

    /// During a pause, starts or ticks one entity: the next one that is ready, in turn. Returns its
    /// name, or `None` if none is ready. Only clocks that advance by themselves continue.
    ///
    /// # Errors
    /// See [`Context::pause`]; `INVALID_EXECUTION_SEQUENCE` unless the graph is paused. An error of
    /// the entity also ends the run.
    pub fn step(&self) -> Result<Option<String>> {
        self.inner().step()
    }

    /// Changes the static schedule of a running graph with a `gxe::StaticScheduler`. Returns when the
    /// change is accepted. A complete swap stops every hyperepoch behind the frames that have begun
    /// and then starts the new schedule; in a roll-over, each hyperepoch changes by itself behind
    /// its cycle. Each thread in [`Context::status`] names the schedule that it executes.
    ///
    /// # Errors
    /// Each has a `StmStatus` as a cause, whose number is that of STM:
    /// 6 (invalid state) if the graph does not run; 3 (not supported) if it follows no static
    /// schedule; 8 (bad value) if the file is no schedule; 2 (bad parameter) if the schedule does not
    /// fit the graph, or if in a roll-over the hyperepochs own other resources; 22 (bad state
    /// transition) if `stop` does not run, if a schedule with the new identifier runs already, and
    /// while another change, or the end of the run, is in progress.
    pub fn swap_schedule(&self, swap: &ScheduleSwap) -> Result<()> {
        self.inner().swap_schedule(swap)
    }

    /// Adds a kind of engine for this context: graphs whose scheduler component has its type run on
    /// it. The type comes from an extension.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` if the type has an engine already.
    pub fn add_engine(&self, kind: EngineType) -> Result<()> {
        self.inner().add_engine(kind)
    }

    /// Runs an epoch of a running graph with a `nvidia::gxf::EpochScheduler`: for `budget` of the
    /// scheduler's clock, or until nothing is ready. With a budget of zero, executes every entity
    /// once. While the graph is paused, executes nothing and returns [`Epoch::Paused`], after
    /// finishing the entities that are being executed.
    ///
    /// If entities wait for each other after the latest epoch, ending the run reports a deadlock.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE` if no such graph runs. An entity's error ends the run, and
    /// [`Context::wait`] returns it too.
    pub fn run_epoch(&self, budget: Duration) -> Result<Epoch> {
        let budget = i64::try_from(budget.as_nanos()).unwrap_or(i64::MAX);
        self.inner().run_epoch(budget)
    }

    /// Sets the duration of the epochs of [`Context::run_epochs`], for segments of the graph that are
    /// loaded later, too. Without this it is 10 milliseconds.
    pub fn set_epoch_budget(&self, budget: Duration) {
        *self.inner().epoch_budget.lock() = budget;
    }

    /// Runs the epochs of a running graph with an `EpochScheduler` until nothing can happen any more,
    /// and ends the run. An epoch that fails ends it, too, and [`Context::wait`] returns the error.
    /// Does nothing if the graph has another scheduler.
    pub fn run_epochs(&self) {
        if !self.has_epochs() {
            return;
        }
        let budget = *self.inner().epoch_budget.lock();
        loop {
            let next = match self.run_epoch(budget) {
                Ok(Epoch::BudgetUsed) => continue,
                Ok(Epoch::Idle { next: None, awaits_event: false } | Epoch::Finished) => break,
                Ok(Epoch::Idle { next, .. }) => next,
                Ok(Epoch::Paused) => None,
                Ok(Epoch::Interrupted) | Err(_) => return,
            };
            if self.rest_until(next).is_err() {
                return;
            }
        }
        // The scheduler waits for more epochs until it is interrupted.
        _ = self.interrupt();
    }

    /// Sleeps between two epochs: on the scheduler's clock until the time that an idle epoch
    /// returned, or until an event; while the graph is paused, until it resumes. This moves a clock
    /// that only moves during sleep, such as a `ManualClock`.
    ///
    /// # Errors
    /// See [`Context::run_epoch`]; also the errors of the clock.
    pub fn rest_until(&self, next: Option<i64>) -> Result<()> {
        self.inner().rest_until(next)
    }

    /// Whether the program has to run the graph's epochs.
    #[must_use]
    pub fn has_epochs(&self) -> bool {
        self.inner().has_epochs()
    }

    /// What this graph knows about the end of a circle of graphs that lead to each other: its ends
    /// of open links, if only what comes over one of them can wake it. `None` if something else
    /// can, or if that is not known. If all graphs rest, and every link has both ends with the
    /// same counts, none of them will ever execute an entity again, although they were not asked
    /// at the same time.
    #[must_use]
    pub fn rest(&self) -> Option<Vec<LinkEnd>> {
        self.inner().rest()
    }

    /// Takes nothing more from links to other graphs, and ends them, so that the graph ends as
    /// usual.
    ///
    /// # Errors
    /// Those of a link.
    pub fn end_links(&self) -> Result<()> {
        self.inner().end_links()
    }

    /// Has the next run wait after its entities have started, before the first one ticks: until
    /// [`Context::open_start`]. Calls `reached` when it is there. Under schedulers other than
    /// `ActorScheduler`, entities start and tick in turn, so these do not wait.
    pub fn hold_start(&self, reached: impl FnOnce() + Send + 'static) {
        self.inner().hold_start(reached);
    }

    /// Ends the wait that [`Context::hold_start`] has set, or will begin.
    pub fn open_start(&self) {
        self.inner().open_start();
    }

    /// From now on, the end of the run breaks links to other graphs instead of ending them: their
    /// other ends wait for this one to come back, as if its process had died.
    pub fn break_links(&self) {
        self.inner().break_links();
    }

    /// Stops and deinitialises all entities, in reverse order. Interrupts a run first.
    ///
    /// # Errors
    /// The first error of a component; all components are deinitialised nevertheless.
    /// `INVALID_EXECUTION_SEQUENCE` if called from within the graph, or while another thread
    /// activates or deactivates it.
    pub fn deactivate(&self) -> Result<()> {
        self.inner().deactivate()
    }

    /// Like [`Context::deactivate`], but waits for another thread that activates or deactivates the
    /// graph.
    ///
    /// # Errors
    /// See [`Context::deactivate`].
    pub fn end(&self) -> Result<()> {
        self.inner().end()
    }

    /// Rejects `call`, which waits for the graph, on a thread that the graph waits for: one that
    /// executes, activates or deactivates it.
    ///
    /// # Errors
    /// `INVALID_EXECUTION_SEQUENCE`
    pub fn ensure_not_reentrant(&self, call: &str) -> Result<()> {
        self.inner().ensure_not_reentrant(call)
    }

    /// How often each entity ticked.
    #[must_use]
    pub fn run_report(&self) -> RunReport {
        self.inner().run_report()
    }
}
