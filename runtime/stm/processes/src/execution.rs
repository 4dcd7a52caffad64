//! One execution of a runnable: what is known of it, who makes it, and what becomes of it.

/// What a worker knows of the execution that it makes.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// `client.runnable`.
    pub runnable: &'a str,
    /// The epoch.
    pub epoch: &'a str,
    /// The engine.
    pub engine: &'a str,
    /// The frame of the epoch, from the start of the schedule.
    pub frame: u64,
    /// When the frame started, in nanoseconds of `CLOCK_MONOTONIC`.
    pub frame_start: i64,
    /// The work that it submits: the cell of its fence, the count, and the cell of its hyperepoch's
    /// progress.
    pub work: Option<(usize, u32, usize)>,
}

/// What became of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran, and all is done.
    Done,
    /// It ran and submitted work that is not done, which [`Client::work_done`] then says.
    ///
    /// [`Client::work_done`]: crate::client::Client::work_done
    Submitted,
    /// It was not ready.
    PassedOver,
    /// There is nothing to execute, or no longer.
    Missing,
}

/// What a worker does with its executions.
pub trait Execute: Sync {
    /// Executes a runnable.
    fn execute(&self, execution: &Execution<'_>) -> Outcome;

    /// Whether the worker leaves at once.
    fn is_over(&self) -> bool;
}

/// A client that is gone: its executions are passed over.
pub struct Substitute;

impl Execute for Substitute {
    fn execute(&self, _: &Execution<'_>) -> Outcome {
        Outcome::Missing
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// The indices of a schedule, a hyperepoch and a lane, as the cell of an engine names them; or of an
/// epoch instead of the lane, as the log does.
pub fn pack([schedule, hyperepoch, lane]: [usize; 3]) -> u64 {
    (schedule as u64) << 40 | (hyperepoch as u64) << 20 | lane as u64
}

/// The indices of [`pack`].
pub fn unpack(number: u64) -> [usize; 3] {
    let part = |shift: u32| usize::try_from(number >> shift & 0xF_FFFF).unwrap_or_default();
    [part(40), part(20), part(0)]
}
