//! Runs that continue only while the program asks.

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::schedule::engine::{Engine, Epoch, Epochs};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

impl Inner {
    /// Runs an epoch of a graph with an `EpochScheduler`: for `budget` nanoseconds of its clock, or
    /// until nothing is ready. Without a budget it executes every entity once.
    pub fn run_epoch(&self, budget: i64) -> Result<Epoch> {
        self.with_epochs(|epochs| {
            let _entered = self.scope().enter();
            epochs.epoch(budget)
        })
    }

    /// Sleeps between two epochs.
    pub fn rest_until(&self, next: Option<i64>) -> Result<()> {
        self.with_epochs(|epochs| epochs.rest_until(next))
    }

    fn with_epochs<R>(&self, action: impl FnOnce(&dyn Epochs) -> Result<R>) -> Result<R> {
        let engine = self.engine();
        let text =
            "an epoch needs a running graph whose scheduler is a nvidia::gxf::EpochScheduler";
        let error = || Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text);
        let epochs = engine.as_deref().and_then(Engine::epochs).ok_or_else(error)?;
        self.ensure_not_reentrant("an epoch")?;
        action(epochs)
    }

    /// Whether the program has to run the graph's epochs.
    pub fn has_epochs(&self) -> bool {
        self.engine().is_some_and(|engine| engine.epochs().is_some())
    }

    /// What runs the entities, if the graph runs on an engine of this process.
    pub fn engine(&self) -> Option<Arc<dyn Engine>> {
        self.run.lock().engine.clone()
    }
}
