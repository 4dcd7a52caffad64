//! A run that goes on only while the program asks for it.

use gxf_app::error::Result;
use gxf_engine::schedule::greedy::{End, Greedy};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};

/// A run that goes on only while the program asks for it.
pub struct EpochRun {
    pub engine: Mutex<Option<Greedy>>,
    /// The latest epoch found that nothing can ever happen again. Read once no epoch runs.
    pub is_deadlock: AtomicBool,
    /// Why it is over.
    outcome: Mutex<Option<Result<End>>>,
    over: Condvar,
}

impl EpochRun {
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
