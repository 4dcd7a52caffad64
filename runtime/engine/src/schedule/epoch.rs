//! The epoch engine: the greedy one, driven by the program instead of a thread.

use crate::schedule::engine::{End, Engine, Environment, Epoch, Epochs};
use crate::schedule::greedy::Greedy;
use crate::schedule::settings::GreedySettings;
use gxf_app::error::Result;
use gxf_plugin::component::Component;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A run that proceeds only while the program calls for an epoch.
struct EpochEngine {
    environment: Environment,
    /// None after the end. Held during an epoch.
    greedy: Mutex<Option<Greedy>>,
    /// Whether the latest epoch ended in a deadlock.
    is_deadlock: AtomicBool,
    /// The reason it is over.
    outcome: Mutex<Option<Result<End>>>,
    over: Condvar,
}

/// The engine of an `EpochScheduler`.
///
/// # Errors
/// None.
pub fn start(_scheduler: &Arc<Component>, environment: Environment) -> Result<Arc<dyn Engine>> {
    let greedy = Greedy::new(&environment, GreedySettings::default());
    Ok(Arc::new(EpochEngine {
        environment,
        greedy: Mutex::new(Some(greedy)),
        is_deadlock: AtomicBool::new(false),
        outcome: Mutex::default(),
        over: Condvar::new(),
    }))
}

impl EpochEngine {
    /// Ends the run; the first reason counts.
    fn finish(&self, outcome: Result<End>) {
        self.outcome.lock().get_or_insert(outcome);
        self.over.notify_all();
    }
}

impl Engine for EpochEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn thread_name(&self) -> String {
        "epochs".to_owned()
    }

    /// Waits until the run is over and the current epoch has finished.
    fn run(&self) -> Result<End> {
        let end = {
            let mut outcome = self.outcome.lock();
            loop {
                if let Some(outcome) = outcome.take() {
                    break outcome;
                }
                self.over.wait(&mut outcome);
            }
        };
        drop(self.greedy.lock().take());
        match end {
            Ok(_) if self.is_deadlock.load(Ordering::Relaxed) => Ok(End::Deadlock),
            end => end,
        }
    }

    fn stops_entities(&self, _end: &Result<End>) -> bool {
        false
    }

    fn interrupt(&self) {
        self.environment.event_queue.stop();
        self.finish(Ok(End::Interrupted));
    }

    fn epochs(&self) -> Option<&dyn Epochs> {
        Some(self)
    }
}

impl Epochs for EpochEngine {
    fn epoch(&self, budget: i64) -> Result<Epoch> {
        let mut greedy = self.greedy.lock();
        let Some(engine) = &mut *greedy else { return Ok(Epoch::Finished) };
        let epoch = engine.epoch(budget);
        let is_deadlock = matches!(epoch, Ok(Epoch::Idle { next: None, awaits_event: false }));
        self.is_deadlock.store(is_deadlock, Ordering::Relaxed);
        match &epoch {
            Ok(Epoch::Interrupted) => self.finish(Ok(End::Interrupted)),
            Ok(_) => {}
            Err(error) => {
                *greedy = None;
                self.finish(Err(error.clone()));
            }
        }
        epoch
    }

    fn rest_until(&self, next: Option<i64>) -> Result<()> {
        let greedy = self.greedy.lock();
        greedy.as_ref().map_or(Ok(()), |engine| engine.rest_until(next))
    }
}
