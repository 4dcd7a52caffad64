//! Small messages that follow each other closely are written together. In a burst, a transmitter
//! postpones the write until several messages have gathered, or there is no room for more. What is
//! left of the burst is written when the scheduler has nothing else to do, or by a thread after a
//! moment. A lone message and an answer are written at once.

use gxf_link_state::Postponed;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long the thread waits for more messages. The system adds about as much.
const MOMENT: Duration = Duration::from_micros(50);

/// Somebody with messages to write.
pub trait Writes: Send + Sync {
    /// Writes what was postponed.
    fn write_postponed(&self);
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
        write(&self.postponed);
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
                    write(&postponed);
                }
            };
            *thread = std::thread::Builder::new().name("network-writes".to_owned()).spawn(run).ok();
        }
        thread.is_some()
    }
}

fn write(postponed: &Postponed<Weak<dyn Writes>>) {
    for writes in postponed.take() {
        if let Some(writes) = writes.upgrade() {
            writes.write_postponed();
        }
    }
}
