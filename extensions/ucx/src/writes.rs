//! Small messages that follow each other closely are written together. In a burst, a transmitter
//! postpones the write until several messages have gathered, or there is no room for more. What is
//! left of the burst is written when the scheduler has nothing else to do, or by a thread once it has
//! waited for a moment. As long as bursts follow each other, that thread looks after each moment, and
//! nobody has to wake it. A lone message and an answer are written at once.

use gxf_link_state::Postponed;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long messages wait for others at most, and about 50 microseconds more that the system adds.
const MOMENT: Duration = Duration::from_micros(200);

/// Somebody with messages to write.
pub trait Writes: Send + Sync {
    /// Writes what was postponed.
    fn write_postponed(&self);

    /// Writes what was postponed, unless it has waited for less than this. Returns whether there need not
    /// be another call: nothing was postponed since what was overdue was written.
    fn write_overdue(&self, longest: Duration) -> bool;
}

/// The postponed writes of a context.
#[derive(Default)]
pub struct PostponedWrites {
    postponed: Arc<Postponed<Weak<dyn Writes>>>,
    arrivals: AtomicU64,
    /// Started by the first burst.
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl PostponedWrites {
    /// Notes that something arrives.
    pub fn note_arrival(&self) {
        self.arrivals.fetch_add(1, Ordering::Relaxed);
    }

    /// How often something arrived.
    pub fn arrivals(&self) -> u64 {
        self.arrivals.load(Ordering::Relaxed)
    }

    /// Has somebody write a moment later. Returns whether that will happen.
    pub fn postpone(&self, writes: Weak<dyn Writes>) -> bool {
        self.has_thread() && self.postponed.add(writes)
    }

    /// Writes what was postponed.
    pub fn write(&self) {
        for writes in self.postponed.all() {
            if let Some(writes) = writes.upgrade() {
                writes.write_postponed();
            }
        }
    }

    /// Nothing is postponed any more.
    pub fn end(&self) {
        self.postponed.end();
        if let Some(thread) = self.thread.lock().take() {
            _ = thread.join();
        }
    }

    fn has_thread(&self) -> bool {
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let postponed = self.postponed.clone();
            let run = move || {
                while postponed.wait() {
                    std::thread::sleep(MOMENT);
                    let mut all = postponed.take();
                    all.retain(|writes| {
                        writes.upgrade().is_some_and(|writes| !writes.write_overdue(MOMENT))
                    });
                    postponed.put_back(all);
                }
            };
            *thread = std::thread::Builder::new().name("network-writes".to_owned()).spawn(run).ok();
        }
        thread.is_some()
    }
}
