//! Short looks at entities that run: how long their next few ticks take, and what the next message
//! of a queue has. An observer leaves its entity after them, so that a run is as fast as without
//! them from then on.

use gxf::Message;
use gxf_plugin_abi::Uid;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Ticks of an entity that a sample measures.
pub const TICKS: u32 = 16;

/// Ticks that a sample remembers.
const KEPT: usize = 64;

/// How long the latest measured ticks of an entity took, in nanoseconds.
#[derive(Default)]
pub struct Sample(Mutex<VecDeque<u64>>);

impl Sample {
    pub(super) fn add(&self, nanoseconds: u64) {
        let mut ticks = self.0.lock();
        if ticks.len() == KEPT {
            ticks.pop_front();
        }
        ticks.push_back(nanoseconds);
    }

    /// The times in order; empty if there was no tick.
    #[must_use]
    pub fn sorted(&self) -> Vec<u64> {
        let mut times: Vec<u64> = self.0.lock().iter().copied().collect();
        times.sort_unstable();
        times
    }
}

/// What to do with a message. The thread that executes the entity calls it.
type Action = Box<dyn FnOnce(&Message) + Send>;

/// A look at the next message of a queue.
pub struct Look {
    queue: Uid,
    /// `None` once it was done or given up.
    action: Mutex<Option<Action>>,
}

impl Look {
    /// `action` must be short: the entity waits for it. It must not keep the message, because the
    /// message has only one holder, who may change it.
    pub fn new(queue: Uid, action: impl FnOnce(&Message) + Send + 'static) -> Self {
        Self { queue, action: Mutex::new(Some(Box::new(action))) }
    }

    /// The queue.
    #[must_use]
    pub fn queue(&self) -> Uid {
        self.queue
    }

    /// Whether nothing is left to do.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.action.lock().is_none()
    }

    /// Gives up.
    pub fn cancel(&self) {
        self.action.lock().take();
    }

    pub(super) fn at(&self, message: &Message) {
        let action = self.action.lock().take();
        if let Some(action) = action {
            action(message);
        }
    }
}
