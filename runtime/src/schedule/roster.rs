//! The runners of a graph by their numbers. It only grows: an entity that joins a running graph is
//! added at the end, one that left stays in its place and answers NEVER.

use crate::entity::runner::Runner;
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// All runners there are and were.
#[derive(Default)]
pub(crate) struct Roster {
    runners: RwLock<Vec<Arc<Runner>>>,
    /// Those with terms that must be polled; usually none.
    polled: RwLock<Vec<Arc<Runner>>>,
    has_polled: AtomicBool,
}

impl Roster {
    /// Adds a runner, whose number must be the next one.
    pub fn push(&self, runner: Arc<Runner>) {
        if runner.polled {
            self.polled.write().push(runner.clone());
            self.has_polled.store(true, Ordering::Release);
        }
        let mut runners = self.runners.write();
        debug_assert_eq!(runners.len(), runner.number as usize);
        runners.push(runner);
    }

    /// The number the next runner gets.
    pub fn next_number(&self) -> u32 {
        u32::try_from(self.runners.read().len()).unwrap_or(u32::MAX)
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<Runner>> {
        self.runners.read().clone()
    }

    /// Those from a number on.
    pub fn from(&self, number: usize) -> Vec<Arc<Runner>> {
        self.runners.read().get(number..).unwrap_or_default().to_vec()
    }

    /// The runner with this number.
    pub fn get(&self, number: u32) -> Option<Arc<Runner>> {
        self.runners.read().get(number as usize).cloned()
    }

    /// Whether an entity has terms that must be polled.
    #[inline]
    pub fn has_polled(&self) -> bool {
        self.has_polled.load(Ordering::Acquire)
    }

    /// Whether a polled runner is like this.
    pub fn any_polled(&self, is: impl Fn(&Runner) -> bool) -> bool {
        self.has_polled() && self.polled.read().iter().any(|runner| is(runner))
    }

    /// All runners with terms that must be polled.
    pub fn polled(&self) -> Vec<Arc<Runner>> {
        self.polled.read().clone()
    }
}
