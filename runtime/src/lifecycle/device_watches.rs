//! The work of devices that a graph waits to hear about.

use parking_lot::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long the end of a run waits for work whose times it shows. Work that takes longer is missing
/// there.
const LONGEST: Duration = Duration::from_secs(1);

/// Counts pieces of work that have begun and were not reported.
#[derive(Default)]
pub(crate) struct DeviceWatches {
    open: Mutex<usize>,
    changed: Condvar,
}

impl DeviceWatches {
    /// A piece of work begins.
    pub fn begin(&self) {
        *self.open.lock() += 1;
    }

    /// It was reported, or never will be.
    pub fn end(&self) {
        *self.open.lock() -= 1;
        self.changed.notify_all();
    }

    /// Waits until all work is reported, for at most [`LONGEST`].
    pub fn settle(&self) {
        let until = Instant::now() + LONGEST;
        let mut open = self.open.lock();
        while *open > 0 && !self.changed.wait_until(&mut open, until).timed_out() {}
    }
}
