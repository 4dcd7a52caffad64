//! Runs that go on only while the program asks for it.

use crate::context::Inner;
use crate::error::{Error, Result};
use crate::schedule::greedy::{End, Epoch, Greedy};
use gxf_plugin_abi::ResultCode;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A run that goes on only while the program asks for it.
pub(super) struct Epochs {
    engine: Mutex<Option<Greedy>>,
    /// The latest epoch found that nothing can ever happen again. Read once no epoch runs.
    is_deadlock: AtomicBool,
    /// Why it is over.
    outcome: Mutex<Option<Result<End>>>,
    over: Condvar,
}

impl Epochs {
    pub fn new(engine: Greedy) -> Self {
        Self {
            engine: Mutex::new(Some(engine)),
            is_deadlock: AtomicBool::new(false),
            outcome: Mutex::default(),
            over: Condvar::new(),
        }
    }

    /// The run is over; the first reason given counts.
    pub fn finish(&self, outcome: Result<End>) {
        self.outcome.lock().get_or_insert(outcome);
        self.over.notify_all();
    }

    /// Waits until the run is over.
    pub fn wait(&self) -> Result<End> {
        let mut outcome = self.outcome.lock();
        loop {
            if let Some(outcome) = outcome.take() {
                return outcome;
            }
            self.over.wait(&mut outcome);
        }
    }

    /// Ends the engine, after an epoch that is under way.
    pub fn take_engine(&self) -> Option<Greedy> {
        self.engine.lock().take()
    }

    /// Whether nothing could ever happen again after the latest epoch; asked when none runs.
    pub fn is_deadlock(&self) -> bool {
        self.is_deadlock.load(Ordering::Relaxed)
    }
}

impl Inner {
    /// Runs an epoch of a graph with an `EpochScheduler`: for `budget` nanoseconds of its clock or
    /// until nothing is ready; without a budget every entity is executed once.
    pub fn run_epoch(&self, budget: i64) -> Result<Epoch> {
        let epochs = self.epochs()?;
        let _inside = self.errand().begin();
        let mut engine = epochs.engine.lock();
        let Some(greedy) = &mut *engine else { return Ok(Epoch::Finished) };
        let epoch = greedy.epoch(budget);
        let is_deadlock = matches!(epoch, Ok(Epoch::Idle { next: None, awaits_event: false }));
        epochs.is_deadlock.store(is_deadlock, Ordering::Relaxed);
        match &epoch {
            Ok(Epoch::Interrupted) => epochs.finish(Ok(End::Interrupted)),
            Ok(_) => {}
            Err(error) => {
                *engine = None;
                epochs.finish(Err(error.clone()));
            }
        }
        epoch
    }

    /// Sleeps between two epochs.
    pub fn rest_until(&self, next: Option<i64>) -> Result<()> {
        let epochs = self.epochs()?;
        let engine = epochs.engine.lock();
        engine.as_ref().map_or(Ok(()), |greedy| greedy.rest_until(next))
    }

    fn epochs(&self) -> Result<Arc<Epochs>> {
        let epochs = self.run.lock().epochs.clone();
        let text =
            "an epoch needs a running graph whose scheduler is a nvidia::gxf::EpochScheduler";
        let error = || Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text);
        let epochs = epochs.ok_or_else(error)?;
        self.must_be_outside("an epoch")?;
        Ok(epochs)
    }

    /// Whether the graph waits for somebody to run epochs.
    pub fn has_epochs(&self) -> bool {
        self.run.lock().epochs.is_some()
    }
}
