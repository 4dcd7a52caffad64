//! Runs that continue only while the program asks.

use super::epoch_run::EpochRun;
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::schedule::greedy::{End, Epoch};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    /// Runs an epoch of a graph with an `EpochScheduler`: for `budget` nanoseconds of its clock, or
    /// until nothing is ready. Without a budget it executes every entity once.
    pub fn run_epoch(&self, budget: i64) -> Result<Epoch> {
        let epochs = self.epochs()?;
        let _entered = self.scope().enter();
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

    fn epochs(&self) -> Result<Arc<EpochRun>> {
        let epochs = self.run.lock().epochs.clone();
        let text =
            "an epoch needs a running graph whose scheduler is a nvidia::gxf::EpochScheduler";
        let error = || Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text);
        let epochs = epochs.ok_or_else(error)?;
        self.ensure_not_reentrant("an epoch")?;
        Ok(epochs)
    }

    /// Whether the program has to run the graph's epochs.
    pub fn has_epochs(&self) -> bool {
        self.run.lock().epochs.is_some()
    }
}
