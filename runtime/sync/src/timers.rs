//! Target times of entities, shared by the workers of a pool.
//!
//! An entity has at most one valid target. A replaced one stays in the heap, where it no longer
//! matches the entity's target. When leftovers outnumber valid targets they are removed, so an
//! entity that often moves a far target costs no memory.

use crate::loom::Mutex;
use crate::loom::atomic::{AtomicI64, Ordering};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// No target.
pub const NEVER: i64 = i64::MAX;

/// The time that an entity waits for.
#[derive(Debug)]
pub struct Target(AtomicI64);

impl Default for Target {
    fn default() -> Self {
        Self(AtomicI64::new(NEVER))
    }
}

impl Target {
    /// Cancels the entity's target. Only for the worker that has the entity.
    #[inline]
    pub fn clear(&self) {
        if self.0.load(Ordering::Relaxed) != NEVER {
            self.0.swap(NEVER, Ordering::AcqRel);
        }
    }
}

/// An entity that can wait for a time.
pub trait Waits {
    /// Order among equal targets.
    fn number(&self) -> u32;

    /// The time that it waits for.
    fn target(&self) -> &Target;
}

/// The timers of a pool.
pub struct Timers<W> {
    content: Mutex<Content<W>>,
    /// The earliest target, readable without the lock.
    next: AtomicI64,
}

struct Content<W> {
    entries: BinaryHeap<Reverse<(i64, Waiting<W>)>>,
    /// Number of entries above which leftovers are removed.
    limit: usize,
}

/// A waiting entity.
struct Waiting<W>(Arc<W>);

impl<W: Waits> PartialEq for Waiting<W> {
    fn eq(&self, other: &Self) -> bool {
        self.0.number() == other.0.number()
    }
}

impl<W: Waits> Eq for Waiting<W> {}

impl<W: Waits> PartialOrd for Waiting<W> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<W: Waits> Ord for Waiting<W> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.number().cmp(&other.0.number())
    }
}

const SMALLEST_LIMIT: usize = 64;

impl<W: Waits> Default for Timers<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Waits> Timers<W> {
    /// No timers.
    pub fn new() -> Self {
        let content = Content { entries: BinaryHeap::new(), limit: SMALLEST_LIMIT };
        Self { content: Mutex::new(content), next: AtomicI64::new(NEVER) }
    }

    /// The earliest target; [`NEVER`] if there is none.
    #[inline]
    pub fn next(&self) -> i64 {
        self.next.load(Ordering::Acquire)
    }

    /// Sets the time that an entity waits for, replacing an earlier one.
    pub fn arm(&self, entity: &Arc<W>, target: i64) {
        if entity.target().0.swap(target, Ordering::AcqRel) == target {
            return;
        }
        let mut content = self.content.lock();
        content.entries.push(Reverse((target, Waiting(entity.clone()))));
        if content.entries.len() > content.limit {
            content.sweep();
        }
        self.publish_next(&content);
    }

    /// Wakes the entities that are due.
    pub fn expire(&self, now: i64, wake: impl FnMut(u32)) {
        if self.next() > now {
            return;
        }
        let mut due = SmallVec::<[u32; 16]>::new();
        let mut content = self.content.lock();
        while let Some(Reverse((target, _))) = content.entries.peek()
            && *target <= now
        {
            let Some(Reverse((target, Waiting(entity)))) = content.entries.pop() else { break };
            let waits = &entity.target().0;
            let valid = waits.compare_exchange(target, NEVER, Ordering::AcqRel, Ordering::Relaxed);
            if valid.is_ok() {
                due.push(entity.number());
            }
        }
        self.publish_next(&content);
        drop(content);
        // Without the lock: waking may take the lock of the sleepers, who read the timers.
        due.into_iter().for_each(wake);
    }

    /// The earliest target that is still valid.
    pub fn next_valid(&self) -> i64 {
        let mut content = self.content.lock();
        while let Some(Reverse((target, Waiting(entity)))) = content.entries.peek()
            && entity.target().0.load(Ordering::Relaxed) != *target
        {
            content.entries.pop();
        }
        self.publish_next(&content);
        self.next()
    }

    fn publish_next(&self, content: &Content<W>) {
        let next = content.entries.peek().map_or(NEVER, |Reverse((target, _))| *target);
        self.next.store(next, Ordering::Release);
    }
}

impl<W: Waits> Content<W> {
    fn sweep(&mut self) {
        self.entries.retain(|Reverse((target, Waiting(entity)))| {
            entity.target().0.load(Ordering::Relaxed) == *target
        });
        self.limit = (self.entries.len() * 2).max(SMALLEST_LIMIT);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::atomic::AtomicUsize;
    use loom::thread;

    #[derive(Default)]
    struct Entity {
        number: u32,
        target: Target,
    }

    impl Waits for Entity {
        fn number(&self) -> u32 {
            self.number
        }

        fn target(&self) -> &Target {
            &self.target
        }
    }

    fn timers() -> (Arc<Timers<Entity>>, [Arc<Entity>; 2]) {
        let entity = |number| Arc::new(Entity { number, ..Entity::default() });
        (Arc::new(Timers::new()), [entity(0), entity(1)])
    }

    /// Two workers expire timers at the same moment: one of them wakes an entity that is due.
    #[test]
    fn a_target_wakes_once() {
        loom::model(|| {
            let (timers, [one, two]) = timers();
            timers.arm(&one, 10);
            timers.arm(&two, 20);
            let woken = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let look = {
                let (timers, woken) = (timers.clone(), woken.clone());
                move |now| {
                    timers.expire(now, |number| {
                        woken[number as usize].fetch_add(1, Ordering::Relaxed);
                    });
                }
            };
            let other = thread::spawn({
                let look = look.clone();
                move || look(15)
            });
            look(30);
            other.join().unwrap();
            assert_eq!(woken[0].load(Ordering::Relaxed), 1);
            assert_eq!(woken[1].load(Ordering::Relaxed), 1);
            assert_eq!(timers.next(), NEVER);
        });
    }

    /// An entity waits again while another worker expires timers: its last target is kept, and
    /// visible without the lock.
    #[test]
    fn a_new_target_is_kept() {
        for (target, leftover) in [(30, false), (10, true), (30, true)] {
            loom::model(move || {
                let (timers, [one, _]) = timers();
                timers.arm(&one, 10);
                let other = {
                    let timers = timers.clone();
                    thread::spawn(move || {
                        let mut woken = 0;
                        timers.expire(15, |_| woken += 1);
                        woken
                    })
                };
                if leftover {
                    one.target.clear();
                }
                timers.arm(&one, target);
                let early = other.join().unwrap();
                assert!(early <= 1 + usize::from(target == 10));
                let is_due = target > 15 || early == 0;
                assert!(!is_due || timers.next() <= target);
                let mut woken = 0;
                timers.expire(40, |_| woken += 1);
                assert!(!is_due || woken == 1, "{early} early, {woken} at {target}, {leftover}");
                assert_eq!(timers.next_valid(), NEVER);
            });
        }
    }
}
