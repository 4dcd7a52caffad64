//! A stack of free numbers that any thread may push to and pop from, without a lock.
//!
//! The head holds the top number and a tag that changes with every operation, so that a thread
//! that was interrupted between reading the top and replacing it notices when the same number came
//! back in between (the ABA problem). The links between numbers live with the caller's cells.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// Stands for "no number".
pub(crate) const NONE: u32 = u32::MAX;

/// The head of the stack.
pub(crate) struct FreeList {
    /// Tag in the upper half, number in the lower.
    head: AtomicU64,
}

fn pack(tag: u64, number: u32) -> u64 {
    (tag << 32) | u64::from(number)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is the number")]
fn number_of(head: u64) -> u32 {
    head as u32
}

impl FreeList {
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self { head: AtomicU64::new(NONE as u64) }
    }

    #[cfg(loom)]
    pub fn new() -> Self {
        Self { head: AtomicU64::new(u64::from(NONE)) }
    }

    /// Takes the top number. `next_of` reads the link of a number; it may be asked for a number
    /// that another thread just took, and its answer is then thrown away.
    pub fn pop(&self, next_of: impl Fn(u32) -> u32) -> Option<u32> {
        // Acquire pairs with the Release of `push`: the link was written before.
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let number = number_of(head);
            if number == NONE {
                return None;
            }
            let next = pack((head >> 32) + 1, next_of(number));
            match self.head.compare_exchange_weak(head, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(number),
                Err(now) => head = now,
            }
        }
    }

    /// Puts a number on top. `set_next` stores its link.
    pub fn push(&self, number: u32, set_next: impl Fn(u32)) {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            set_next(number_of(head));
            // Release publishes the link and everything the thread did with the cell before.
            match self.head.compare_exchange_weak(
                head,
                pack((head >> 32) + 1, number),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU32;

    /// Two threads take and give back; no number is ever held by both, none gets lost.
    #[test]
    fn a_number_has_one_holder() {
        loom::model(|| {
            struct Shared {
                list: FreeList,
                links: [AtomicU32; 2],
                held: [AtomicU32; 2],
            }
            let shared = Arc::new(Shared {
                list: FreeList::new(),
                links: [AtomicU32::new(NONE), AtomicU32::new(NONE)],
                held: [AtomicU32::new(0), AtomicU32::new(0)],
            });
            let push = |shared: &Shared, number: u32| {
                shared.list.push(number, |next| {
                    shared.links[number as usize].store(next, Ordering::Relaxed);
                });
            };
            let pop = |shared: &Shared| {
                shared.list.pop(|number| shared.links[number as usize].load(Ordering::Relaxed))
            };
            push(&shared, 0);
            push(&shared, 1);
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    if let Some(number) = pop(&shared) {
                        assert_eq!(shared.held[number as usize].fetch_add(1, Ordering::Relaxed), 0);
                        shared.held[number as usize].fetch_sub(1, Ordering::Relaxed);
                        push(&shared, number);
                    }
                })
            };
            if let Some(number) = pop(&shared) {
                assert_eq!(shared.held[number as usize].fetch_add(1, Ordering::Relaxed), 0);
                shared.held[number as usize].fetch_sub(1, Ordering::Relaxed);
                push(&shared, number);
            }
            other.join().unwrap();
            let mut left = vec![pop(&shared).unwrap(), pop(&shared).unwrap()];
            left.sort_unstable();
            assert_eq!(left, [0, 1]);
            assert_eq!(pop(&shared), None);
        });
    }
}
