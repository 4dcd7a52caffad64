//! Target times of entities, shared by the workers of a pool.
//!
//! An entity has at most one valid target; one it replaced stays in the heap and is recognised by
//! not being the entity's any more. When such leftovers outnumber what is valid, they are swept
//! out, so that an entity which moves a far target often costs no memory.

use crate::entity::runner::Runner;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// No target.
pub(crate) const NEVER: i64 = i64::MAX;

/// The timers of a pool.
pub(crate) struct Timers {
    content: Mutex<Content>,
    /// The earliest target, for a look without the lock.
    next: AtomicI64,
}

struct Content {
    entries: BinaryHeap<Reverse<(i64, Waiting)>>,
    /// Above this many entries, leftovers are swept out.
    limit: usize,
}

/// An entity that waits. Its number orders entities with the same target.
struct Waiting(Arc<Runner>);

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.number.cmp(&other.0.number)
    }
}

const SMALLEST_LIMIT: usize = 64;

impl Timers {
    pub fn new() -> Self {
        let content = Content { entries: BinaryHeap::new(), limit: SMALLEST_LIMIT };
        Self { content: Mutex::new(content), next: AtomicI64::new(NEVER) }
    }

    /// The earliest target; [`NEVER`] when there is none.
    #[inline]
    pub fn next(&self) -> i64 {
        self.next.load(Ordering::Acquire)
    }

    /// Remembers that an entity waits for a time, in place of the one it waited for.
    pub fn arm(&self, runner: &Arc<Runner>, target: i64) {
        if runner.target.swap(target, Ordering::AcqRel) == target {
            return;
        }
        let mut content = self.content.lock();
        content.entries.push(Reverse((target, Waiting(runner.clone()))));
        if content.entries.len() > content.limit {
            content.sweep();
        }
        self.publish_next(&content);
    }

    /// Hands out the entities whose time has come.
    pub fn expire(&self, now: i64, wake: impl FnMut(u32)) {
        if self.next() > now {
            return;
        }
        let mut due = SmallVec::<[u32; 16]>::new();
        let mut content = self.content.lock();
        while let Some(Reverse((target, _))) = content.entries.peek()
            && *target <= now
        {
            let Some(Reverse((target, Waiting(runner)))) = content.entries.pop() else { break };
            let valid =
                runner.target.compare_exchange(target, NEVER, Ordering::AcqRel, Ordering::Relaxed);
            if valid.is_ok() {
                due.push(runner.number);
            }
        }
        self.publish_next(&content);
        drop(content);
        // Without the lock: waking may take the lock of the sleepers, who look at the timers.
        due.into_iter().for_each(wake);
    }

    /// The earliest target that an entity still waits for.
    pub fn next_valid(&self) -> i64 {
        let mut content = self.content.lock();
        while let Some(Reverse((target, Waiting(runner)))) = content.entries.peek()
            && runner.target.load(Ordering::Relaxed) != *target
        {
            content.entries.pop();
        }
        self.publish_next(&content);
        self.next()
    }

    fn publish_next(&self, content: &Content) {
        let next = content.entries.peek().map_or(NEVER, |Reverse((target, _))| *target);
        self.next.store(next, Ordering::Release);
    }
}

impl Content {
    fn sweep(&mut self) {
        self.entries.retain(|Reverse((target, Waiting(runner)))| {
            runner.target.load(Ordering::Relaxed) == *target
        });
        self.limit = (self.entries.len() * 2).max(SMALLEST_LIMIT);
    }
}
